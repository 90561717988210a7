#!/usr/bin/env python3
"""Checks that the files operators install keep the server contained, healthy and quick to build.

usage: deploy.py <folder>
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

UNIT = {
    "RestartPreventExitStatus": "2",  # what a wrong configuration ends with
    "MemoryMax": r"\d+(%|[KMGT])",
    "OOMPolicy": "continue",  # a git process that is killed must not stop the server
    "MemoryDenyWriteExecute": "yes",
    "ProtectProc": "invisible",
    "ProtectSystem": "strict",
    "NoNewPrivileges": "yes",
    "CapabilityBoundingSet": "",
}
COMPOSE = {
    "cap_drop": r"\[ALL\]",
    "read_only": "true",
    "mem_limit": r"\d+[mg]",
    "security_opt": r'\["no-new-privileges:true"\]',
}


def unit_faults(text):
    for key, value in UNIT.items():
        if not re.search(rf"^{key}={value}$", text, re.MULTILINE):
            yield f"graspd.service: {key}= is missing or not {value!r}"
    yield from systemd_faults(text)


def systemd_faults(text):
    """What systemd says of it, where there is one; with a program and a user that exist here."""
    if not shutil.which("systemd-analyze"):
        return
    text = re.sub(r"^ExecStart=\S+", "ExecStart=/bin/true", text, flags=re.MULTILINE)
    text = re.sub(r"^User=.*$", "User=root", text, flags=re.MULTILINE)
    with tempfile.TemporaryDirectory() as folder:
        unit = pathlib.Path(folder) / "graspd.service"
        unit.write_text(text)
        command = ["systemd-analyze", "verify", "--man=no", str(unit)]
        run = subprocess.run(command, capture_output=True, text=True, timeout=60)
    for line in run.stderr.splitlines():
        if "graspd.service" in line:
            yield f"systemd: {line}"


def compose_faults(text):
    service = text.split("  graspd:", 1)[1].split("  caddy:", 1)[0]
    for key, value in COMPOSE.items():
        if not re.search(rf"^    {key}: {value}$", service, re.MULTILINE):
            yield f"compose.yaml: {key} of graspd is missing or not {value!r}"


def docker_faults(text):
    build = text.split("\nFROM ")[1]
    setup = build.find("RUN scripts/setup")
    sources = re.search(r"^COPY (\.|src) ", build, re.MULTILINE)
    if setup < 0 or not sources or sources.start() < setup:
        yield "Dockerfile: packages are installed after the sources are copied: again at each change"
    if re.search(r"^COPY \. ", build, re.MULTILINE):
        yield "Dockerfile: everything is copied: a change of the documentation compiles all"
    if not re.search(r"^HEALTHCHECK .*(\\\n.*)*graspd", text, re.MULTILINE):
        yield "Dockerfile: no HEALTHCHECK by a program that is in the image"
    if not re.search(r"^USER graspd$", text, re.MULTILINE):
        yield "Dockerfile: it runs as root"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    found = [
        *unit_faults((folder / "graspd.service").read_text()),
        *compose_faults((folder / "compose.yaml").read_text()),
        *docker_faults((folder / "Dockerfile").read_text()),
    ]
    print("\n".join(found) or "deploy: clean")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
