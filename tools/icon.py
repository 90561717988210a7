#!/usr/bin/env python3
"""Draws the icon that /icon.png serves: two branches of a graph, meeting.

usage: icon.py > src/web/icon.cpp      icon.py --png > icon.png
"""
import math
import struct
import sys
import zlib

SIZE, LEVELS = 128, 16  # pixels; shades between the two colours, as 4 bits hold
PAPER, INK = (0x2B, 0x2A, 0x4C), (0xF4, 0xC9, 0x5D)
WIDTH, RADIUS = 5.5, 13.5  # of a line, of a knot
KNOTS = [(40, 28), (40, 100), (90, 46)]
BEND = [(90, 46), (90, 58), (84, 66), (74, 70), (56, 75), (46, 80), (40, 90)]
LINES = [((40, 28), (40, 100)), *zip(BEND, BEND[1:])]


def distance_to_line(x, y, line):
    (ax, ay), (bx, by) = line
    dx, dy = bx - ax, by - ay
    along = max(0, min(1, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy)))
    return math.hypot(x - ax - along * dx, y - ay - along * dy)


def shade(x, y):
    """How much ink there is at a point, from 0 to LEVELS - 1, with soft edges."""
    inside = max(WIDTH - min(distance_to_line(x, y, line) for line in LINES),
                 RADIUS - min(math.hypot(x - a, y - b) for a, b in KNOTS))
    hole = 6 - min(math.hypot(x - a, y - b) for a, b in KNOTS)
    covered = max(0, min(1, inside + 0.5)) - max(0, min(1, hole + 0.5))
    return round(covered * (LEVELS - 1))


def row(y):
    shades = [shade(x + 0.5, y + 0.5) for x in range(SIZE)]
    return b"\0" + bytes(a << 4 | b for a, b in zip(shades[::2], shades[1::2]))


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png():
    mixed = [[round(p + (i - p) * level / (LEVELS - 1)) for p, i in zip(PAPER, INK)]
             for level in range(LEVELS)]
    return b"".join([
        b"\x89PNG\r\n\x1a\n",
        chunk(b"IHDR", struct.pack(">IIBBBBB", SIZE, SIZE, 4, 3, 0, 0, 0)),
        chunk(b"PLTE", bytes(value for colour in mixed for value in colour)),
        chunk(b"IDAT", zlib.compress(b"".join(map(row, range(SIZE))), 9)),
        chunk(b"IEND", b""),
    ])


def source(data):
    lines = [", ".join(f"0x{byte:02x}" for byte in data[at:at + 16])
             for at in range(0, len(data), 16)]
    body = ",\n    ".join(lines)
    return f"""// Written by tools/icon.py.
#include "web/icon.h"

#include <array>

namespace graspd::web {{
namespace {{

// clang-format off
constexpr std::array<unsigned char, {len(data)}> kIcon = {{
    {body}}};
// clang-format on

}}  // namespace

std::string icon() {{ return {{kIcon.begin(), kIcon.end()}}; }}

}}  // namespace graspd::web
"""


if "--png" in sys.argv:
    sys.stdout.buffer.write(png())
else:
    print(source(png()), end="")
