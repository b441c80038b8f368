#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Nine compute shaders on lull's gfx1100 under RADV and on lavapipe, on one thread and on all, in turn; on its a660 under Turnip; and the same work as C with vectors,
and in OpenCL C.

nine.py LULL SHADERS [RESULTS.jsonl] [--rounds N] [--only NAME] [--devices LIST] [--dispatches N] [--lavapipe ICD.json]

A time is that of one dispatch: the difference of several dispatches and one, of the whole command with all that it starts, CPU and wall, each
the least or the median of the rounds; - where the difference is less than the noise. What each device computes is compared with lavapipe's on one thread. CPU, drivers and
compiler are named. The C (nine_native.c, one thread) is compiled here by cc -O3 -march=native, and so is what runs the OpenCL C (nine.cl) on the first
OpenCL device that is a CPU, such as Debian's pocl-opencl-icd, where there is one (and libOpenCL.so.1 and its headers). lavapipe is what the Vulkan loader finds, or what --lavapipe names.
"""
import argparse
import array
import json
import math
import os
import pathlib
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

NATIVE = "C 1"
OPENCL = "pocl 1"
NATIVE_FLAGS = ["-std=gnu17", "-O3", "-march=native", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-w"]
# Name, shader, groups, buffers, words; what is compared and how: exact words, floats, or a few words that rounding makes others.
CASES = [
    ("saxpy, 1 Mi numbers", "saxpy.comp", "16384", ["0.0=iota:1048576:f32", "0.1=rand:1:1048576:f32"], ["--push", "f32:2.5,u32:1048576"], "float"),
    ("sgemm in tiles, 256 x 256", "matmul.comp", "16,16", ["0.0=zeros:262144", "0.1=rand:1:65536:f32", "0.2=rand:2:65536:f32"],
     ["--push", "u32:256"], "float"),
    ("Mandelbrot, 512 x 256, 200 rounds", "mandelbrot.comp", "64,32", ["0.0=zeros:524288"],
     ["--push", "u32:512,256,200", "-DW=512.0", "-DH=256.0"], "few"),
    ("SHA-256, 16 Ki messages", "sha256.comp", "256", ["0.0=zeros:524288", "0.1=rand:3:131072:u32"], [], "exact"),
    ("n bodies, 1024", "nbody.comp", "16", ["0.0=zeros:16384", "0.1=rand:4:4096:f32"], [], "float"),
    ("sum, 1 Mi numbers", "reduce.comp", "4096", ["0.0=zeros:16388", "0.1=rand:5:1048576:u32"], [], "exact"),
    ("prefix sums, 512 Ki numbers", "scan.comp", "1024", ["0.0=rand:6:524288:u32"], [], "exact"),
    ("histogram, 512 Ki words", "histogram.comp", "2048", ["0.0=zeros:1024", "0.1=rand:7:524288:u32"], [], "exact"),
    ("CRC-32, 16 Ki messages", "crc.comp", "256", ["0.0=zeros:65536", "0.1=rand:8:262144:u32"], [], "exact"),
]
ALL = len(os.sched_getaffinity(0))
# Turnip is arm64 (tools/arm64-root.sh); an emulator runs it, in the same command.
HAS_ARM64 = (pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve().parent / "arm64/complete").exists()
# Words, and threads of lavapipe. The first is what the others are compared with.
DEVICES = {
    "lavapipe 1": (["--vulkan-device", "lavapipe"], 1),
    "lull 1": (["--threads", "1", "--engine", "jit"], 1),
    "interpreted 1": (["--threads", "1", "--engine", "interp"], 1),
    f"lavapipe {ALL}": (["--vulkan-device", "lavapipe"], ALL),
    f"lull {ALL}": (["--threads", str(ALL), "--engine", "jit"], ALL),
    **({"lull a660": (["--gpu", "a660", "--engine", "jit"], 1), "interpreted a660": (["--gpu", "a660", "--engine", "interp"], 1)} if HAS_ARM64 else {}),
    OPENCL: ([], 1),
    NATIVE: ([], 1),
}


def seconds():
    """CPU time of commands that have ended, and the clock."""
    r = resource.getrusage(resource.RUSAGE_CHILDREN)
    return r.ru_utime + r.ru_stime, time.monotonic()


def environment(a, device):
    """Of a command: threads of lavapipe, and which it is."""
    env = dict(os.environ, LP_NUM_THREADS=str(DEVICES[device][1]))
    if device == OPENCL:
        env.update(POCL_MAX_PTHREAD_COUNT="1", POCL_CACHE_DIR=str(a.place / "pocl"))
    if a.lavapipe and device.startswith("lavapipe"):  # Both names, for old and new loaders.
        env.update(VK_DRIVER_FILES=a.lavapipe, VK_ICD_FILENAMES=a.lavapipe)
    return env


def more(a, device):
    """Dispatches beyond the first."""
    return 256 if device == NATIVE else 64 if device == OPENCL else a.dispatches


def compile_native(place):
    """The C for this machine."""
    out = pathlib.Path(place) / "nine_native"
    subprocess.run(["cc", *NATIVE_FLAGS, pathlib.Path(__file__).with_name("nine_native.c"), "-o", out, "-lm"], check=True)
    return out


def compile_opencl(place):
    """What runs the OpenCL C, and the name of its device; None where there is none."""
    out = pathlib.Path(place) / "nine_opencl"
    shutil.copy(pathlib.Path(__file__).with_name("nine.cl"), place)
    r = subprocess.run(["cc", "-O2", "-w", pathlib.Path(__file__).with_name("nine_opencl.c"), "-o", out, "-l:libOpenCL.so.1"], capture_output=True, check=False)
    r = subprocess.run([out], capture_output=True, text=True, check=False) if r.returncode == 0 else r
    return (out, r.stdout.strip()) if r.returncode == 0 else (None, None)


def buffers(a, case):
    """Files with what each buffer of a case starts as, written by a shader that only reads it."""
    files = []
    for bind in case[3]:
        spec = bind.split("=", 1)[1]
        name = a.place / spec.replace(":", "-")
        if spec.startswith("zeros:"):
            name.write_bytes(bytes(int(spec.split(":")[1])))
        elif not name.exists():
            subprocess.run([a.lull, "run", a.shaders / "reduce.comp", "--groups", "1", "--bind", "0.0=zeros:16388", "--bind", f"0.1={spec}",
                            "--out", f"0.1={name}", "--vulkan-device", "lavapipe"], check=True, capture_output=True)
        files.append(name)
    return files


def command(a, case, device, repeat, out):
    """A case on a device, so many dispatches; where its first buffer goes, or None."""
    _, shader, groups, binds, args, _ = case
    if device in (NATIVE, OPENCL):
        return [a.native if device == NATIVE else a.opencl, pathlib.Path(shader).stem, str(repeat), out or "-", *buffers(a, case)]
    words = ["--repeat", str(repeat), *(["--out", f"0.0={out}"] if out else [])]
    return [a.lull, "run", a.shaders / shader, "--groups", groups, *sum((["--bind", b] for b in binds), []), *args, *DEVICES[device][0], *words]


def run(a, case, device, repeat, out=None):
    """CPU and wall time of a command, in seconds."""
    shader = case[1]
    line = command(a, case, device, repeat, out)
    before = seconds()
    r = subprocess.run(line, capture_output=True, text=True, env=environment(a, device), check=False)
    after = seconds()
    if r.returncode != 0:
        sys.exit(f"nine: {shader} on {device}: status {r.returncode}: {r.stdout}{r.stderr}")
    return tuple(y - x for x, y in zip(before, after))


def result(a, case, device):
    """The words of the first buffer after one dispatch."""
    out = a.place / "out"
    run(a, case, device, 1, out)
    return array.array("f" if case[5] == "float" else "I", out.read_bytes())


def same(kind, got, want):
    if kind == "float":
        return len(got) == len(want) and all(math.isclose(x, y, rel_tol=1e-4, abs_tol=1e-4) for x, y in zip(got, want))
    if kind == "few":
        return len(got) == len(want) and sum(x != y for x, y in zip(got, want)) * 100 <= len(want)
    return got == want


def measure(a, case):
    """By device and clock: the least and the median, in milliseconds."""
    times = {(d, n): [] for d in a.devices for n in (1, 1 + more(a, d))}
    first = next(iter(a.devices))
    want = result(a, case, first)
    for device in a.devices:
        if device != first and not same(case[5], result(a, case, device), want):
            sys.exit(f"nine: {case[0]}: {device} computes something else than {first}")
    for _ in range(a.rounds):
        for device, repeat in times:
            times[device, repeat].append(run(a, case, device, repeat))

    def dispatch(device, clock, of):
        one, many = (of(t[clock] for t in times[device, n]) for n in (1, 1 + more(a, device)))
        return (many - one) / more(a, device) * 1e3 if many > one else None  # None: lost in the noise

    return {d: {n: {"min": dispatch(d, k, min), "median": dispatch(d, k, statistics.median)} for k, n in enumerate(("cpu", "wall"))} for d in a.devices}


def versions(a):
    """The CPU, the drivers as Vulkan names them, and the compiler."""
    cpu = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    flags = pathlib.Path("/proc/cpuinfo").read_text().split()
    widest = next((w for f, w in (("avx512f", "AVX-512"), ("avx2", "AVX2")) if f in flags), "SSE2")
    r = subprocess.run(["vulkaninfo", "--summary"], capture_output=True, text=True, env=environment(a, "lavapipe 1"), check=False)
    driver = re.search(r"driverID\s*= DRIVER_ID_MESA_LLVMPIPE.*?driverInfo\s*= ([^\n]*)", r.stdout, re.S)
    cc = subprocess.run(["cc", "--version"], capture_output=True, text=True, check=False).stdout.split("\n")[0]
    return (f"{cpu[1] if cpu else 'CPU unknown'}, {widest}, {ALL} processors; lavapipe: {driver[1] if driver else 'version unknown'}; "
            f"{f'pocl: {a.opencl_name}; ' if OPENCL in a.devices else ''}C: {cc} {' '.join(NATIVE_FLAGS[1:3])}")


def text(ms):
    return "-" if ms is None else f"{ms:.2f}"


def table(a):
    """All cases, a line each, and what they come to."""
    print(versions(a))
    print(f"load {os.getloadavg()[0]:.1f}; ms of a dispatch, CPU least (median) and wall least (median)\n")
    print(f"{'shader':36}" + "".join(f"{d:>30}" for d in a.devices), flush=True)
    ratios, native, opencl, scaling = [], [], [], []
    for case in (c for c in CASES if a.only is None or a.only in c[1]):
        ms = measure(a, case)
        print(f"{case[0]:36}" + "".join(" ".join(f"{text(t[c]['min'])} ({text(t[c]['median'])})" for c in t).rjust(30) for t in ms.values()), flush=True)
        for to, clock, over, under in ((ratios, "cpu", "lull 1", "lavapipe 1"), (native, "cpu", "lull 1", NATIVE), (opencl, "cpu", "lull 1", OPENCL),
                                      (scaling, "wall", "lull 1", f"lull {ALL}")):
            pair = [ms[d][clock]["min"] if d in ms else None for d in (over, under)]
            if None not in pair:
                to.append(pair[0] / pair[1])
        if a.results:
            with open(a.results, "a", encoding="utf-8") as out:
                out.write(json.dumps({"bench": "nine", "shader": case[0], "ms": ms, "on": versions(a)}) + "\n")
    for of, what in ((ratios, "CPU time of lull on one thread / lavapipe's"), (native, "the same / C's"), (opencl, "the same / pocl's"),
                     (scaling, f"wall time of one thread / of {ALL}")):
        if of:
            print(f"{what}, geometric mean of {len(of)}: {statistics.geometric_mean(of):.2f}")


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("lull")
    p.add_argument("shaders", type=pathlib.Path)
    p.add_argument("results", nargs="?")
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--only", help="shaders whose name has this")
    p.add_argument("--devices", default=",".join(DEVICES), help="which, with commas between; the first is what the others are compared with")
    p.add_argument("--dispatches", type=int, default=16, help="beyond the first: more of them are steadier on a busy machine")
    p.add_argument("--lavapipe", metavar="ICD.json", help="another lavapipe than the installed one")
    a = p.parse_args()
    a.devices = a.devices.split(",")
    if set(a.devices) - set(DEVICES):
        p.error(f"--devices: of {', '.join(DEVICES)}")
    with tempfile.TemporaryDirectory() as d:
        a.place = pathlib.Path(d)
        a.native = compile_native(d)
        a.opencl, a.opencl_name = compile_opencl(d) if OPENCL in a.devices else (None, None)
        if a.opencl is None and OPENCL in a.devices:
            print("no OpenCL device that is a CPU (pocl-opencl-icd, ocl-icd-libopencl1, opencl-c-headers): its column is left out")
            a.devices.remove(OPENCL)
        table(a)


if __name__ == "__main__":
    main()
