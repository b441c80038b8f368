#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull bisect: programs of which the test knows what each flag does. bisect.py LULL."""
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import tap  # noqa: E402
from tap import case  # noqa: E402

lull = str(pathlib.Path(sys.argv[1]).resolve())
VARIABLES = ("TU_DEBUG", "IR3_SHADER_DEBUG", "RADV_DEBUG", "RADV_PERFTEST", "ACO_DEBUG", "FD_MESA_DEBUG", "MINE")
plain = {k: v for k, v in os.environ.items() if k not in VARIABLES}


def script(sets, invert, log):
    """A program that ends with 0 if its flags have one of @sets, of VAR=FLAG, else with 1, or the other way round. One letter a run goes to @log."""
    lines = [f"printf x >> {log}", "echo the program speaks", "hit=1"]
    for names in sets:
        tests = [f'case ",${v}," in *,{f},*) ;; *) false;; esac' for v, f in (n.split("=") for n in names)]
        lines.append(" && ".join(f"{{ {t}; }}" for t in tests) + " && hit=0")
    return ["sh", "-c", "\n".join([*lines, f"exit $(({'1 - ' if invert else ''}hit))"])]


def bisect(args, program, env=None, **more):
    return subprocess.run([lull, "bisect", *args, "--", *program], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          env=plain | (env or {}), **more)


def world(d, sets, invert, args, env=None):
    """Run; what was found, as sets of VAR=FLAG, and how many runs the program saw."""
    log = d / "log"
    log.write_text("")
    r = bisect(["--json", *args], script(sets, invert, log), env)
    found = json.loads(r.stdout) if r.returncode in (0, 1) else {}
    names = {k: {f"{f['variable']}={f['flag']}" for f in found.get(k, [])} for k in ("alone", "set")}
    return r, names, found, len(log.read_text())


def known(d):
    flags = [f"F{i}" for i in range(12)]
    env = "MINE=" + ",".join(flags)
    for invert in (False, True):
        name = "a good program" if invert else "a failing one"
        r, n, f, runs = world(d, [["MINE=F3"], ["MINE=F7"], ["MINE=F1", "MINE=F2"]], invert, ["--env", env])
        case(f"{name}: each flag alone", r.returncode == 0 and n["alone"] == {"MINE=F3", "MINE=F7"} and runs == 13 == f["runs"], (r, runs))
        case(f"{name}: how it ends without", f.get("without") == ("passes" if invert else "fails"), f)
        r, n, f, runs = world(d, [["MINE=F4", "MINE=F9"]], invert, ["--env", env])
        case(f"{name}: two together", r.returncode == 0 and n == {"alone": set(), "set": {"MINE=F4", "MINE=F9"}}, r)
        r, n, f, runs = world(d, [["MINE=F11"]], invert, ["--env", env, "--first"])
        case(f"{name}: by halves", r.returncode == 0 and n["set"] == {"MINE=F11"} and runs <= 10, (r, runs))
        r, n, f, runs = world(d, [], invert, ["--env", env])
        case(f"{name}: nothing changes it", r.returncode == 1 and n == {"alone": set(), "set": set()} and runs == 14, (r, runs))
    r, n, f, runs = world(d, [["TU_DEBUG=nolrz", "IR3_SHADER_DEBUG=fullsync"]], False, ["-e", "TU_DEBUG=nolrz,gmem",
                                                                                       "-e", "IR3_SHADER_DEBUG=fullsync,fullnop"])
    case("flags of two variables", n["set"] == {"TU_DEBUG=nolrz", "IR3_SHADER_DEBUG=fullsync"}, r)
    texts = {f["flag"]: f.get("does", "") for f in f["set"]}
    case("what they do is said", "LRZ" in texts.get("nolrz", "") and "wait" in texts.get("fullsync", ""), texts)
    r, n, f, runs = world(d, [["MINE=own", "MINE=F2"]], False, ["--env", "MINE=F1,F2"], {"MINE": "own"})
    case("what the environment has stays", n["alone"] == {"MINE=F2"}, r)


def all_flags(d):
    """Without names: every flag of data/env/mesa.flags that is `try`, and no other."""
    rows = [[p.strip() for p in line.split("|")] for line in (pathlib.Path(__file__).parents[2] / "data/env/mesa.flags").read_text().splitlines()
            if line and line[0] != "#"]
    for variable in sorted({r[0] for r in rows}):
        tries = [r[1] for r in rows if r[0] == variable and r[2] == "try"]
        r, n, f, runs = world(d, [[f"{variable}={t}"] for t in tries], False, ["--env", variable])
        case(f"all flags of {variable}", n["alone"] == {f"{variable}={t}" for t in tries} and runs == len(tries) + 1 > 5, (r, runs))
    r = subprocess.run([lull, "bisect", "--list"], capture_output=True, text=True)
    case("--list", r.returncode == 0 and all(row[3] in r.stdout for row in rows), r)


