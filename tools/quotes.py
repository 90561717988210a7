#!/usr/bin/env python3
"""Fails when something quotes a rule, a section, a file or a heading that does not exist.

usage: quotes.py [project-root]      quotes.py --self-test

Rules. A header lists its rules in comments: `// R1  Text`, the number and two spaces (one behind
R10 and above). Elsewhere in a comment a capital letter with one or two digits is a quote. It means
  1. the header it names: `R4 of net/dialer.h`, `net/dialer.h R4`;
  2. the header that the file's opening comment names: `Rule numbers are those of net/server.h.`;
     where it names several, each has a letter: `net/server.h (S), net/dialer.h (D)`, `S3`, `D1`;
  3. the header that alone has rules of this letter: W and Q are those of store/event_store.h;
  4. the header of the module: foo.h for foo.cpp and foo_test.cpp, and the nearest of foo_bar.h and
     foo.h for foo_bar.cpp.
Scripts (.mjs) have no module: they quote pages only.

Sections. `sync.md §6` is a heading `## 6.` of docs/design/sync.md. `sync.md §6.1` is a heading
`### 6.1` there, or item 1 of a list in that section. In sources a § without a page belongs to the
page or RFC that was named last in the same file; in a page it belongs to that page. A test suite
`Scenario14` quotes sync.md §14.14.

Files. A path to a source in a comment or in a document (`net/dialer.h`, `tools/layers.py`) exists:
below the root, below src/, or beside the file. So do the targets of links between documents, and
their headings (`#anchor`).
"""
import pathlib
import re
import sys
import tempfile

FOLDERS = ["src", "sim", "fuzz", "bench", "e2e"]
SOURCES = (".h", ".cpp", ".mjs")
SKIPPED = {"node_modules", "build", ".git"}
NOT_RULES = {"L1", "L2", "L3",  # layers of sync.md §2
             "C0", "C1"}  # control characters
RULE_LINE = re.compile(r"\s*//(?:   ([A-Z]\d{1,2}) | ([A-Z]\d{1,2})  )\s*\S")
RULE = r"(?<![\w%./-])([A-Z]\d{1,2})(?![\w-])"
HEADER = r"((?:[a-z]\w*/)*[a-z]\w*\.h)"
RULES = RULE + rf"(?:(?:, | and |–)(?:{RULE}))*"
RULES_OF = re.compile(rf"((?:{RULES})) of {HEADER}")
HEADER_RULE = re.compile(rf"{HEADER},? {RULE}")
SECTION = r"§(\d+(?:\.\d+)*)"
GAP = r"(?:\s|//)+"  # the next line of a comment may follow
SECTIONS = re.compile(rf"(?:([\w-]+\.md)(?:\]\([^)]*\))?,?{GAP}|(RFC \d+),?{GAP})?"
                      rf"({SECTION}(?:(?:,{GAP}|,?{GAP}and{GAP}|–){SECTION})*)")
FILE = re.compile(r"(?<![\w./<>{}$:*…-])((?:[\w-]+/)+[\w-]+\.(?:h|cpp|py|cmake|mjs|md))(?![\w/*])")
LINK = re.compile(r"\]\(([^)\s]+)\)")
SCENARIO = re.compile(r"\bTEST(?:_F|_P)?\(Scenario(\d+)")


class Page:
    """The headings of a document, and the numbered items below those that have a number."""

    def __init__(self, text):
        self.sections, self.anchors = set(), set()
        section, in_code = None, False
        for line in text.splitlines():
            if line.startswith("```"):
                in_code = not in_code
            if in_code:
                continue
            if heading := re.match(r"#+ (.*)", line):
                self.anchors.add(self.slug(heading[1]))
                numbered = re.match(r"(\d+(?:\.\d+)*)\.? ", heading[1])
                section = numbered[1] if numbered else None
                self.sections |= {section} if section else set()
            elif section and (item := re.match(r"(\d+)\. ", line)):
                self.sections.add(f"{section}.{item[1]}")

    @staticmethod
    def slug(heading):
        return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def comments(path, text):
    """The lines with all but comments blanked out."""
    if path.suffix == ".md":
        return text.splitlines()
    found = []
    for line in text.splitlines():
        start = re.search(r"(?<!:)//", line)  # no URL
        found.append(line[start.start():] if start else "")
    return found


def opening(text):
    return text[:re.search(r"^(?!//)", text, re.MULTILINE).start()]


