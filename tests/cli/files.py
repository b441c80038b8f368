#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Files that commands write: whole or not at all, and never over what is read. files.py LULL SOURCE."""
import os
import pathlib
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

lull, source = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
env = dict(os.environ, ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0")
SMALL = 16  # bytes: less than any of the files
DUMP = "---\nkernel: 6.12\nmodule: msm\nrevision: 630 (6.3.0.2)\nregisters:\n  - { offset: 0x000840, value: 0x00800005 }\n"
PRINTS = """#version 460
#extension GL_EXT_debug_printf : require
layout(local_size_x = 4) in;
layout(binding = 0) buffer B { uint b[]; };
void main() { b[gl_GlobalInvocationID.x] += 1; debugPrintfEXT("item %u", gl_GlobalInvocationID.x); }
"""
ONES = "kernel void ones(global int *b) { b[get_global_id(0)] = 1; }\n"
LL = """target triple = "amdgcn-amd-amdhsa"
@f = addrspace(4) constant [6 x i8] c"x %u\\0A\\00"
declare i32 @printf(ptr addrspace(4), ...)
define amdgpu_kernel void @k() {
  %n = call i32 (ptr addrspace(4), ...) @printf(ptr addrspace(4) @f, i32 7)
  ret void
}
"""
HELLO = "kernel void hello(global int *b) { b[get_global_id(0)] = 1; printf(\"item %u\\n\", (uint)get_global_id(0)); }\n"


def run(args, cwd, **how):
    return subprocess.run([lull, *map(str, args)], cwd=cwd, capture_output=True, text=True, errors="replace", env=env,
                          stdin=subprocess.DEVNULL, timeout=120, **how)


def make(d):
    """What the commands read, in @d."""
    section = lambda kind, payload: struct.pack("<II", kind, len(payload)) + payload  # noqa: E731
    (d / "a.fw").write_bytes(struct.pack("<6I", 0, 0x016EE001, 0, 0x01000000, 0x08210004, 0x01000000))
    (d / "a.asm").write_text(run(["afuc", "disasm", "a.fw"], d).stdout)
    (d / "a.ir3").write_text("nop\nnop\nend\n")
    for name in ("scale.ll", "tables.json"):
        shutil.copy(source / "examples/relocatable" / name, d)
    shutil.copy(source / "tests/vulkan/shaders/saxpy.comp", d)
    (d / "prints.comp").write_text(PRINTS)
    subprocess.run(["glslangValidator", "-V", "--quiet", "prints.comp", "-o", "prints.spv"], cwd=d, check=True)
    (d / "hello.cl").write_text(HELLO)
    (d / "ones.cl").write_text(ONES)
    (d / "prints.ll").write_text(LL)
    (d / "data").write_bytes(bytes(256))
    (d / "end").write_bytes(struct.pack("<I", 0xBFB00000))  # s_endpgm
    (d / "script").write_text("start\n")
    (d / "D").mkdir()
    (d / "D/crash.devcore").write_text(DUMP)
    shader = struct.pack("<IIQ", 0, 0, 0x0300000000000000).ljust(128, b"\0")  # nop, end
    (d / "0000.vo3").write_bytes(b"".join(section(kind, payload) for kind, payload in [
        (13, struct.pack("<I", 630)), (3, struct.pack("<III", 0x2000, len(shader), 0)), (12, shader),
        (3, struct.pack("<III", 0x1000, 16, 0)), (12, struct.pack("<4I", 0x70328003, 0x00620000, 0x2000, 0)),
        (6, struct.pack("<III", 0x1000, 4, 0))]))
    (d / "a.rd").write_bytes((d / "0000.vo3").read_bytes())
    for args in (["cc", "--relocatable", "scale.ll", "-o", "scale.elf"], ["link", "scale.elf", "--layout", "tables.json", "-o", "l.elf"]):
        subprocess.run([lull, *args], cwd=d, check=True, capture_output=True)


LOOP = [source / "examples/loop.s", "--grid", "32", "--arg", "zeros:1024:name=b"]
SAXPY = ["saxpy.comp", "--vulkan-device", "lavapipe", "--groups", "1", "--push", "f32:1,u32:64", "--bind", "0.0=iota:64:f32",
         "--bind", "0.1=file:data"]
# The command with OUT for the file that it writes; what it reads; can a limit of file sizes be its full disk? (The memory
# of the GPU is a file, too.)
ROWS = {
    "afuc asm": (["afuc", "asm", "a.asm", "-o", "OUT"], ["a.asm"], True),
    "ir3 asm": (["ir3", "asm", "a.ir3", "-o", "OUT"], ["a.ir3"], True),
    "cc": (["cc", "--layout", "tables.json", "scale.ll", "-o", "OUT"], ["scale.ll", "tables.json"], True),
    "cc --printf-strings": (["cc", "--printf", "prints.ll", "-o", "new.elf", "--printf-strings", "OUT"], ["prints.ll", "new.elf"], True),
    "cc of SPIR-V": (["cc", "--printf", "prints.spv", "--strings", "new.strings", "-o", "OUT"], ["prints.spv", "new.strings"], True),
    "cc --strings of SPIR-V": (["cc", "--printf", "prints.spv", "-o", "new.spv", "--strings", "OUT"], ["prints.spv", "new.spv"], True),
    "link": (["link", "scale.elf", "--layout", "tables.json", "-o", "OUT"], ["scale.elf", "tables.json"], True),
    "rd show --sql": (["rd", "show", "--sql", "OUT", "a.rd"], ["a.rd"], True),
    "crash triage --html": (["crash", "triage", "--html", "OUT", "--sql", "new.sql", "D"], ["D/crash.devcore", "new.sql"], True),
    "crash triage --sql": (["crash", "triage", "--sql", "OUT", "D"], ["D/crash.devcore"], True),
    "cffdump --dump-shaders": (["cffdump", "--dump-shaders", "a.rd"], [], True),
    "run out=": (["run", "ones.cl", "--grid", "64", "--arg", "buffer:data:out=OUT"], ["ones.cl", "data"], False),
    "run --printf-save": (["run", "hello.cl", "--grid", "64", "--arg", "buffer:data", "--printf", "--printf-save", "OUT"],
                          ["hello.cl", "data"], False),
    "run --raw": (["run", "--raw", "end", "--grid", "1", "--block", "32", "--buffer", "256@data:out=OUT"], ["end", "data"], False),
    "run of a shader, --out": (["run", *SAXPY, "--expect", "0.1=data", "--out", "0.0=OUT"], ["saxpy.comp", "data"], False),
    "run of a pipeline, --out": (["run", "l.elf", "--layout", "tables.json", "--groups", "1", "--bind", "0.0=zeros:4096", "--bind",
                                  "0.1=zeros:4096", "--push", "u32:1,2", "--out", "0.1=OUT"], ["l.elf", "tables.json"], False),
    "printf run --out": (["printf", "run", "prints.comp", "--device", "llvmpipe", "--groups", "1", "--bind", "0.0=file:data", "--out",
                          "0.0=OUT"], ["prints.comp", "data"], False),
    "debug out=": (["debug", "ones.cl", "--grid", "64", "--arg", "buffer:data:out=OUT", "-x", "script", "-batch", "-ex", "continue"],
                   ["ones.cl", "data", "script"], False),
    "dump memory": (["debug", *LOOP, "-x", "script", "-batch", "-ex", "dump buffer b out=OUT"], ["script"], False),
}


class Place:
    """A folder with the inputs, as often as it is needed, and what is in it."""

    def __init__(self, work):
        self.inputs, self.work, self.n = work / "inputs", work, 0
        self.inputs.mkdir()
        make(self.inputs)

    def new(self):
        self.n += 1
        d = self.work / str(self.n)
        shutil.copytree(self.inputs, d)
        return d


def contents(d):
    return {p.relative_to(d).as_posix(): p.read_bytes() if p.is_file() else None for p in sorted(d.rglob("*"))}


def limit():
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_FSIZE, (SMALL, SMALL))


