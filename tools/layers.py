#!/usr/bin/env python3
"""Fails when a file includes a folder its own folder may not know, when a pure folder touches the
world, or when an outside library is included away from its home.

usage: layers.py [src-root]      The table is the architecture; change it in its own commit.
"""
import pathlib
import re
import sys

WORDS = ["core", "nostr", "negentropy"]
MINDS = ["store", "git", "http", "grasp", "relay", "sync"]
# A folder may have rooms, each of them a folder of its own; the arrows go one way.
SERVE = {  # room -> the rooms it may know
    "runtime": [],
    "relay": ["serve/runtime"],
    "host": ["serve/runtime", "serve/relay"],
    "fetch": ["serve/runtime", "serve/host"],
    "git": ["serve/runtime", "serve/host"],
    "sync": ["serve/runtime", "serve/relay"],
    "site": ["serve/runtime", "serve/relay", "serve/host", "serve/git", "serve/fetch", "serve/sync",
             "web"],
}
APP = {
    "base": [],
    "config": ["base"],
    "server": ["base", "config"],
    "database": ["base", "config", "server"],
    "import_ngit": ["base", "config", "server", "database"],
    "client": ["base", "config", "server", "database"],
    "sync_once": ["base", "config", "server", "database", "client"],
}
EVERYBODY = WORDS + MINDS + ["net", "lmdb", "gitio", "metrics", "web"] + [f"serve/{r}" for r in SERVE]
MAY_INCLUDE = {  # folder -> folders it may name in an #include (itself is implied)
    "core": [],
    "nostr": ["core"],
    "negentropy": ["core"],
    "store": ["core", "nostr"],
    "git": ["core"],
    "http": ["core"],
    "grasp": ["core", "nostr", "git", "store"],
    "relay": ["core", "nostr", "negentropy", "store"],
    "sync": ["core", "nostr"],
    "net": ["core", "http"],
    "lmdb": ["core", "nostr", "store"],
    "gitio": ["core", "git"],
    "metrics": ["core"],
    "web": ["core", "http", "nostr", "grasp", "relay", "sync"],
    "store/testing": ["core", "nostr", "store"],  # what tests of other folders use
    **{f"serve/{room}": WORDS + MINDS + ["net", "gitio", "metrics"] + rooms
       for room, rooms in SERVE.items()},
    **{f"app/{room}": EVERYBODY + [f"app/{r}" for r in rooms] for room, rooms in APP.items()},
    "app": EVERYBODY + [f"app/{room}" for room in APP],
    "sim": WORDS + MINDS + ["web"],
}
PURE = set(WORDS + MINDS)
IMPURE = ["core/file_descriptor.cpp"]  # closes what net, gitio and app open
BANNED_IN_PURE = [
    (r"\b\w*clock(_type)?::now\(", "ask no clock: take core::Now"),
    (r"\brandom_device\b|\bstd::rand\b|\bmt19937", "take core::Rng"),
    (r"#include <(thread|mutex|future|condition_variable|fstream|iostream|filesystem)>",
     "no I/O, no threads"),
    (r"#include <(sys/|unistd\.h|fcntl\.h|poll\.h)", "no I/O"),
    (r"\bco_(await|return|yield)\b", "no I/O: return actions"),
    (r"\bunordered_(map|set)\b", "iteration order must be a fact, not an accident"),
    (r"\bthrow\b|\btry\s*\{", "return core::Result"),
]
OWNED_BY = [  # outside library -> the only places that may include it
    (r"<boost/(asio|beast)", ["net/"]),
    (r"<boost/process", []),
    (r"<boost/url", ["nostr/relay_url", "core/"]),
    (r"<openssl/", ["net/", "core/sha256"]),
    (r"<simdjson\.h>", ["nostr/json"]),
    (r"<secp256k1", ["nostr/signature"]),
    (r"<lmdb\.h>", ["lmdb/", "app/import_ngit/ngit_"]),
    (r"<zlib\.h>", ["net/inflate"]),
    (r"<roaring/", ["sync/id_set"]),
    (r"<git2", ["gitio/"]),
    (r"<prometheus/", ["metrics/registry"]),
    (r"<CLI/", ["app/cli"]),
    (r"<spdlog/", ["app/server/log_sink"]),
]


def check_line(file, folder, is_test, code):
    """What is wrong with one line; `file` is relative to the root."""
    if m := re.match(r'#include "([^"]+)/[^/"]+"', code):
        if not is_test and m[1] not in [folder, *MAY_INCLUDE[folder]]:
            yield f"{folder}/ may not know {m[1]}/"
    for library, homes in OWNED_BY:
        if re.match("#include " + library, code) and not file.startswith(tuple(homes)):
            yield f"only {' and '.join(h + '*' for h in homes) or 'nobody'} may include this"
    if folder in PURE and not is_test and file not in IMPURE:
        yield from (why for pattern, why in BANNED_IN_PURE if re.search(pattern, code))


def check_sources(root):
    for path in sorted(root.rglob("*")):
        if path.suffix not in (".h", ".cpp"):
            continue
        relative = path.relative_to(root)
        folder = str(relative.parent)
        if folder not in MAY_INCLUDE:
            yield f"{relative}: {folder}/ is not in the table"
            continue
        is_test = path.stem.endswith(("_test", "_testing"))
        for number, line in enumerate(path.read_text().splitlines(), 1):
            for why in check_line(str(relative), folder, is_test, line.split("//")[0]):
                yield f"{relative}:{number}: {why}"


def check_build(cmake_lists):
    """A folder may link only what it may include."""
    line = r"graspd_folder\(([\w/]+)(?:\s+FOLDERS([a-z_/\s]*))?"  # until the next word in capitals
    for folder, linked in re.findall(line, cmake_lists.read_text()):
        for other in linked.split():
            if other not in MAY_INCLUDE.get(folder, [other]):
                yield f"{cmake_lists.name}: {folder}/ may not link {other}/"


def main(root):
    errors = [*check_sources(root), *check_build(root.parent / "CMakeLists.txt")]
    print("\n".join(errors) or "layers: clean")
    return bool(errors)


sys.exit(main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "src").resolve()))