class Quotes:
    def __init__(self, root):
        self.root = root
        self.files = [p for folder in FOLDERS for p in self.below(root / folder, SOURCES)]
        documents = [*root.glob("*.md"), *self.below(root / "docs", (".md",))]
        documents += [p for folder in FOLDERS for p in self.below(root / folder, (".md",))]
        self.text = {p: p.read_text() for p in [*self.files, *documents]}
        self.pages = {p: Page(t) for p, t in self.text.items() if p.suffix == ".md"}
        self.rules = {p: self.rules_in(self.text[p]) for p in self.files if p.suffix == ".h"}
        self.rules = {p: numbers for p, numbers in self.rules.items() if numbers}
        self.owners = {}  # letter -> the headers that have rules of it
        for path, numbers in self.rules.items():
            for number in numbers:
                self.owners.setdefault(number[0], set()).add(path)

    @staticmethod
    def below(folder, suffixes):
        return [p for p in sorted(folder.rglob("*"))
                if p.suffix in suffixes and not SKIPPED & set(p.relative_to(folder).parts)]

    @staticmethod
    def rules_in(text):
        lines = map(RULE_LINE.match, text.splitlines())
        return {line[1] or line[2] for line in lines if line}

    def header(self, path, name):
        for place in (self.root / "src" / name, path.parent / name):
            if place in self.rules:
                return place
        return None

    def module(self, path):
        stem = path.stem
        while (at := path.with_name(stem + ".h")) not in self.rules:
            if "_" not in stem:
                return None
            stem = stem.rsplit("_", 1)[0]
        return at

    def homes(self, path):
        """Letter -> the header whose rules R it means here; and the header of all other rules."""
        text = " ".join(line.strip("/ ") for line in opening(self.text[path]).splitlines())
        named = re.search(rf"Rule numbers are those of ({HEADER}.*)", text)
        if not named:
            return {}, self.module(path)
        letters = re.findall(rf"{HEADER} \(([A-Z])\)", named[1])
        home = self.module(path) if letters else self.header(path, named[2])
        return {letter: self.header(path, name) for name, letter in letters}, home

    def check_rules(self, path):
        letters, home = self.homes(path)
        for number, line in enumerate(comments(path, self.text[path]), 1):
            defined = RULE_LINE.match(line) if path.suffix == ".h" else None
            line = line[defined.end(1 if defined[1] else 2):] if defined else line
            for quote in [*RULES_OF.finditer(line), *HEADER_RULE.finditer(line)]:
                name = next(g for g in quote.groups() if g and g.endswith(".h"))
                for rule in re.findall(RULE, quote[0]):
                    yield from self.missing(path, number, rule, rule, self.header(path, name))
                line = line.replace(quote[0], "")
            for rule in re.findall(RULE, line):
                if rule[0] in letters:
                    yield from self.missing(path, number, rule, "R" + rule[1:], letters[rule[0]])
                elif rule not in NOT_RULES:
                    owners = self.owners.get(rule[0], set())
                    header = next(iter(owners)) if len(owners) == 1 else home
                    yield from self.missing(path, number, rule, rule, header)

    def missing(self, path, number, quote, rule, header):
        if header is None:
            yield path, number, f"{quote} is quoted, and no header with rules belongs to it"
        elif rule not in self.rules[header]:
            yield path, number, f"{quote} is quoted, and {header.relative_to(self.root)} has none"

    def check_sections(self, path):
        text = "\n".join(comments(path, self.text[path]))
        last = path.name if path.suffix == ".md" else None
        for quote in SECTIONS.finditer(text):
            name = quote[1] or quote[2] or last
            if path.suffix != ".md":
                last = name
            for section in re.finditer(SECTION, quote[3]):
                number = text.count("\n", 0, quote.start(3) + section.start()) + 1
                if why := self.why_no_section(name, section[1]):
                    yield path, number, why

    def why_no_section(self, name, section):
        if name is None:
            return f"§{section} is quoted, and no page is named"
        if name.startswith("RFC"):
            return None
        page = self.pages.get(self.root / "docs" / "design" / name)
        if page is None:
            return f"{name} is quoted, and docs/design has no such page"
        return None if section in page.sections else f"{name} has no section {section}"

    def check_scenarios(self, path):
        for number, line in enumerate(self.text[path].splitlines(), 1):
            for scenario in SCENARIO.findall(line):
                if why := self.why_no_section("sync.md", f"14.{int(scenario)}"):
                    yield path, number, why

    def check_files(self, path):
        for number, line in enumerate(comments(path, self.text[path]), 1):
            for name in FILE.findall(re.sub(r"\]\([^)]*\)", "", line)):
                places = (self.root, self.root / "src", path.parent)
                if not any((place / name).exists() for place in places):
                    yield path, number, f"{name} does not exist"

    def check_links(self, path):
        for number, line in enumerate(self.text[path].splitlines(), 1):
            for target in LINK.findall(line):
                if re.match(r"[a-z]+:", target):
                    continue
                name, _, anchor = target.partition("#")
                at = (path.parent / name).resolve() if name else path
                if not at.exists():
                    yield path, number, f"the link {target} leads nowhere"
                elif anchor and anchor not in self.pages.get(at, Page("")).anchors:
                    yield path, number, f"{name or path.name} has no heading #{anchor}"

    def check(self):
        for path in self.text:
            is_page = path.suffix == ".md"
            checks = [self.check_links] if is_page else [self.check_rules, self.check_scenarios]
            for check in [*checks, self.check_sections, self.check_files]:
                for where, number, why in check(path):
                    yield f"{where.relative_to(self.root)}:{number}: {why}"


