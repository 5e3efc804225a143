#!/bin/sh
# Pins base images and actions to digests, which a moved tag cannot change.
#
#   deploy/pin.sh           asks registries and the forge for the digests, and writes them (needs docker, git and the network)
#   deploy/pin.sh --check   fails if one is missing; a release runs it
#
# Images are those of deploy/Dockerfile and of the workflows' containers. To move to another version, write its tag without a digest.
set -eu
cd "$(dirname "$0")/.."
images='^( *)(ARG [A-Z]+_IMAGE=|container: |image: )([^ @]+)$'
actions='^( *- uses: |  *uses: )([^ ./@]+/[^ @]+)@(v[0-9.]+)$'
loose=$(grep -HnE "$images" deploy/Dockerfile .github/workflows/*.yaml || true; grep -HnE "$actions" .github/workflows/*.yaml || true)
if [ "${1:-}" = --check ]; then
  [ -z "$loose" ] || { printf 'not pinned, run deploy/pin.sh:\n%s\n' "$loose" >&2; exit 1; }
  exit 0
fi
printf '%s\n' "$loose" | while IFS=: read -r file _ line; do
  [ -n "$file" ] || continue
  case $line in
    *uses:*)
      name=$(printf '%s\n' "$line" | sed -E "s,$actions,\2,") tag=${line##*@}
      # an annotated tag names its commit with ^{}
      digest=$(git ls-remote "https://github.com/$name" "refs/tags/$tag" "refs/tags/$tag^{}" | tail -n 1 | cut -f 1)
      old="$name@$tag" new="$name@$digest # $tag" ;;
    *)
      old=$(printf '%s\n' "$line" | sed -E "s,$images,\3,")
      # the index of all architectures comes before its parts
      digest=$(docker buildx imagetools inspect "$old" --format '{{json .Manifest}}' | grep -oE 'sha256:[0-9a-f]{64}' | head -n 1)
      new="$old@$digest" ;;
  esac
  [ -n "$digest" ] || { echo "$old: no digest was found" >&2; exit 69; }
  sed "s|$old\$|$new|" "$file" > "$file.new"
  cat "$file.new" > "$file"
  rm "$file.new"
done
exec "$0" --check
