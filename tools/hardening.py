#!/usr/bin/env python3
"""Checks that a binary was built with what cmake/Hardening.cmake asks for.

usage: hardening.py <binary>
"""
import re
import subprocess
import sys

# Of a few thousand functions; a binary without CET has a handful from the C runtime.
LANDING_PADS_MIN = 500
ENDBR64 = b"\xf3\x0f\x1e\xfa"


def readelf(binary, *options):
    command = ["readelf", "--wide", *options, binary]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def faults(binary):
    header = readelf(binary, "--file-header")
    segments = readelf(binary, "--program-headers")
    dynamic = readelf(binary, "--dynamic")
    symbols = readelf(binary, "--dyn-syms")

    def needs(condition, what):
        return [] if condition else [what]

    found = needs(re.search(r"Type:\s+DYN", header), "it is not position-independent (PIE)")
    found += needs("GNU_RELRO" in segments, "no RELRO segment")
    found += needs(re.search(r"FLAGS.*\bNOW\b|BIND_NOW", dynamic),
                   "RELRO is not full: symbols are bound lazily")
    stack = re.search(r"GNU_STACK.*", segments)
    found += needs(stack and " RWE " not in stack.group(), "its stack is executable")
    found += needs("__stack_chk_fail" in symbols, "no stack protector")
    found += needs(re.search(r"\b__\w+_chk\b", symbols), "no FORTIFY: no checked function is called")
    found += needs("__glibcxx_assert_fail" in symbols, "no assertions of the standard library")
    if "X86-64" in header:
        with open(binary, "rb") as file:
            pads = file.read().count(ENDBR64)
        found += needs(pads >= LANDING_PADS_MIN, f"no CET: {pads} landing pads")
    return found


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = faults(sys.argv[1])
    for fault in found:
        print(f"{sys.argv[1]}: {fault}")
    print("hardening:", "clean" if not found else f"{len(found)} missing")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
