#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turn data/fmt/vulkan.formats into a C table, with numbers and bits out of data/fmt/gfx11.fmt, numbers of older GPUs out of buffers.fmt.

    vkfmt.py vulkan.formats gfx11.fmt buffers.fmt OUT.c

Standard library only; the same input gives the same bytes. Faults are reported as FILE:LINE: MESSAGE.
"""
import re
import sys

BUFFERS = 63  # the last format that buffers have
KINDS = {"unorm": "UNORM", "snorm": "SNORM", "uscaled": "USCALED", "sscaled": "SSCALED", "uint": "UINT", "sint": "SINT", "float": "FLOAT",
         "ufloat": "FLOAT", "srgb": "SRGB"}


def rows(path, columns):
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            line = line.split("#")[0].strip()
            if not line or line.startswith("source "):
                continue
            fields = [c.strip() for c in line.split("|")]
            if len(fields) != columns:
                sys.exit(f"{path}:{number}: {len(fields)} columns, {columns} are needed")
            yield f"{path}:{number}", fields


def gpu_formats(path):
    """Name: number, bits of components, kind of the first one."""
    out = {}
    for _, (number, name, components, kind, _) in rows(path, 5):
        bits = [int(b) for b in re.findall(r"\b[XYZW](\d+)", components)]
        if bits and kind in KINDS:
            out[name] = (int(number), bits, kind)
    return out


def older_formats(path):
    """Name: number on gfx9, as LLVM's intrinsics have it (data format, then number format), and on gfx10."""
    return {name: (int(data) | int(number) << 4, int(gfx10)) for _, (name, data, number, gfx10) in rows(path, 4)}


def main():
    formats, older, seen, out = gpu_formats(sys.argv[2]), older_formats(sys.argv[3]), set(), []
    for where, (name, whole, part, order, use) in rows(sys.argv[1], 5):
        for n in (whole, part):
            if n != "-" and n not in formats:
                sys.exit(f"{where}: gfx11.fmt has no plain format '{n}'")
        if name in seen or sorted(order) != sorted("rgba") or use not in ("v", "c", "vc") or whole == part == "-":
            sys.exit(f"{where}: '{name}' stands twice, or its order, use or formats are wrong")
        seen.add(name)
        if "v" in use and order not in ("rgba", "bgra"):
            sys.exit(f"{where}: vertex fetches exchange red and blue only")
        components = len(re.findall(r"[RGBA]\d+", name))
        wide = "64" in re.findall(r"\d+", name)
        _, bits, kind = formats[whole if whole != "-" else part]
        size = sum(formats[whole][1]) if whole != "-" else components * sum(formats[part][1])
        code = formats[whole][0] if whole != "-" and formats[whole][0] <= BUFFERS else 0
        one = formats[part] if part != "-" else (0, [0], "")
        if "v" in use and not code and not one[0] or size % 8 or whole != "-" and len(bits) != components:
            sys.exit(f"{where}: '{name}': buffers have no such format, or the components are others")
        for n, number in ((whole, code), (part, one[0])):
            if number and n not in older:
                sys.exit(f"{where}: buffers.fmt has no format '{n}'")

        def numbers(n, newest):
            return "{" + ", ".join(map(str, [*(older[n] if newest else (0, 0)), newest])) + "}"

        flags = [str(v).lower() for v in (wide, order == "bgra", "v" in use, "c" in use)]
        out.append(f'    {{"{name}", LULL_VKFORMAT_{KINDS[kind]}, {components}, {size // 8}, {64 if wide else max(bits)}, {numbers(whole, code)}, '
                   f'{numbers(part, one[0])}, '
                   f'{sum(one[1]) // 8}, {", ".join(flags)}}},')
    with open(sys.argv[4], "w", encoding="utf-8") as f:
        f.write("// SPDX-License-Identifier: MIT\n// Made by gen/vkfmt.py. Do not edit.\n#include \"link/vkformat.h\"\n\n"
                "const struct lull_vkformat lull_vkformats[] = {\n" + "\n".join(out) + "\n};\n"
                f"const unsigned lull_nvkformats = {len(out)};\n")


main()
