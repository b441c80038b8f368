#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The programs in examples/: they compile, and on the model they compute what the host computes.

run.py compile EXAMPLES         each with clang-19 and ld.lld-19, at -O0 and -O2
run.py run EXAMPLES LULL EXPECT each with `LULL run`; EXPECT (expect.c) or hashlib says what must come out
run.py NAMES...                 with an example's name added: only that one

One TAP line for each example and optimisation.
"""
import array
import hashlib
import pathlib
import random
import subprocess
import sys
import tempfile

TARGET = ["clang-19", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1100"]
FIRST_LINES = 12  # of stderr, in a failure


class Failed(Exception):
    pass


def command(*args, status=0, timeout=100):
    """Output of a command that must end with @p status."""
    args = [str(a) for a in args]
    try:
        r = subprocess.run(args, capture_output=True, text=True, timeout=timeout, errors="replace")
    except (OSError, subprocess.TimeoutExpired) as e:
        raise Failed(str(e)) from None
    if r.returncode != status:
        lines = (r.stderr.strip() or r.stdout.strip()).splitlines()[:FIRST_LINES]
        raise Failed(f"status {r.returncode}, want {status}: {' '.join(args)}\n" + "\n".join(lines))
    return r.stdout + r.stderr


def compile_one(source, level, work):
    language = ["-x", "cl", "-nogpulib", f"-O{level}", "-Wall", "-Wextra", "-Werror"] if source.suffix == ".cl" else []
    obj, code = work / "a.o", work / "a.co"
    command(*TARGET, *language, "-c", source, "-o", obj)
    command("ld.lld-19", "-shared", "--no-undefined", obj, "-o", code)


class Case:
    """One example at one optimisation: its inputs, the run, what must come out."""

    def __init__(self, examples, lull, expect, work, level):
        self.examples, self.lull, self.tool, self.work, self.level = examples, lull, expect, work, level
        self.random = random.Random(11)

    def file(self, name, kind, values):
        path = self.work / name
        path.write_bytes(array.array(kind, values).tobytes())
        return path

    def u32(self, name, n):
        return self.file(name, "I", (self.random.getrandbits(32) for _ in range(n)))

    def f32(self, name, n):
        return self.file(name, "f", (self.random.uniform(-8, 8) for _ in range(n)))

    def expect(self, name, *args):
        """Run expect.c's @p name; its first output's bytes."""
        out = self.work / "want"
        command(self.tool, name, out, *args)
        return out.read_bytes()

    def run(self, source, grid, block, *args, status=0):
        optimise = [f"-O{self.level}"] if source.endswith(".cl") else []
        tail = [word for a in args for word in ("--arg", a)]
        return command(self.lull, "run", self.examples / source, "--grid", grid, "--block", block, *tail, *optimise,
                       status=status)

    def same(self, name, want):
        path = self.work / name
        got = path.read_bytes() if path.exists() else b""
        if got == want:
            return
        at = next((i for i, (g, w) in enumerate(zip(got, want)) if g != w), min(len(got), len(want)))
        raise Failed(f"{name}: {len(got)} bytes, want {len(want)}; first difference at byte {at} (dword {at // 4}): "
                     f"got {got[at & ~3:][:8].hex()}, want {want[at & ~3:][:8].hex()}")

    def out(self, name):
        return f"out={self.work / name}"


def saxpy(c):
    x, y = c.f32("x", 1024), c.f32("y", 1024)
    c.run("saxpy.cl", 1024, 256, f"buffer:{y}:{c.out('got')}", f"buffer:{x}", "f32:2.5", "i32:1000")
    c.same("got", c.expect("saxpy", y, x, "2.5", 1000))


def reduce(c):
    data = c.u32("in", 2000)
    c.run("reduce.cl", 2048, 256, f"zeros:32:{c.out('got')}", f"buffer:{data}", "i32:2000")
    c.same("got", c.expect("reduce", data, 2000))


def sgemm_tiled(c):
    a, b = c.f32("a", 64 * 64), c.f32("b", 64 * 64)
    c.run("sgemm_tiled.cl", "64,64", "16,16", f"zeros:{64 * 64 * 4}:{c.out('got')}", f"buffer:{a}", f"buffer:{b}",
          "i32:64")
    c.same("got", c.expect("sgemm", a, b, 64))


def sha256(c):
    path = c.examples / "sha256.cl"
    data = path.read_bytes()
    c.run("sha256.cl", 64, 64, f"zeros:{64 * 32}:{c.out('got')}", f"buffer:{path}", f"i32:{len(data)}")
    c.same("got", b"".join(hashlib.sha256(data[:len(data) - i]).digest() for i in range(64)))
    first = command("sha256sum", path).split()[0]
    if (c.work / "got").read_bytes()[:32].hex() != first:
        raise Failed(f"sha256sum says {first}")


def mandelbrot(c):
    c.run("mandelbrot.cl", "128,64", "32,2", f"zeros:{128 * 64 * 4}:{c.out('got')}", "i32:128", "i32:64", "i32:100")
    c.same("got", c.expect("mandelbrot", 128, 64, 100))


def scan(c):
    data = c.u32("in", 1024)
    c.run("scan.cl", 1024, 1024, f"zeros:4096:{c.out('got')}", f"zeros:4096:{c.out('got2')}", f"buffer:{data}")
    want2 = c.work / "want2"
    c.same("got", c.expect("scan", want2, data))
    c.same("got2", want2.read_bytes())


def bitonic(c):
    data = c.u32("in", 1024)
    c.run("bitonic.cl", 512, 512, f"buffer:{data}:{c.out('got')}")
    c.same("got", c.expect("sort", data))


def nbody64(c):
    bodies = c.file("bodies", "d", (c.random.uniform(-100, 100) for _ in range(96 * 4)))
    c.run("nbody64.cl", 128, 64, f"zeros:{96 * 24}:{c.out('got')}", f"buffer:{bodies}", "i32:96")
    c.same("got", c.expect("nbody", bodies, 96))


def scratch(c):
    data = c.u32("in", 96 * 32)
    c.run("scratch.cl", 96, 32, f"zeros:{96 * 4}:{c.out('got')}", f"buffer:{data}")
    c.same("got", c.expect("scratch", data))


def simple(c):
    c.run("simple.s", 64, 64, f"zeros:256:{c.out('got')}")
    c.same("got", array.array("I", (i * 3 + 1 for i in range(64))).tobytes())


def loop(c):
    c.run("loop.s", 256, 256, f"zeros:1024:{c.out('got')}")
    c.same("got", array.array("I", (250 * (i + 1) for i in range(256))).tobytes())


def oob_store(c):
    said = c.run("oob_store.cl", 128, 128, "zeros:512", status=1)
    if "fault" not in said:
        raise Failed(f"no word of a fault: {said}")


def hang(c):
    said = c.run("hang.cl", 32, 32, "zeros:128", status=124)
    if "hang" not in said and "timeout" not in said:
        raise Failed(f"no word of a hang: {said}")


CASES = {f.__name__: f for f in (saxpy, reduce, sgemm_tiled, sha256, mandelbrot, scan, bitonic, nbody64, scratch,
                                 simple, loop, oob_store, hang)}


def levels(source):
    return (0, "g", 2) if source.suffix == ".cl" else (2,)


def main():
    mode, examples = sys.argv[1], pathlib.Path(sys.argv[2])
    only = sys.argv[3 if mode == "compile" else 5:]
    sources = sorted(p for p in examples.iterdir() if p.suffix in (".cl", ".s") and (not only or p.stem in only))
    todo = [(s, level) for s in sources for level in levels(s)]
    print(f"1..{len(todo)}")
    bad = 0
    for n, (source, level) in enumerate(todo, 1):
        why = ""
        with tempfile.TemporaryDirectory() as work:
            try:
                if mode == "compile":
                    compile_one(source, level, pathlib.Path(work))
                elif source.stem not in CASES:
                    raise Failed("no case in run.py")
                else:
                    lull, expect = sys.argv[3:5]
                    CASES[source.stem](Case(examples, lull, expect, pathlib.Path(work), level))
            except Failed as e:
                why = str(e)
        bad += bool(why)
        print(f"{'not ok' if why else 'ok'} {n} - {mode} {source.name}" + (f" -O{level}" if len(levels(source)) > 1 else ""))
        if why:
            print("\n".join("# " + line for line in why.splitlines()), flush=True)
    sys.exit(bad != 0)


if __name__ == "__main__":
    main()