def over_inputs(place, name, args, inputs):
    """Every input as the output, by its name, a symbolic link and a hard link."""
    for number, path in enumerate(inputs):
        for how in ("name", "symbolic link", "hard link") if number == 0 else ("name",):
            d = place.new()
            if not (d / path).exists():  # the other output, that is not yet there
                how = "name"
            elif how == "symbolic link":
                (d / "there").symlink_to(path)
            elif how == "hard link":
                os.link(d / path, d / "there")
            before = contents(d)
            r = run([str(a).replace("OUT", path if how == "name" else "there") for a in args], d)
            debugger = "dump" in name  # a failed command of a script
            case(f"{name}: not over {path}, by {how}", r.returncode == (3 if debugger else 2) and contents(d) == before
                 and ("input and output" in r.stderr or "two outputs" in r.stderr), r)


def full(place, name, args, limited):
    """A full disk: the old file is whole, nothing is left; and a full device behind a link."""
    out = "0000.vo3" if "OUT" not in "".join(map(str, args)) else "OUT"
    for device in ([False, True] if limited else [True]):
        d = place.new()
        if device and name.endswith("sql"):
            continue  # SQLite writes no devices
        (d / out).unlink(missing_ok=True)
        if device:
            (d / out).symlink_to("/dev/full")
        else:
            (d / out).write_text("old")
        before = {} if device else contents(d)
        r = run(args, d, preexec_fn=limit if not device else None)
        sentences = [line for line in r.stderr.split("\n") if "No space left" in line or "File too large" in line or "disk" in line]
        good = len(sentences) == 1 and any(name in sentences[0] for name in (out, "new."))
        if device:
            good = good and (d / out).is_symlink()
        else:
            good = good and contents(d) == before
        case(f"{name}: a full {'device' if device else 'disk'}", good and r.returncode == 3, (r, sorted(set(contents(d)) - set(before))))