def chance(d):
    """Random worlds of minimal sets: what is found is one of them, or all flags that do it alone."""
    rng = random.Random(20)
    for i in range(6):
        flags = [f"MINE=F{k}" for k in range(8)]
        sets = [rng.sample(flags, rng.randint(1, 3)) for _ in range(rng.randint(1, 3))]
        single = {s[0] for s in sets if len(s) == 1}
        minimal = [set(s) for s in sets if not any(set(o) < set(s) for o in sets)]
        r, n, f, runs = world(d, sets, False, ["--env", "MINE=" + ",".join(f"F{k}" for k in range(8))])
        case(f"random world {i}", n["alone"] == single and (n["set"] in minimal), (sets, n))


def texts(d):
    speaks = script([["TU_DEBUG=syncdraw"]], False, d / "log")
    r = bisect(["--env", "TU_DEBUG=nolrz,syncdraw"], speaks)
    lines = r.stdout.splitlines()
    case("a line a run, and the result", lines[0] == "fails (exit status 1)  with no flag added" and lines[1] == "fails (exit status 1)  TU_DEBUG=nolrz"
         and lines[2] == "passes  TU_DEBUG=syncdraw" and lines[4:] == ["Each of these alone makes it pass:",
                                                                      "  TU_DEBUG=syncdraw: wait for idle after each draw"], r.stdout)
    case("the program is not heard", "speaks" not in r.stdout + r.stderr, r)
    r = bisect(["--output", "--env", "MINE=a"], speaks)
    case("--output: it is, on standard error", "speaks" in r.stderr and "speaks" not in r.stdout, r)
    r = bisect(["--env", "MINE=a"], ["sh", "-c", "kill -SEGV $$"])
    case("a signal is a failure", r.returncode == 1 and r.stdout.startswith("fails (signal 11)"), r)
    r = bisect(["--env", "MINE=a,b"], ["sh", "-c", 'test "$MINE" = b || exit 125'])
    case("125 without flags: it cannot be told", r.returncode == 3 and "125" in r.stderr, r)
    r = bisect(["--env", "MINE=a,b"], ["sh", "-c", 'case "$MINE" in a) exit 125;; b) exit 0;; esac; exit 1'])
    case("125 with a flag: neither", r.returncode == 0 and "cannot be told (exit status 125)  MINE=a" in r.stdout and "MINE=b\n" in r.stdout, r)
    for args, words in (([], "--env is missing"), (["--env", "NOBODYS"], "lull knows no flags of it"), (["--env", "=a"], "VARIABLE"),
                        (["--env", "A="], "VARIABLE"), (["--env", "A=b,b"], "named twice"), (["--env", "A=b", "--runs", "0"], "--runs")):
        r = bisect(args, ["true"])
        case(f"refused: {' '.join(args) or 'no --env'}", r.returncode == 2 and words in r.stderr, r)
    r = bisect(["--env", "A=b"], [d / "nowhere"])
    case("no such program", r.returncode == 3 and "nowhere" in r.stderr and r.stdout == "", r)


def time_and_chance(d):
    count = d / "count"
    flaky = f'n=$(cat {count}); echo $((n + 1)) > {count}; test "$MINE" = a && exit 0; test $((n % 3)) != 2'
    count.write_text("0\n")
    r = bisect(["--runs", "4", "--env", "MINE=a"], ["sh", "-c", flaky])
    case("--runs: once in three fails", r.returncode == 0 and r.stdout.startswith("fails (exit status 1)") and count.read_text() == "7\n", (r, count.read_text()))
    began = time.monotonic()
    r = bisect(["--timeout", "1", "--env", "MINE=a"], ["sh", "-c", 'test "$MINE" = a || { sleep 600 & wait; }'])
    case("--timeout: it hangs, and its children are ended", r.returncode == 0 and "fails (after 1 s)" in r.stdout and time.monotonic() - began < 300, r)
    p = subprocess.Popen([lull, "bisect", "--env", "MINE=a", "--", "sh", "-c", f"echo > {d}/began; sleep 600"], stdout=subprocess.PIPE, text=True, env=plain)
    while not (d / "began").exists():
        time.sleep(0.01)
    p.send_signal(signal.SIGTERM)
    p.communicate(timeout=300)
    case("a signal ends the search", p.returncode == 130, p.returncode)


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    for test in (known, all_flags, chance, texts, time_and_chance):
        test(folder)
tap.end()
