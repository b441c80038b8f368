#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""--threads: threads.py LULL SOURCE. What a program without races computes is the same with any number; where an order is asked for,
it is that of one thread, and lull says so."""
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

# A sanitized lull starts itself once more under the shim, with drivers that are not sanitized.
os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"
lull, source = sys.argv[1], pathlib.Path(sys.argv[2])
ITEMS = 1 << 15

COUNTS = """kernel void counts(global uint *out, global uint *sums)
{
    local uint tile[64];
    const uint i = get_global_id(0), l = get_local_id(0);
    tile[l] = i * i;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint v = tile[63 - l];
    for (uint k = 0; k < 1 + get_group_id(0) % 32; k++) {
        v = v * 1664525u + 1013904223u;
    }
    out[i] = v;
    atomic_add(&sums[i % 7], i);
    atomic_xor(&sums[7], v);
}
"""


def expected():
    """By the definition of the kernel."""
    out, sums = [], [0] * 8
    for i in range(ITEMS):
        group, mirror = i // 64, i // 64 * 64 + 63 - i % 64
        v = mirror * mirror & 0xffffffff
        for _ in range(1 + group % 32):
            v = (v * 1664525 + 1013904223) & 0xffffffff
        out.append(v)
        sums[i % 7] = (sums[i % 7] + i) & 0xffffffff
        sums[7] ^= v
    return struct.pack(f"{ITEMS}I", *out), struct.pack("8I", *sums)


def run(*words):
    return subprocess.run([lull, *map(str, words)], capture_output=True, text=True, timeout=300, check=False)


LONG = """kernel void rounds(global uint *out)
{
    uint v = get_global_id(0);
    for (uint k = 0; k < 2000; k++) {
        v = v * 1664525u + 1013904223u;
    }
    out[get_global_id(0)] = v;
}
"""


def most_threads(words, **env):
    """The most threads that were seen of a run."""
    most = 0
    with subprocess.Popen([lull, "run", *map(str, words)], env=dict(ENV, **env), stdout=subprocess.DEVNULL) as p:
        while p.poll() is None:
            try:
                most = max(most, len(os.listdir(f"/proc/{p.pid}/task")))
            except FileNotFoundError:
                break
            time.sleep(0.001)
        return most if p.wait() == 0 else None


def seen(words, wanted, **env):
    """The same; once more, and again, where fewer than wanted were seen: on a busy machine a run may be over between two looks."""
    got = most_threads(words, **env)
    for _ in range(2):
        got = most_threads(words, **env) if got is not None and got < wanted else got
    return got


def usual(place):
    """Without --threads: LULL_THREADS, or the processors that lull may use."""
    (place / "rounds.cl").write_text(LONG)
    words = [place / "rounds.cl", "--grid", 32768, "--block", 64, "--arg", "zeros:131072"]
    for n in ("1", "3"):
        got = seen(words, int(n), LULL_THREADS=n)
        case(f"LULL_THREADS {n}", got == int(n), f"{got} threads")
    want = len(os.sched_getaffinity(0))
    got = seen(words, min(want, 256))
    case("one for each processor", got == min(want, 256), f"{got} threads on {want} processors")
    for n in ("0", "257", "two"):
        r = subprocess.run([lull, "run", *map(str, words)], env=dict(ENV, LULL_THREADS=n), capture_output=True, text=True, check=False)
        case(f"refused: LULL_THREADS {n}", r.returncode not in (0, 1) and r.stderr.startswith("lull run: LULL_THREADS: "), (r.returncode, r.stderr))
    r = subprocess.run([lull, "run", *map(str, words), "--threads", "2"], env=dict(ENV, LULL_THREADS="two"), capture_output=True, text=True, check=False)
    case("--threads comes first", r.returncode == 0 and r.stderr == "", (r.returncode, r.stderr))


ENV = {k: v for k, v in os.environ.items() if k != "LULL_THREADS"}
with tempfile.TemporaryDirectory() as d:
    place = pathlib.Path(d)
    (place / "counts.cl").write_text(COUNTS)
    want = expected()
    args = [place / "counts.cl", "--grid", ITEMS, "--block", 64, "--arg", f"zeros:{4 * ITEMS}:out={d}/out", "--arg", f"zeros:32:out={d}/sums"]
    for words in (["--threads", "1"], ["--threads", "2"], ["--threads", "5"], [], ["--threads", "3", "--engine", "jit"], ["--threads", "3", "--wave", "64"]):
        r = run("run", *args, *words)
        if "without the compiler of waves" in r.stderr or "has not got AVX2" in r.stderr:
            continue
        got = tuple((place / n).read_bytes() for n in ("out", "sums")) if r.returncode == 0 else None
        case("counts " + " ".join(words), got == want and r.stderr == "", (r.returncode, r.stdout, r.stderr))
    # A kind of host that there is not is an error where waves are compiled, and nobody asks where they are not.
    os.environ["LULL_JIT"] = "none"
    for words, compiled in (([], True), (["--engine", "jit"], True), (["--engine", "interp"], False), (["--seed", "0"], False)):
        r = run("run", *args, *words)
        case("--engine auto, with " + (" ".join(words) or "nothing"), "'none' is not a target" in r.stderr if compiled else r.returncode == 0 and r.stderr == "", r.stderr)
    del os.environ["LULL_JIT"]
    for words, order in ((["--seed", "0"], "--seed"), (["--check", "race"], "--check"), (["--printf"], "--printf")):
        r = run("run", *args, "--threads", "2", *words)
        said = f"lull run: --threads 2: one thread runs all, in the order that {order} needs\n"
        case(f"says that {order} needs an order", r.stderr.startswith(said), r.stderr)
        case(f"not without --threads, {order}", "thread" not in run("run", *args, *words).stderr, "")
    shader = [source / "tests/vulkan/shaders/sha256.comp", "--groups", "64", "--bind", "0.0=zeros:131072", "--bind", "0.1=rand:3:32768:u32"]
    runs = [run("run", *shader, "--threads", t, "--out", f"0.0={d}/sha{t}") for t in (1, 4)]
    case("a Vulkan shader", [r.returncode for r in runs] == [0, 0] and (place / "sha1").read_bytes() == (place / "sha4").read_bytes(),
         [r.stderr for r in runs])
    for words in (["--threads", "0"], ["--threads", "257"], ["--threads", "two"], ["--threads", "2", "--device", "/dev/dri/renderD200"]):
        r = run("run", *args, *words)
        case("refused: " + " ".join(words[:2]), r.returncode not in (0, 1) and "--threads" in r.stderr and r.stderr.count("\n") == 2, (r.returncode, r.stderr))
    r = run("exec", "--gpu", "a660", "--threads", "2", "--", "true")
    case("refused for an Adreno", r.returncode not in (0, 1) and "--threads is for gfx1100, not for a660" in r.stderr, (r.returncode, r.stderr))
    usual(place)
end()
