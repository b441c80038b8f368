#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull explore: wrong orders are found, shrunk, and come again in lull run and lull debug. explore.py LULL EXAMPLES PART [LULL_RUN_ARM64 ARM64].

What is right is computed here. Programs that are right stay so in every order: their twins with -DRIGHT."""
import difflib
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1]), str(pathlib.Path(__file__).resolve().parents[1] / "shim")]
import arm64_tools  # noqa: E402
from tap import case, end, skip  # noqa: E402

lull = str(pathlib.Path(sys.argv[1]).resolve())
examples = pathlib.Path(sys.argv[2]).resolve()
part = sys.argv[3]
lull_source = examples.parent
tmp = pathlib.Path(tempfile.mkdtemp(prefix="lull-explore-"))
NUMBERS = list(range(256))

# name: (arguments but for the first, grid, block, what the first buffer holds at the end)
PROGRAMS = {
    "sum": (["iota:256:u32"], 256, 256, [sum(NUMBERS[j] ** 2 for j in range(i, 256, 32)) for i in range(32)]),
    "last_group": (["iota:256:u32", "zeros:32", "zeros:4"], 256, 32, [sum(NUMBERS)]),
}


def source(name, right=False):
    """The example, or its right twin, with the path of its include."""
    text = (examples / "orders" / f"{name}.cl").read_text().replace('"../lull_cl.h"', f'"{examples}/lull_cl.h"')
    path = tmp / f"{name}{'_right' if right else ''}.cl"
    path.write_text(("#define RIGHT\n" if right else "") + text)
    return str(path)


def arguments(name, out=None):
    args, grid, block, want = PROGRAMS[name]
    words = ["--grid", str(grid), "--block", str(block), "--arg", f"zeros:{4 * len(want)}:name=out" + (f":out={out}" if out else "")]
    for a in args:
        words += ["--arg", a]
    return words


def want_bytes(name):
    want = PROGRAMS[name][3]
    return struct.pack(f"<{len(want)}I", *want)


if part in ("each", "mpi", "shader", "adreno"):  # Sanitized programs run under the shim of lull exec; drivers leak.
    os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"


def run(*words, **kw):
    return subprocess.run([*words], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=280, **kw)


def result(command, name, schedule=None, *more):
    """The bytes that a run leaves in the first buffer."""
    out = tmp / "out.bin"
    out.unlink(missing_ok=True)
    words = [lull, command, *(["--schedule", schedule] if schedule else []), source(name), *arguments(name, out), *more]
    r = run(*words)
    return out.read_bytes() if out.exists() else r.stdout + r.stderr


def explore(name, *more, prefix=(), right=False, env=None):
    r = run(*prefix, lull, "explore", source(name, right), *arguments(name), "--json", *more, env=env)
    try:
        return r, json.loads(r.stdout)
    except json.JSONDecodeError:
        return r, {}


def found(name, how, *more, **kw):
    schedule = str(tmp / f"{name}.{how}.schedule")
    r, j = explore(name, "--save", schedule, *more, **kw)
    label = f"{name}, {how}"
    case(f"{label}: the GPU's own order is right, another is not", r.returncode == 1 and j.get("own_order") == "right" and j.get("found") is True,
         r.stdout + r.stderr)
    case(f"{label}: one wait is left", len(j.get("waits", [])) == 1, r.stdout)
    lines = re.findall(rf"{name}\.cl:(\d+)", j.get("places", ""))
    case(f"{label}: both places have a line", len(lines) == 2, j.get("places"))
    return schedule, j


def replay(name, schedule):
    right = want_bytes(name)
    case(f"{name}: lull run by itself is right", result("run", name) == right)
    wrong = result("run", name, schedule)
    case(f"{name}: lull run --schedule is wrong", isinstance(wrong, bytes) and wrong != right, wrong)
    again = result("debug", name, schedule, "-O", "2", "-batch", "-ex", "run")
    case(f"{name}: lull debug --schedule gives the same", again == wrong, again)
    again = result("debug", name, None, "--replay", schedule, "-O", "2", "-batch", "-ex", "run")
    case(f"{name}: ... and --replay, in front of a kernel", again == wrong, again)
    kernel = "total" if name == "last_group" else "sum"
    stopped = result("debug", name, schedule, "-O", "2", "-batch", "-ex", f"break {kernel}", "-ex", "run", "-ex", "stepi 5", "-ex", "reverse-stepi 2",
                     "-ex", "delete", "-ex", "continue")
    case(f"{name}: the same with stops, and back in time", stopped == wrong, stopped)
    twice = result("debug", name, schedule, "-O", "2", "-batch", "-ex", "run", "-ex", "run")
    case(f"{name}: the same the second time", twice == wrong, twice)


def test_search():
    schedule, j = found("sum", "directed")
    case("sum: found by turning racing accesses round", j.get("by") == "directed", j)
    replay("sum", schedule)
    _, j = found("sum", "drawn", "--only", "drawn")
    case("sum: found at random, too", j.get("by") == "drawn" and j.get("waits_before", 0) > 1, j)
    schedule, j = found("last_group", "drawn")
    replay("last_group", schedule)
    want = tmp / "want.bin"
    want.write_bytes(want_bytes("last_group"))
    found("last_group", "expected", "--expect", f"out={want}")
    one, other = explore("last_group", "-j", "1")[1], explore("last_group", "-j", "3")[1]
    case("any number of processes finds the same", one == other and one.get("found") is True, f"{one}\n{other}")


def test_reports():
    sql, html = tmp / "out.sqlite", tmp / "out.html"
    r, j = explore("last_group", "--sql", str(sql), "--html", str(html), "-j", "4")
    db = sqlite3.connect(sql)
    rows = db.execute("SELECT part, number, seed, result FROM orders ORDER BY number").fetchall()
    case("--sql: all orders up to the one that goes wrong", len(rows) == j.get("orders") and [x[3] for x in rows] == ["right"] * (len(rows) - 1) + ["wrong"] and
         [x[1:3] for x in rows] == [(i + 1, i + 1) for i in range(len(rows))] and {x[0] for x in rows} == {"drawn"}, f"{rows} {r.stderr}")
    case("--sql: what was found", db.execute("SELECT part, number, text, places FROM found").fetchall() == [("drawn", j["order"] + 1, j["text"], j["places"])], j)
    case("--sql: its waits", [x[0] for x in db.execute("SELECT hold FROM waits")] == j["waits"], j)
    text = html.read_text()
    case("--html: complete in itself, with all orders", text.startswith("<!DOCTYPE html>") and text.rstrip().endswith("</html>") and
         text.count('<i class="right"') == len(rows) - 1 and text.count('<i class="wrong"') == 1 and j["waits"][0] in text and
         not re.search(r"(src|href)\s*=|@import|url\((?!#)|https?:", text), text)
    case("--html: names are no markup", "<total+" not in text and "&lt;total+" in text, text)
    r, j = explore("sum", "--sql", str(sql), "--html", str(html), "--orders", "25", right=True)
    db = sqlite3.connect(sql)
    case("--sql: a right program", db.execute("SELECT count(*), min(result), max(result) FROM orders").fetchall() == [(25, "right", "right")] and
         db.execute("SELECT count(*) FROM found").fetchone() == (0,), r.stderr)


def get(url, path="", method="GET", **headers):
    """Status and body of one request."""
    m = re.fullmatch(r"http://127\.0\.0\.1:(\d+)(/[0-9a-f]{32}/)", url)
    c = http.client.HTTPConnection("127.0.0.1", int(m[1]), timeout=120)
    c.request(method, path if path.startswith("/") else m[2] + path, headers=headers)
    r = c.getresponse()
    body = r.read().decode()
    c.close()
    return r.status, body, r.headers["Content-Security-Policy"]


def web(name, *more, right=False):
    """A search that is served, and its address."""
    p = subprocess.Popen([lull, "explore", source(name, right), *arguments(name), *more, "--web"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    said = p.stderr.readline()
    return p, said.removeprefix("lull explore: ").strip()


def test_web():
    html = tmp / "out.html"
    _, j = explore("last_group", "--html", str(html), "-j", "1")
    text = html.read_text()
    holds = [tuple(map(int, re.fullmatch(r"hold \S+ \S+ \d+ at (\d+) until \S+ \S+ \d+ has (\d+)", w).groups())) for w in j["waits"]]
    case("the picture: an arrow for each wait, between its two cells", text.count('class="wait"') == len(holds) and
         re.findall(r'class="(waits|first)"[^>]*><title>behind its instruction (\d+)', text) == [x for at, until in holds for x in (("first", str(until)), ("waits", str(at)))], text)
    waves = {f"workgroup {g} wave {n}" for w in j["waits"] for g, n in re.findall(r"1:0 (\S+) (\d+)", w)}
    case("... and a row for each wave", set(re.findall(r"workgroup \S+ wave \d+(?=</text>)", text)) == waves, (waves, text))
    p, url = web("last_group", "-j", "1")
    p.stdout.readline(), p.stdout.readline()  # the report: the search is over
    status, body, policy = get(url)
    case("--web: behind the search the page of --html", status == 200 and body == text and policy.startswith("default-src 'none'"), (status, policy, body))
    port = url.split("/")[2]
    for what, want, args in (("no token", 403, {"path": "/"}), ("another token", 403, {"path": "/" + 32 * "0" + "/"}), ("another host", 421, {"Host": f"evil.example:{port.split(':')[1]}"}),
                             ("commands of the debugger", 404, {"path": "command", "method": "POST"}), ("POST", 405, {"method": "POST"}),
                             ("from a page of others", 403, {"Origin": "http://evil.example"})):
        status, body, _ = get(url, **args)
        case(f"--web: {what}: {want}", status == want and "Order" not in body, (status, body))
    p.send_signal(signal.SIGINT)
    p.wait(60)
    case("--web: Ctrl-C ends it, with the status of what was found", p.returncode == 1, p.returncode)
    p, url = web("sum", "--orders", "1000000", "-j", "1", right=True)
    seen = []
    while len(seen) < 2 or (seen[-1] == seen[0] and len(seen) < 1000):
        body = get(url)[1]
        seen.append(body.count('<i class="right"'))
    case("--web: while it searches the page follows", 'http-equiv="refresh"' in body and "so far" in body and seen[-1] > seen[0], (seen, body[:300]))
    p.kill()
    p.wait(60)


# A line of --each: what it must end with, and what it must have written. A shader with a race, and a right one.
SHADER = f"'{lull}' run '{examples}/bugs/%s.comp' --groups 2 --bind 0.0=iota:256:u32"
EACH = [("echo 'one <two>'", 0, "one <two>\n"), ("echo three >&2; exit 3", 3, "three\n"), ("kill -9 $$", 137, ""),
        ("test -n \"$OMPI_COMM_WORLD_SIZE\" && exit 9; true", 0, ""), (SHADER % "missing_barrier", 1, "race: two waves of a workgroup, no barrier between them"),
        (f"'{lull}' run '{lull_source}/tests/vulkan/shaders/saxpy.comp' --groups 1 --bind 0.0=iota:64:f32 --bind 0.1=iota:64:f32 --push f32:2.5,u32:64", 0, "race: 0 findings")]


def each(*more, prefix=(), env=None):
    """lull exec --check race --each; the rows of its database. A program with a race and a right one: Vulkan shaders."""
    lines = tmp / "lines"
    lines.write_text("# comment\n\n" + "".join(f"{x[0]}\n" for x in EACH))
    sql, html = tmp / "each.sqlite", tmp / "each.html"
    for old in (sql, html):
        old.unlink(missing_ok=True)
    r = run(*prefix, lull, "exec", "--each", str(lines), "--check", "race", "--sql", str(sql), "--html", str(html), *more, env=env)
    rows = sqlite3.connect(sql).execute("SELECT command, status, text FROM programs ORDER BY number").fetchall() if sql.exists() else []
    return r, rows, html.read_text() if html.exists() else ""


def test_each():
    r, rows, page = each("-j", "2")
    for (line, status, text), row in zip(EACH, rows):
        case(f"--each: {line}", row[0] == line and row[1] == status and text in row[2], row)
    case("--each: all lines", len(rows) == 6 and r.returncode == 1 and r.stdout.endswith("6 programs, 3 did not end with 0\n"), r.stdout + r.stderr)
    case("--each: only of those that are wrong what they wrote", "three\n" in r.stdout and "\none <two>" not in r.stdout, r.stdout)
    case("--each: the page", page.startswith("<!DOCTYPE html>") and "&lt;two&gt;" in page and "<two>" not in page and page.count("<details open>") == 3, page)
    r = run(lull, "exec", "--each", str(tmp / "lines"), "true")
    case("--each and a program", r.returncode == 2 and "not both" in r.stderr, r.stderr)
    r = run(lull, "exec", "--sql", str(tmp / "x"), "true")
    case("--sql without --each", r.returncode == 2 and "--sql is for --each" in r.stderr, r.stderr)
    r = run(lull, "exec")
    case("neither", r.returncode == 2 and "no PROGRAM given" in r.stderr, r.stderr)
    r = run(lull, "exec", "--each", str(tmp / "nowhere"))
    case("no such file", r.returncode == 3 and "nowhere" in r.stderr, r.stderr)


def test_right():
    for name in PROGRAMS:
        r, j = explore(name, "--orders", "150", right=True)
        case(f"{name}, its right twin: no order is wrong", r.returncode == 0 and j.get("found") is False and j.get("orders", 0) >= 150, r.stdout + r.stderr)
    r, j = explore("sum", "--check", "race")
    case("a check says what is wrong: the race is there in any order", r.returncode == 1 and "race" in j.get("own_order", ""), r.stdout + r.stderr)
    r, j = explore("sum", "--check", "race", "--orders", "20", right=True)
    case("a check on the right twin", r.returncode == 0 and j.get("orders") == 20, r.stdout + r.stderr)


# (name, options, part of the message)
REFUSED = [
    ("no such buffer", ["--expect", "nowhere=FILE"], "no buffer has the name 'nowhere'"),
    ("a file that is longer than the buffer", ["--expect", "0=LONG"], "its file"),
    ("no file", ["--expect", "0"], "is not BUFFER"),
    ("a file that is not there", ["--expect", "0=/nowhere/x"], "/nowhere/x"),
    ("saved over what is expected", ["--expect", "0=FILE", "--save", "FILE"], "FILE"),
    ("no orders", ["--orders", "0"], "--orders"),
]


def test_refused():
    for file, size in (("FILE", 4), ("LONG", 4096)):
        (tmp / file).write_bytes(bytes(size))
    for name, options, text in REFUSED:
        r = run(lull, "explore", source("sum"), *arguments("sum"), *[o.replace("FILE", str(tmp / "FILE")).replace("LONG", str(tmp / "LONG")) for o in options])
        case(f"refused: {name}", r.returncode in (2, 3) and text.replace("FILE", str(tmp / "FILE")) in r.stderr and r.stdout == "", r.stderr)
    bad = tmp / "bad.schedule"
    bad.write_text("lull schedule 1\nhold 1:0 0,0,0\n")
    for command in ("run", "debug"):
        r = run(lull, command, "--schedule", str(bad), source("sum"), *arguments("sum"), *(["-batch"] if command == "debug" else []))
        case(f"lull {command}: a schedule that is none", r.returncode != 0 and "bad.schedule: line 2: a wave is" in r.stderr, r.stderr)
    unsaved = tmp / "no" / "folder"
    r = run(lull, "explore", source("sum"), *arguments("sum"), "--save", str(unsaved))
    case("the schedule cannot be written", r.returncode == 3 and str(unsaved) in r.stderr, r.stderr)


def test_mpi():
    if shutil.which("mpirun") is None or not list(pathlib.Path(lull).parent.glob("src/mpi/liblull_mpi.so")):
        skip("no mpirun, or lull was built without MPI")
        return
    # Ranks of this machine alone; no transports but shared memory and TCP.
    prefix = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "3", "--mca", "btl", "self,vader,tcp"]
    env = dict(os.environ, OMPI_MCA_plm_rsh_agent="/bin/false", OMPI_MCA_rmaps_base_oversubscribe="1")
    alone = explore("last_group", "-j", "1")[1]
    r, ranks = explore("last_group", prefix=prefix, env=env)
    case("three ranks find the same as one process", ranks == alone and alone.get("found") is True, f"{r.stdout}{r.stderr}\n{alone}")
    found("sum", "three ranks", "--only", "drawn", prefix=prefix, env=env)
    # On a busy machine a program under a driver may end otherwise, which is no matter of ranks: once more, and the difference is told.
    for _ in range(2):
        alone, ranks = each(), each(prefix=prefix, env=env)
        same = [a == b for a, b in zip((alone[0].stdout, *alone[1:]), (ranks[0].stdout, *ranks[1:]))]
        why = f"{same} {len(ranks[1])}: " + "\n".join(difflib.ndiff((alone[0].stdout + alone[0].stderr).splitlines(), (ranks[0].stdout + ranks[0].stderr).splitlines()))
        if all(same):
            break
        print("# " + why.replace("\n", "\n# "), flush=True)
    case("--each: three ranks give the same", all(same) and len(ranks[1]) == 6, why)
    r, j = explore("sum", "--orders", "30", prefix=prefix, env=env, right=True)
    case("three ranks, a right program", r.returncode == 0 and j.get("orders", 0) >= 30, r.stdout + r.stderr)


# Four races of which each is right as long as the second workgroup, or wave, comes late enough: name: (grid, block, what out has then, buffers behind it, kernel).
LATE = "for (volatile int late = 0; late < 40; late++) {}"
KINDS = {
    "lost_update": (64, 32, 2, [], f"if (l == 0) {{ if (g == 1) {LATE} uint v = *out; *out = v + 1; }}"),
    "no_barrier": (64, 64, 63, [], f"local uint t[64]; t[l] = l; {LATE} if (l == 0) *out = t[63];"),
    # The flag is there before what it stands for.
    "flag_first": (64, 32, 7, ["zeros:8"], "if (l != 0) return; if (g == 0) { atomic_store_explicit((global atomic_uint *)&m[0], 1, memory_order_relaxed, memory_scope_device); m[1] = 7; }"
                   f" else {{ while (atomic_load_explicit((global atomic_uint *)&m[0], memory_order_relaxed, memory_scope_device) == 0) {{}} {LATE} *out = m[1]; }}"),
    # A list 1, 2, 3 with its head in m[0] and what is behind n in m[n]. One workgroup takes one, the other two, and gives the first back: one is left, whoever comes first. If the first stands
    # between its two steps meanwhile, the head is what it was, and what was behind it belongs to the other.
    "aba": (64, 32, 1, ["buffer:list", "zeros:4"], "if (l != 0) return; if (g == 0) { uint h = m[0], next = m[h]; atomic_cmpxchg(&m[0], h, next); }"
            f" else {{ {LATE} uint a = m[0]; atomic_cmpxchg(&m[0], a, m[a]); uint b = m[0]; atomic_cmpxchg(&m[0], b, m[b]); m[a] = m[0]; m[0] = a; }}"
            " if (atomic_fetch_add_explicit((global atomic_uint *)done, 1, memory_order_acq_rel, memory_scope_device) == 1) { uint n = 0; for (uint h = m[0]; h != 0 && n < 9; h = m[h]) n++; *out = n; }"),
}


def test_kinds():
    """Found by two ranks, if there is MPI, and the debugger gives what the schedule makes of it."""
    mpi = shutil.which("mpirun") is not None and list(pathlib.Path(lull).parent.glob("src/mpi/liblull_mpi.so"))
    prefix = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2", "--mca", "btl", "self,vader,tcp"] if mpi else []
    env = dict(os.environ, OMPI_MCA_plm_rsh_agent="/bin/false", OMPI_MCA_rmaps_base_oversubscribe="1")
    (tmp / "list").write_bytes(struct.pack("<4I", 1, 2, 3, 0))
    for name, (grid, block, want, more, body) in KINDS.items():
        path, schedule, out, expect = tmp / f"{name}.cl", str(tmp / f"{name}.schedule"), tmp / "out.bin", tmp / "expect.bin"
        expect.write_bytes(struct.pack("<I", want))
        params = ", global uint *m" * bool(more) + ", global uint *done" * (len(more) > 1)
        path.write_text(f"kernel void k(global uint *out{params}) {{ uint l = get_local_id(0), g = get_group_id(0); {body} }}\n")
        words = [str(path), "--grid", str(grid), "--block", str(block), *(w for a in [f"zeros:4:name=out:out={out}", *more] for w in ("--arg", a.replace("buffer:list", f"buffer:{tmp}/list")))]
        r = run(*prefix, lull, "explore", *words, "--json", "--expect", f"out={expect}", "--save", schedule, env=env)
        j = json.loads(r.stdout) if r.stdout.startswith("{") else {}
        case(f"{name}: the own order is right, another is not", j.get("own_order") == "right" and j.get("found") is True and 1 <= len(j.get("waits", [])) <= 2, r.stdout + r.stderr)
        got = []
        for words_of in (["run", "--schedule", schedule, *words], ["debug", "--schedule", schedule, *words, "-O", "2", "-batch", "-ex", "run"]):
            out.unlink(missing_ok=True)
            r = run(lull, *words_of)
            got.append(out.read_bytes() if out.exists() else r.stdout + r.stderr)
        case(f"{name}: and comes again in lull run and in the debugger", got[0] == got[1] != expect.read_bytes(), got)


def shader(gpu, *program):
    """A Vulkan shader that loses an update in an order that the GPU itself does not take. @program: of lull debug, in front of the words of lull run."""
    source, groups = str(examples / "orders" / "lost_update.comp"), 3
    total = groups * (groups + 1) // 2
    schedule, out = str(tmp / "shader.schedule"), tmp / "shader.bin"
    words = [*(["--gpu", gpu] if gpu else []), "--groups", str(groups), "--bind", "0.0=zeros:4"]
    name = gpu or "gfx1100"

    def one(*more, prefix=(), env=None):
        r = run(*prefix, lull, "explore", source, *words, "--json", *more, env=env)
        return r, json.loads(r.stdout) if r.stdout.startswith("{") else {}

    r, j = one("--save", schedule)
    case(f"{name}: the own order is right, one with racing accesses turned round is not", r.returncode == 1 and j.get("own_order") == "right" and j.get("by") == "directed" and
         len(j.get("waits", [])) == 1, r.stdout + r.stderr)
    lost = re.search(r"0\.0\+0x0 \(dword 0\) is (0x\w+), want 0x6$", j.get("text", ""))
    case(f"{name}: what is left is the sum without an update", lost is not None and int(lost[1], 16) in (1, 2, 3, 4, 5), j.get("text"))
    case(f"{name}: the store waits, by its line", re.match(r"wave 0 of workgroup \d,0,0 waits in front of \S*lost_update\.comp:20 ", j.get("places", "")) is not None, j.get("places"))

    def result(*command):
        out.unlink(missing_ok=True)
        r = run(*command, "--out", f"0.0={out}")
        return struct.unpack("<I", out.read_bytes())[0] if out.exists() else r.stdout + r.stderr

    wrong = int(lost[1], 16) if lost else None
    case(f"{name}: lull run is right", result(lull, "run", source, *words) == total)
    again = result(lull, "run", source, *words, "--schedule", schedule)
    case(f"{name}: lull run --schedule gives what was found", again == wrong, again)
    spirv = tmp / "shader.spv"
    subprocess.run(["glslangValidator", "-V", "--quiet", source, "-o", spirv], check=True, capture_output=True)
    debug = [lull, "debug", *words[:len(words) - 4]]
    commands = ["-batch", "-ex", "catch dispatch", "-ex", "run", "-ex", "delete", "-ex", "stepi 3", "-ex", "reverse-stepi 2", "-ex", "continue"]
    for how in (["--schedule", schedule], ["--replay", schedule]):
        again = result(*debug, *how, *commands, "--", *program, "run", spirv, *words[-4:])
        case(f"{name}: and so does lull debug {how[0]}, with stops and back in time", again == wrong, again)
    want = tmp / "want.bin"
    want.write_bytes(struct.pack("<I", total))
    r, j = one("-D", "RIGHT", "--orders", "2", "-j", "1", "--expect", f"0.0={want}")
    case(f"{name}: its right twin", r.returncode == 0 and j.get("found") is False and j.get("orders") == 2, r.stdout + r.stderr)
    return one


def test_shader():
    one = shader(None, lull)
    r, j = one("--only", "drawn")
    case("gfx1100: found at random, too; one wait is left of many", r.returncode == 1 and j.get("by") == "drawn" and len(j["waits"]) == 1 < j["waits_before"], r.stdout + r.stderr)
    r, j = one("--expect", "0.0=values:u32:6", "--only", "directed")
    case("gfx1100: with --expect", r.returncode == 1 and j.get("found") is True and "want 6" in j["text"], r.stdout + r.stderr)
    r, j = one("--check", "race")
    case("gfx1100: a check says what is wrong", r.returncode == 1 and j.get("own_order", "").startswith("race: two workgroups of a dispatch"), r.stdout + r.stderr)
    for what, words, text in (("no such buffer", ["--expect", "3.0=values:u32:6"], "--expect 3.0"), ("a kernel's option", ["--block", "64"], "--block"), ("an order of another's", ["--out", "0.0=x"], "--out")):
        r, j = one(*words)
        case(f"refused: {what}", r.returncode == 2 and text in r.stderr and r.stdout == "", r.stderr)
    bad = tmp / "bad.schedule"
    bad.write_text("lull schedule 1\nhold 0:0\n")
    for command in (["run", "--schedule", bad, examples / "orders/lost_update.comp", "--groups", "1", "--bind", "0.0=zeros:4"], ["exec", "--schedule", bad, "true"],
                    ["debug", "--schedule", bad, "-batch", "--", "true"]):
        r = run(lull, *command)
        case(f"lull {command[0]}: a schedule that is none", r.returncode in (2, 3) and "bad.schedule: line 2" in r.stderr, r.stderr)


def test_adreno():
    """The same on an Adreno, under Turnip, and with two ranks."""
    root = pathlib.Path(sys.argv[5])
    why = arm64_tools.absent(root)
    if why is not None:
        skip(why)
        return
    os.environ.update(LULL_ARM64=str(root), VK_ICD_FILENAMES="/icd/backports/freedreno.json", MESA_SHADER_CACHE_DISABLE="true")
    one = shader("a660", sys.argv[4])
    if shutil.which("mpirun") is None or not list(pathlib.Path(lull).parent.glob("src/mpi/liblull_mpi.so")):
        skip("no mpirun, or lull was built without MPI")
        return
    prefix = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2", "--mca", "btl", "self,vader,tcp"]
    r, j = one("--only", "directed", prefix=prefix, env=dict(os.environ, OMPI_MCA_plm_rsh_agent="/bin/false", OMPI_MCA_rmaps_base_oversubscribe="1"))
    case("a660: two ranks find it, too", r.returncode == 1 and j.get("by") == "directed" and len(j.get("waits", [])) == 1, r.stdout + r.stderr)


{"shader": test_shader, "adreno": test_adreno, "kinds": test_kinds, "search": test_search, "reports": test_reports, "web": test_web, "each": test_each, "right": test_right, "refused": test_refused, "mpi": test_mpi}[part]()
shutil.rmtree(tmp, ignore_errors=True)
end()
