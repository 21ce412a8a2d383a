"""Reads api/packaging/Dockerfile and compose.yaml for .ci/image-test.

image-steps.py runs STAGE        the RUN commands of a stage, one a line
image-steps.py copies STAGE      its COPY instructions
image-steps.py value STAGE WORD  the text of its last instruction WORD; lists in the form of a shell's arguments
image-steps.py env STAGE         its variables, one a line
image-steps.py service NAME KEY  a value of a service in compose.yaml: lists one item a line, mappings as NAME=VALUE
image-steps.py services          the services, one a line, with their images and profiles
"""

import json
import re
import shlex
import sys

import yaml

FOLDER = "api/packaging/"


def stages():
    """The instructions of each stage by its name; that of the last one is "image"."""
    text = open(FOLDER + "Dockerfile", encoding="utf8").read()
    text = re.sub(r"^\s*#.*\n", "", text, flags=re.M)
    lines = [line.strip() for line in text.replace("\\\n", " ").splitlines() if line.strip()]
    found = []
    for line in lines:
        word, rest = line.split(None, 1)
        if word == "FROM":
            found.append((rest.split(" AS ")[1] if " AS " in rest else "image", []))
        found[-1][1].append((word, re.sub(r"\s+", " ", rest)))
    return dict(found)


def value(stage, word):
    texts = [rest for name, rest in stages()[stage] if name == word]
    if not texts:
        sys.exit(f"the stage {stage} has no {word}")
    text = texts[-1].split(" CMD ", 1)[-1] if word == "HEALTHCHECK" else texts[-1]
    return shlex.join(json.loads(text)) if text.startswith("[") else text


def compose():
    return yaml.safe_load(open(FOLDER + "compose.yaml", encoding="utf8"))


def service(name, key):
    found = compose()["services"][name].get(key, [])
    if isinstance(found, dict):
        found = [f"{inner}={text}" for inner, text in found.items()]
    return "\n".join(map(str, found)) if isinstance(found, list) else str(found)


def services():
    return "\n".join(
        f"{name} {one['image']} {','.join(one.get('profiles', ['-']))}" for name, one in compose()["services"].items()
    )


def instructions(stage, word):
    return "\n".join(rest for name, rest in stages()[stage] if name == word)


def variables(stage):
    return "\n".join(shlex.split(instructions(stage, "ENV").replace("\n", " ")))


COMMANDS = {
    "runs": lambda stage: instructions(stage, "RUN"),
    "copies": lambda stage: instructions(stage, "COPY"),
    "value": value,
    "env": variables,
    "service": service,
    "services": services,
}
text = COMMANDS[sys.argv[1]](*sys.argv[2:])
if text:
    print(text)
