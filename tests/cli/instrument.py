# SPDX-License-Identifier: MIT
"""lull instrument: TAP. Arguments: lull, tests/cli and tests/vulkan of the build folder.

What records hold is what the debugger shows of the same waves without them, at random instructions; what the pixels of
examples/bughunt are is computed here.
"""
import json
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import tap  # noqa: E402

lull, cli, vulkan = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else 1
# Drivers leak at exit, the shim stands before the sanitizer's library: both are not ours to check.
os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"
HISTOGRAM = [str(cli / "histogram"), str(cli / "histogram.spv")]
COMMANDS = [str(vulkan / "vulkan_commands"), "RADV", str(vulkan / "commands.spv")]
SAMPLES, LANES = 3, 64

f32 = lambda x: struct.unpack("f", struct.pack("f", x))[0]
bits = lambda x: struct.unpack("I", struct.pack("f", x))[0]
BRIGHT = [f32(i * 37 % 101 / 100) for i in range(4096)]
BIN = [int(f32(b * 256)) for b in BRIGHT]


def run(*args, timeout=100):
    r = subprocess.run([lull, *map(str, args)], capture_output=True, text=True, timeout=timeout, check=False)
    return r.returncode, r.stdout, r.stderr


def instrumented(program, *args):
    """Status, lines of the program, the shaders."""
    status, out, err = run("instrument", "--json", *args, "--", *program)
    lines = out.splitlines()
    if not lines or not lines[-1].startswith("{"):
        raise AssertionError(f"status {status}, no JSON: {out[-300:]} {err}")
    return status, lines[:-1], json.loads(lines[-1])["shaders"]


def by_invocation(shader):
    """{invocation: its records}, each record as (text, {name: dst}, {name: src})."""
    ret = {}
    for r in shader["records"]:
        values = [{v["name"]: v["bits"] for v in r[role]} for role in ("dst", "src")]
        ret.setdefault(r["invocation"], []).append((r["text"], *values))
    return ret


def pixels():
    """Each pixel's load and atomic have the values that the program's sources say."""
    status, lines, shaders = instrumented(HISTOGRAM, "--kind", "vmem")
    tap.case("the program's output and status are its own", (status, lines) == (1, ["4096 pixels, 4055 counted"]), (status, lines))
    tap.case("one shader, 4096 invocations, two instructions",
             [(s["invocations"], s["recorded"], s["missing"]) for s in shaders] == [(4096, 2, 0)], [s["symbol"] for s in shaders])
    wrong, seen = [], set()
    for records in by_invocation(shaders[0]).values():
        begins, load, atomic = records
        at = begins[2]["workgroup_x"] * LANES + begins[2]["thread_x"]
        seen.add(at)
        got = load[2]["v0"], load[1]["v0"], atomic[2]["v0"], atomic[2]["v1"]
        if got != (4 * at, bits(BRIGHT[at]), 4 * BIN[at], 1):
            wrong.append((at, got))
    tap.case("address, loaded pixel, bin: those of the sources", not wrong and len(seen) == 4096, (len(seen), wrong[:3]))


def debug(*commands):
    args = [x for c in commands for x in ("-ex", c)]
    _, out, err = run("debug", "-batch", "--json", *args, "--", *HISTOGRAM)
    objects = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
    if len(objects) < len(commands):
        raise AssertionError(f"{out[-500:]} {err}")
    return objects


def shown(answer, lane):
    return int(answer["lanes"][lane] if "lanes" in answer else answer["value"], 16)


def compare(number, record, symbol, offset):
    """Differences between a record's values and what the debugger shows in the same lanes, before and behind."""
    src, dst = [f"print ${n}" for n in record[2]], [f"print ${n}" for n in record[1]]
    answers = debug("catch dispatch", "run", f"break *{symbol}+{offset}", "continue", *src, "stepi", *dst)
    at = answers[3]
    before, behind = answers[4:4 + len(src)], answers[5 + len(src):]
    return at, dict(zip(record[2], before)), dict(zip(record[1], behind))


def stepping():
    """At random instructions, records are what the debugger shows of a wave that stops there, lane by lane."""
    _, _, (shader,) = instrumented(HISTOGRAM)
    listing = debug("catch dispatch", "run", f"disassemble {shader['symbol']}")[2]
    addresses = [int(x["address"], 16) for x in listing["instructions"]]
    records = by_invocation(shader)
    texts = {r["instruction"]: (r["at"], r["text"]) for r in shader["records"] if r["instruction"] != 0}
    for number in random.Random(SEED).sample(sorted(texts), SAMPLES):
        at, text = texts[number]
        first = next(r for lane in records.values() for r in lane if r[0] == text)
        stop, before, behind = compare(number, first, shader["symbol"], addresses[at] - addresses[0])
        group, lanes = stop["workgroup"][0], 0
        wrong = []
        for of_lane in records.values():
            ids = of_lane[0][2]
            if ids["workgroup_x"] != group:
                continue
            lanes += 1
            r = next(r for r in of_lane if r[0] == text)
            wrong += [(n, v) for n, v in r[2].items() if v != shown(before[n], ids["thread_x"])]
            wrong += [(n, v) for n, v in r[1].items() if v != shown(behind[n], ids["thread_x"])]
        tap.case(f"seed {SEED}, '{text}': all lanes have what the debugger shows", not wrong and lanes == LANES and stop["stop"] == "breakpoint",
                 (stop.get("stop"), lanes, wrong[:5]))


