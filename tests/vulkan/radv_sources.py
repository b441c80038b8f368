#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tools/radv.py makes sources of backports of apt's own: files as apt has them, and what must come out."""
import pathlib
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1]), str(pathlib.Path(__file__).resolve().parents[2] / "tools")]
import radv  # noqa: E402
from tap import case, end  # noqa: E402

LINES = """# deb http://old.example/debian bookworm main
deb [arch=amd64 signed-by=/k.gpg] http://one.example/debian bookworm main contrib
deb-src http://one.example/debian bookworm main
deb http://two.example/debian bookworm-updates main
deb http://two.example/debian-security bookworm-security main
deb http://three.example/extra bookworm contrib
deb http://four.example/debian  bookworm   non-free main
"""
STANZAS = """Types: deb deb-src
# A comment.
URIs: http://one.example/debian
Suites: bookworm bookworm-updates
Components: main contrib
Signed-By: /k.gpg

Types: deb
URIs: http://two.example/debian-security
Suites: bookworm-security
Components: main

Types: deb
URIs: http://four.example/debian
Suites: bookworm
Components: main
Enabled: no

Types: deb-src
URIs: http://three.example/debian
Suites: bookworm
Components: main
"""
ROWS = (
    ("lines", LINES, False, ["deb [arch=amd64 signed-by=/k.gpg] http://one.example/debian bookworm-backports main\n",
                             "deb http://four.example/debian bookworm-backports main\n"]),
    ("stanzas", STANZAS, True, ["Types: deb\nURIs: http://one.example/debian\nSuites: bookworm-backports\n"
                                "Components: main\nSigned-By: /k.gpg\n"]),
    ("another release", LINES.replace("bookworm", "trixie"), False, []),
    ("stanzas of another release", STANZAS.replace("bookworm", "trixie"), True, []),
    ("nothing", "", False, []),
)
for name, text, deb822, want in ROWS:
    got = radv.backports(text, deb822)
    case(name, got == want, f"got {got}, want {want}")
end()