def main(root):
    errors = list(Quotes(root).check())
    print("\n".join(errors) or "quotes: clean")
    return bool(errors)


# Of --self-test: the files of a small project, with what is to be found in each line.
SAMPLE = {
    "docs/design/sync.md": ["# Sync", "", "## 1. Purpose", "", "1. First, as §1.1 says.",
                            ("2. See §3.", "sync.md has no section 3"),
                            "See [git.md](git.md#2-fetch-and-push) and",
                            ("[this](git.md#fetch) or", "git.md has no heading #fetch"),
                            ("[that](../nowhere.md); git.md §2 and", "../nowhere.md leads nowhere"),
                            ("§3.", "git.md has no section 3"), "", "## 14. Tests", "", "1. One."],
    "docs/design/git.md": ["# Git", "", "## 2. Fetch and push", "", "Code: `store/door.h`, and",
                           ("`store/gone.h`.", "store/gone.h does not exist")],
    "src/store/door.h": ["// The door (sync.md §1,", ("// §2).", "sync.md has no section 2"), "//",
                         "//   R1  It opens.", "//   R2  It closes, see R1.", "#pragma once",
                         "int key;  // R2", ("int lock;  // R3", "src/store/door.h has none")],
    "src/store/door_hinge.cpp": ['#include "store/door.h"', "// R1, R2",
                                 ("// R1 and R4", "R4 is quoted, and src/store/door.h has none"),
                                 "// Q1 is a rule of wall.h alone, L1 is no rule"],
    "src/store/wall.h": ["//   Q1  It stands.", "//   R1  It is high.", "#pragma once",
                         ("// R2", "src/store/wall.h has none"), "// R2 of store/door.h",
                         ("// store/door.h R3", "R3 is quoted, and src/store/door.h has none")],
    "src/store/house_test.cpp": ["// Rule numbers are those of store/door.h (D), store/wall.h (W).",
                                 "// D2", ("// D3", "D3 is quoted, and src/store/door.h has none"),
                                 ("// R1", "no header with rules belongs to it")],
    "sim/world_test.cpp": ["TEST(Scenario01, Works) {}",
                           ("TEST(Scenario02, Works) {}", "sync.md has no section 14.2"),
                           ("// §1", "§1 is quoted, and no page is named"), "// RFC 6455 §9.9"],
    "e2e/all.test.mjs": [("// S7", "no header with rules"), "// sync.md §1.2 and §14.1",
                         ("// notes.md §2", "docs/design has no such page")],
}


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        expected, root = {}, pathlib.Path(folder).resolve()
        for name, lines in SAMPLE.items():
            pairs = [line if isinstance(line, tuple) else (line, None) for line in lines]
            expected |= {f"{name}:{n}": why for n, (_, why) in enumerate(pairs, 1) if why}
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text("\n".join(text for text, _ in pairs) + "\n")
        found = dict(error.split(": ", 1) for error in Quotes(root).check())
    faults = [f"{where}: not found: {why}" for where, why in expected.items()
              if why not in found.get(where, "")]
    faults += [f"{where}: found: {why}" for where, why in found.items() if where not in expected]
    print("\n".join(faults) or f"quotes: all {len(expected)} faults of the sample are found")
    return bool(faults)


if __name__ == "__main__":
    if "--self-test" in sys.argv:
        sys.exit(self_test())
    sys.exit(main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()))
