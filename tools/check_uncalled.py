#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""External functions of src/ that nothing calls, tests included. Prints FILE: NAME, and exits with 1 if there are any.

    check_uncalled.py SOURCE BUILD

BUILD is searched for objects; what they define is looked for by name in the text of src/, tests/ and of what was
generated. Public functions (include/lull) and those of libraries that others load do not count.
"""
import collections
import pathlib
import re
import subprocess
import sys

# Compiled once per kind of host: the code names them by a macro.
PASTED = ("lull_lane_base_", "lull_lane_v3_", "lull_mem_base_", "lull_mem_v3_")
FOREIGN = ("shim", "layer", "VkLayer")  # Libraries whose functions others call by their names.


def defined(build):
    """Name -> object, of external functions."""
    out = {}
    paths = [p for p in sorted(build.rglob("*.o")) if p.relative_to(build).parts[0] not in ("tests", "bench", "arm64") and
             not any(f in str(p.relative_to(build)) for f in FOREIGN)]
    listing = subprocess.run(["nm", "--defined-only", "-A", *paths], capture_output=True, text=True).stdout
    for line in listing.splitlines():
        path, _, symbol = line.partition(":")
        if symbol.split()[1] == "T":
            out.setdefault(symbol.split()[2], pathlib.Path(path).name)
    return out


def main():
    source, build = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    public = set(re.findall(r"\blull_\w+", " ".join(p.read_text() for p in (source / "include").rglob("*.h"))))
    seen = collections.Counter()
    for folder in (source / "src", source / "tests", build / "src"):
        for p in folder.rglob("*.[ch]"):
            text = re.sub(r"//[^\n]*|/\*.*?\*/", "", p.read_text(errors="replace"), flags=re.S)
            if p.suffix == ".h":  # A prototype is not a call, an inline function's body may be one.
                text = re.sub(r"^\w[\w *]*\([^{;]*\);", "", text, flags=re.M)
            seen.update(re.findall(r"\w+", text))
    bad = 0
    for name, where in sorted(defined(build).items(), key=lambda item: (item[1], item[0])):
        if name in public or name == "main" or name.startswith(PASTED):
            continue
        if seen[name] < 2:
            print(f"{where}: nothing calls {name}()")
            bad = 1
    return bad


if __name__ == "__main__":
    sys.exit(main())