def through_link(place, name, args):
    """What a link leads to is replaced, and keeps its mode; the link stays."""
    d = place.new()
    out = "0000.vo3" if "OUT" not in "".join(map(str, args)) else "OUT"
    (d / out).unlink(missing_ok=True)
    (d / "other").mkdir()
    (d / "other/old").write_text("old")
    (d / "other/old").chmod(0o600)
    (d / out).symlink_to("other/old")
    before = set(contents(d))
    r = run(args, d)
    new = (d / "other/old").read_bytes()
    left = {p for p in set(contents(d)) - before if not p.startswith("new.")}
    case(f"{name}: through a link", r.returncode == 0 and (d / out).is_symlink() and new not in (b"old", b"")
         and (d / "other/old").stat().st_mode & 0o777 == 0o600 and not left - {"0001.vo3", "0001.fo3", "0001.co3"}, (r, left, new[:40]))


with tempfile.TemporaryDirectory() as folder:
    place = Place(pathlib.Path(folder))
    for title, (command, reads, can_limit) in ROWS.items():
        through_link(place, title, command)
        full(place, title, command, can_limit)
        over_inputs(place, title, command, reads)
    d = place.new()
    r = run(["cffdump", "--dump-shaders", "0000.vo3"], d)
    case("cffdump --dump-shaders: not over its input", r.returncode == 2 and "input and output" in r.stderr
         and (d / "0000.vo3").read_bytes() == (d / "a.rd").read_bytes(), r)
    d = place.new()
    r = run(["cffdump", "--dump-shaders", "a.rd", "0000.vo3"], d)
    case("cffdump --dump-shaders A B: B is not written over", r.returncode == 2 and "input and output" in r.stderr
         and (d / "0000.vo3").read_bytes() == (d / "a.rd").read_bytes(), r)
    d = place.new()
    (d / "b.rd").write_bytes((d / "a.rd").read_bytes())
    r = run(["cffdump", "--dump-shaders", "a.rd", "b.rd"], d)
    case("cffdump --dump-shaders A B: a file for each shader", r.returncode == 0
         and (d / "0000.vo3").read_bytes() == (d / "0001.vo3").read_bytes() != (d / "a.rd").read_bytes(), r)
    d = place.new()
    (d / "0.1.bin").symlink_to("data")
    r = run(["run", *SAXPY, "--out-dir", "."], d)
    case("run --out-dir: not over what is read", r.returncode == 2 and "input and output" in r.stderr and (d / "data").read_bytes() == bytes(256), r)
    with open(d / "stdout", "w") as f:
        subprocess.run([lull, "ir3", "asm", "a.ir3", "-o", "/dev/stdout"], cwd=d, stdout=f, check=True)
    case("/dev/stdout, and that is a file", (d / "stdout").stat().st_size == 24 and not list(d.glob(".lull*")), d)
end()
