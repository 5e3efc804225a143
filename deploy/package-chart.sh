#!/bin/sh
# Packages the chart as a release publishes it: with the image that belongs to it, and the addresses of its sources and documents.
#
#   deploy/package-chart.sh REPOSITORY DIGEST SOURCE TAG FOLDER
#
# REPOSITORY and DIGEST are those of the image, SOURCE is the address of the repository, TAG that of the release. The package is put
# into FOLDER. The sources are not changed.
set -eu
if [ $# -ne 5 ]; then
  sed -n 's/^#   //p' "$0" >&2
  exit 64
fi
repository=$1 digest=$2 source=$3 tag=$4 folder=$5
if ! printf '%s\n' "$digest" | grep -Eqx 'sha256:[0-9a-f]{64}'; then
  echo "$digest is no digest of an image" >&2
  exit 64
fi
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -R "$(dirname "$0")/../helm/agon" "$copy/agon"

# Replaces the first line that is $2 by $3 in the file $1; fails if there is none.
replace() {
  awk -v old="$2" -v new="$3" '!done && $0 == old { $0 = new; done = 1 } { print } END { exit !done }' "$copy/agon/$1" > "$copy/new" \
    || { echo "$1 has no line \"$2\"" >&2; exit 70; }
  mv "$copy/new" "$copy/agon/$1"
}
replace values.yaml '  repository: agon' "  repository: $repository"
# in the tag, so that whoever sets a tag gets that image
replace values.yaml '  tag: ""' "  tag: ${tag#v}@$digest"
replace values.yaml '    runbookBaseUrl: ""' "    runbookBaseUrl: $source/blob/$tag"
printf 'home: %s\nsources:\n  - %s\n' "$source" "$source/tree/$tag" >> "$copy/agon/Chart.yaml"
helm package "$copy/agon" --destination "$folder"