def internal():
    """Shaders of the driver itself: what the program does by vkCmd... and not by a shader of its own."""
    _, plain, _ = run("exec", "--", *COMMANDS)
    status, lines, shaders = instrumented(COMMANDS, "--regex", "^v_(mul|lshl_add)|_store_")
    tap.case("the program that checks itself says the same", (status, lines) == (0, plain.splitlines()), "\n".join(lines))
    own = [s for s in shaders if any("atomic" in r["text"] or s["symbol"] == shaders[0]["symbol"] for r in s["records"][:64])]
    others = {s["symbol"]: s for s in shaders if s["symbol"] not in {x["symbol"] for x in own} and "records" in s}
    stores = [r for s in others.values() for r in s["records"] if "_store_" in r["text"]]
    tap.case("a shader that is not the program's stores something", bool(stores), [s["symbol"] for s in shaders])


def selection():
    """What is chosen is what is recorded."""
    _, _, (everything,) = instrumented(HISTOGRAM)
    texts = {r["instruction"]: (r["at"], r["text"]) for r in everything["records"]}
    for args, test in ((["--regex", r"^v_\w+_f32"], lambda t: re.match(r"v_\w+_f32", t)), (["--kind", "smem"], lambda t: t.startswith("s_load")),
                       (["--offsets", "0-4"], lambda t: t.startswith(("v_bfe", ))), (["--shader", everything["symbol"][:6], "--regex", "v_cmpx"], lambda t: "cmpx" in t)):
        _, _, (some,) = instrumented(HISTOGRAM, *args)
        got = sorted({r["text"] for r in some["records"]} - {"begins"})
        want = sorted({t for _, t in texts.values() if test(t)})
        tap.case(f"chosen by {' '.join(args)}", got == want != [], f"got {got}, want {want}")
    for args in (["--shader", "ffff"], ["--stage", "ps"], ["--regex", "no such thing"]):
        tap.case(f"nothing chosen by {' '.join(args)}", instrumented(HISTOGRAM, *args)[2] == [], args)


def files():
    """The files of -o are what `lull ir3 records` reads."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "records"
        status, said, err = run("instrument", "--regex", "v_mul_f32", "-o", out, "--", *HISTOGRAM)
        names = sorted(p.name for p in out.iterdir())
        stem = names[0].rsplit(".", 1)[0] if names else ""
        tap.case("-o", status == 1 and names == [f"{stem}.bin", f"{stem}.records"] and f"{stem}: 1 of" in said, (status, said, err, names))
        manifest, data = out / f"{stem}.records", out / f"{stem}.bin"
        status, text, err = run("ir3", "records", manifest, data, "--invocations", "2")
        tap.case("lull ir3 records shows them", status == 0 and re.search(r"^\[2/1\]: v_mul_f32_e32 v0, s4, v0$", text, re.M) is not None
                 and f"dst(v0)={bits(f32(BRIGHT[2] * 256)):#08x}" in text, text + err)
        status, text, _ = run("ir3", "records", manifest, data, "--diff", data)
        tap.case("--diff", status == 0 and "all the same" in text, text)
        status, text, _ = run("ir3", "records", manifest, data, "--first-nan")
        tap.case("--first-nan: none of 4096 floats", status == 0 and "no float instruction" in text, text)
        status, text, err = run("instrument", "--room", 4096, "--", *HISTOGRAM)
        tap.case("little room: what is missing is said", status == 1 and "bytes of records are missing" in err and "4096 pixels, 4055 counted" in text, err)


def fault():
    """A wave that faults ends the program."""
    status, _, err = run("instrument", "--kind", "salu", "--", HISTOGRAM[0], cli / "stray.spv")
    tap.case("a wave that faults", status == 1 and "a wave faulted" in err, (status, err))


def refused():
    for args, want in ((["--regex", "("], "--regex: column"), (["--kind", "sulu"], "is not of salu"), (["--offsets", "5-4"], "is not A or A-B"),
                       (["-o", "x", "--json"], "one of -o and --json")):
        status, _, err = run("instrument", *args, "--", "true")
        tap.case(f"refused: {' '.join(args)}", status == 2 and want in err, (status, err))


for test in (pixels, stepping, internal, selection, files, fault, refused):
    try:
        test()
    except (AssertionError, KeyError, ValueError, StopIteration) as e:
        tap.case(test.__name__, False, repr(e))
tap.end()
