# SPDX-License-Identifier: MIT
"""What the tests of the linker share: TAP, LLVM's assembler, and readers of ELF and MessagePack of their own."""
import json
import pathlib
import struct
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import tap  # noqa: E402
from tap import case  # noqa: E402, F401


def tool(*args):
    r = subprocess.run([*map(str, args)], capture_output=True, text=True)
    return r.returncode, r.stdout, r.stderr


def run(lull, command, *args, timeout=60):
    r = subprocess.run([lull, command, *map(str, args)], capture_output=True, text=True, timeout=timeout)
    return r.returncode, r.stdout, r.stderr


def assemble(work, name, text, cpu="gfx1100", abi="amdpal"):
    """An object of LLVM's assembler; the path."""
    path = pathlib.Path(work) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["llvm-mc-19", f"-triple=amdgcn-amd-{abi}", f"-mcpu={cpu}", "-filetype=obj", "-o", path],
                   input=text, text=True, check=True)
    return path


def shader(stage, body, metadata="", cpu="gfx1100", extra="", pipeline="", tail=""):
    """Assembly of a shader: its code, the YAML of its hardware stage, of the pipeline, of the document."""
    name = f"_amdgpu_{stage}_main"
    return f"""{extra}
.text
.p2align 8
.globl {name}
.type {name},@function
{name}:
{body}
.size {name}, .-{name}
.amd_amdgpu_isa "amdgcn-amd-amdpal--{cpu}"
.amdgpu_pal_metadata
---
amdpal.version: [3, 0]
amdpal.pipelines:
  - .hardware_stages:
      .{stage}:
        .entry_point: {name}
{metadata}
{pipeline}
{tail}
...
.end_amdgpu_pal_metadata
"""


class Elf:
    """Read with nothing but the ELF specification."""

    def __init__(self, path):
        self.b = b = pathlib.Path(path).read_bytes()
        assert b[:6] == b"\x7fELF\2\1", path
        self.shoff, = struct.unpack_from("<Q", b, 40)
        self.flags, = struct.unpack_from("<I", b, 48)
        n, names = struct.unpack_from("<HH", b, 60)
        self.sections = []
        for i in range(n):
            f = struct.unpack_from("<IIQQQQIIQQ", b, self.shoff + 64 * i)
            self.sections.append(dict(zip("name type flags address offset size link info align entsize".split(), f)))
        strings = self.data(self.sections[names])
        for s in self.sections:
            s["name"] = self.text(strings, s["name"])
        self.symbols = []
        for s in self.sections:
            if s["type"] == 2:
                table, strings = self.data(s), self.data(self.sections[s["link"]])
                for i in range(len(table) // 24):
                    name, info, other, section, value, size = struct.unpack_from("<IBBHQQ", table, 24 * i)
                    self.symbols.append({"name": self.text(strings, name), "type": info & 15, "binding": info >> 4,
                                         "section": section, "value": value, "size": size})

    @staticmethod
    def text(strings, at):
        return strings[at:strings.index(b"\0", at)].decode()

    def data(self, s):
        return self.b[s["offset"]:s["offset"] + s["size"]]

    def named(self, name):
        return next(s for s in self.sections if s["name"] == name)

    def code(self):
        return self.data(self.named(".text"))

    def word(self, at):
        return struct.unpack_from("<I", self.code(), at)[0]

    def relocs(self, name):
        d = self.data(self.named(name))
        return [struct.unpack_from("<QII", d, i) for i in range(0, len(d), 16)]

    def notes(self):
        d, out = self.data(self.named(".note")), []
        while d:
            n, size, kind = struct.unpack_from("<III", d)
            out.append((d[12:12 + n - 1].decode(), kind, d[12 + (n + 3 & ~3):][:size]))
            d = d[12 + (n + 3 & ~3) + (size + 3 & ~3):]
        return out

    def metadata(self):
        return unpack(next(d for o, k, d in self.notes() if k == 32))


def unpack(b):
    """MessagePack to Python; of maps and arrays, the forms that LLVM writes."""
    at = 0

    def take(n):
        nonlocal at
        at += n
        return b[at - n:at]

    def big(n):
        return int.from_bytes(take(n), "big")

    def one():
        h = big(1)
        if h < 0x80:
            return h
        if h >= 0xe0:
            return h - 256
        if h < 0x90:
            return {one(): one() for _ in range(h & 15)}
        if h < 0xa0:
            return [one() for _ in range(h & 15)]
        if h < 0xc0:
            return take(h & 31).decode("latin1")
        if 0xcc <= h <= 0xcf:
            return big(1 << (h - 0xcc))
        if 0xd9 <= h <= 0xdb:
            return take(big(1 << (h - 0xd9))).decode("latin1")
        if h in (0xdc, 0xdd):
            return [one() for _ in range(big(2 * (h - 0xdb)))]
        if h in (0xde, 0xdf):
            return {one(): one() for _ in range(big(2 * (h - 0xdd)))}
        return {0xc0: None, 0xc2: False, 0xc3: True}[h]

    value = one()
    assert at == len(b), (at, len(b))
    return value


def layout(work, nodes, name="layout.json", **options):
    path = pathlib.Path(work) / name
    path.write_text(json.dumps({"nodes": nodes, **options}))
    return path
