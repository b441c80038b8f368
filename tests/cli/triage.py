#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull crash triage on hundreds of dumps that are made here. triage.py LULL."""
import gzip
import json
import os
import pathlib
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import tap  # noqa: E402
from tap import case  # noqa: E402

NOP, WFI, CALL, DRAW = 0x70108000, 0x70268000, 0x70BF8003, 0x70388003
lull = sys.argv[1]


def run(*args):
    r = subprocess.run([lull, "crash", *map(str, args)], capture_output=True)
    return r.returncode, r.stdout.decode(), r.stderr.decode()


def data(words):
    """As the kernel writes it: zeros at the end are left out."""
    words = list(words)
    while words and words[-1] == 0:
        words.pop()
    text = ""
    for w in words:
        digits = ""
        for _ in range(5):
            digits = chr(33 + w % 85) + digits
            w //= 85
        text += "z" if digits == "!!!!!" else digits
    return f"    data: !!ascii85 |\n     {text}\n" if text else ""


def dump(kind, seed):
    """A hang or a fault of one kind; all that must not matter comes from the seed."""
    r = random.Random(seed)
    base = 0x100000000 + r.randrange(1 << 20) * 0x1000
    ib, rest, fault, revision = {
        "a": ([NOP, WFI, NOP, NOP], 2, False, "630 (6.3.0.2)"),
        "b": ([NOP, WFI, NOP, NOP], 2, False, "618 (6.1.8.0)"),
        "c": ([NOP, WFI, NOP, NOP], 2, True, "630 (6.3.0.2)"),
        "d": ([NOP, NOP, DRAW, 4, 1, 3, NOP], 1, False, "630 (6.3.0.2)"),
        "e": ([0x48880001, 5, WFI, WFI], 1, False, "0 (67.5.10.1)"),
    }[kind]
    ring = [NOP] * 64
    at = r.randrange(64)
    for i, w in enumerate([CALL, base & 0xFFFFFFFF, base >> 32, len(ib)]):
        ring[(at + i) % 64] = w
    s = (f"---\nkernel: {r.choice(['5.15.1', '6.1.0-rc2', '6.12'])}\nmodule: msm\ntime: {r.randrange(1 << 30)}.5\n"
         f"comm: {r.choice(['glmark2', '<script>alert(1)</script>'])}\n")
    if fault:
        s += (f"fault-info:\n  - ttbr0={r.randrange(1 << 40):016x}\n  - iova={base + r.randrange(16):016x}\n"
              "  - dir: WRITE\n  - type: TRANSLATION\n  - source: TP\n")
    s += (f"revision: {revision}\nringbuffer:\n  - id: 0\n    iova: 0x1000\n    last-fence: {seed}\n    rptr: {(at + 4) % 64}\n"
          f"    wptr: {(at + 6) % 64}\n    size: 256\n{data(ring)}bos:\n  - iova: {base:#x}\n    size: 64\n{data(ib)}")
    registers = {0x210: 0x800005, 0x800: 0x1000, 0x801: 0, 0x928: base & 0xFFFFFFFF, 0x929: base >> 32, 0x92A: rest,
                 0x92B: 0, 0x92C: 0, 0x92D: 0, 0x949: 0, 0x94A: 0}
    for reg in (0x500, 0x501, 0x502, 0xC08, 0x8000):
        registers[reg] = r.randrange(1 << 32)
    s += "registers:\n" + "".join(f"  - {{ offset: {reg * 4:#08x}, value: {v:#010x} }}\n" for reg, v in sorted(registers.items()))
    return (s + "debugbus:\n").encode()


with tempfile.TemporaryDirectory() as top:
    top = pathlib.Path(top)
    folder = top / "dumps"
    (folder / "deep" / "er").mkdir(parents=True)
    want = {"a": 100, "b": 60, "c": 50, "d": 40, "e": 30}
    for kind, n in want.items():
        for i in range(n):
            path = folder / ("deep/er" if i % 3 else ".") / f"{kind}{i:03d}.devcore"
            if i % 7 == 0:
                path.with_suffix(".gz").write_bytes(gzip.compress(dump(kind, i * 31 + ord(kind))))
            else:
                path.write_bytes(dump(kind, i * 31 + ord(kind)))
    got = run("triage", "--json", folder)
    said = json.loads(got[1])
    case("five groups", got[0] == 0 and said["dumps"] == sum(want.values()) and
         [g["dumps"] for g in said["groups"]] == list(want.values()), got[1])
    case("each has the dumps of one kind", all(
        {pathlib.Path(f["file"]).name[0] for f in g["files"]} == {kind} for g, kind in zip(said["groups"], want)), got[1])
    signatures = [g["signature"] for g in said["groups"]]
    case("signatures", signatures == [
        "adreno 630; hang; busy CP; after IB1 CP_WAIT_FOR_IDLE",
        "adreno 618; hang; busy CP; after IB1 CP_WAIT_FOR_IDLE",
        "adreno 630; fault in a buffer TRANSLATION WRITE TP; busy CP; after IB1 CP_WAIT_FOR_IDLE",
        "adreno 630; hang; busy CP; after IB1 CP_DRAW_INDX_OFFSET; draw CP_DRAW_INDX_OFFSET",
        "adreno 67.5.10.1; hang; busy CP; after IB1 CP_WAIT_FOR_IDLE"], signatures)
    one = run("show", "--signature", folder / "a001.devcore") if (folder / "a001.devcore").exists() else run(
        "show", "--signature", folder / "deep/er/a001.devcore")
    case("as crash show --signature", one[1] == signatures[0] + "\n", one)
    for jobs in ("1", "2", "9"):
        again = run("triage", "-j", jobs, "--json", folder)
        case(f"-j {jobs}: the same bytes", again == got, again[2])

    bad = {"cut.devcore": dump("a", 1)[:-200], "zero.devcore": b"", "readme.txt": b"crash dumps of the fleet\n",
           "half.gz": gzip.compress(dump("b", 2))[:-30], "wrong\x1b<i>.devcore": dump("a", 3).replace(b"wptr: ", b"wptr: x")}
    for name, text in bad.items():
        (folder / name).write_bytes(text)
    os.symlink(folder, folder / "deep" / "loop")
    html, sql = top / "out.html", top / "out.sqlite"
    got = run("triage", "--html", html, "--sql", sql, folder)
    case("damaged files", got[0] == 1 and "280 dumps in 5 groups, 3 damaged, 2 no crash dumps\n" in got[1] and
         all(name.split("\x1b")[0] in got[1] for name in bad) and "\x1b" not in got[1], got)
    text = html.read_text()
    case("--html: complete in itself", text.startswith("<!DOCTYPE html>") and text.rstrip().endswith("</html>") and
         not re.search(r"(src|href)\s*=\s*[\"']?(?!#)[^\"'# ]|@import|url\(|https?:", text), text[:500])
    case("--html: nothing of others is markup", "<script>alert" not in text and "&lt;script&gt;alert" in text and
         "<i>.devcore" not in text, text[:500])
    case("--html: all groups", text.count("<section ") == 5 and all(
        s.replace("<", "&lt;") in text for s in signatures) and "cut.devcore" in text, text[:500])
    db = sqlite3.connect(sql)
    rows = db.execute("SELECT signature, dumps FROM groups ORDER BY dumps DESC").fetchall()
    case("--sql: groups", rows == list(zip(signatures, want.values())), rows)
    rows = dict(db.execute("SELECT state, COUNT(*) FROM dumps GROUP BY state").fetchall())
    case("--sql: dumps", rows == {"whole": 280, "damaged": 3, "no dump": 2}, rows)
    rows = db.execute("SELECT location, gpu FROM dumps WHERE path LIKE '%/a003%' OR path LIKE '%/e003%' ORDER BY path").fetchall()
    case("--sql: facts", len(rows) == 2 and rows[0][0].endswith(" CP_NOP") and rows[1][1] == "0 (67.5.10.1)", rows)
    db.close()
    case("nothing else is left", sorted(p.name for p in top.iterdir()) ==
         ["dumps", "out.html", "out.sqlite"], sorted(p.name for p in top.iterdir()))
    before = html.read_bytes()
    for option in ("--html", "--sql"):
        got = run("triage", option, top / "none" / "out", folder)
        case(f"{option}: no such folder", got[0] == 3 and "none/out" in got[2] and got[1] == "", got)
    if shutil.which("mpirun") is None or not (pathlib.Path(lull).resolve().parent / "src/mpi/liblull_mpi.so").exists():
        tap.skip("no mpirun, or lull was built without MPI")
    else:
        alone = run("triage", "--html", html, "--sql", sql, folder)
        page, tables = top / "ranks.html", top / "ranks.sqlite"
        r = subprocess.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "3", "--mca", "btl", "self,vader,tcp", lull, "crash", "triage", "--html", page,
                            "--sql", tables, folder], capture_output=True, env=dict(os.environ, OMPI_MCA_plm_rsh_agent="/bin/false"))
        case("three ranks: the same text", r.stdout.decode() == alone[1], r.stderr)
        case("three ranks: the same page", page.read_bytes() == html.read_bytes(), r.stderr)
        dumps = [list(sqlite3.connect(p).iterdump()) for p in (sql, tables)]
        case("three ranks: the same database", dumps[0] == dumps[1] and len(dumps[0]) > 280, r.stderr)
    pipe = top / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE)
    run("triage", "--html", pipe, folder)
    case("--html into a pipe", reader.communicate()[0] == before and pipe.is_fifo(), pipe)
    got = run("triage", "--sql", pipe, folder)
    case("--sql: a pipe is not a file", got[0] == 3 and "is not a file" in got[2] and pipe.is_fifo(), got)
    got = run("triage", "--html", html, folder)
    case("--html: written again", html.read_bytes() == before, got[2])
    got = run("triage", folder / "a000.gz", folder / "readme.txt")
    case("files instead of folders", got[0] == 0 and "1 dump in 1 group, 1 no crash dumps" in got[1], got)
    got = run("triage", top / "nowhere")
    case("no such folder", got[0] == 3 and "nowhere" in got[2], got)
    for args in (("triage",), ("triage", "-j", "0", folder), ("triage", "--what", folder), ("triage", folder, "--html")):
        got = run(*args)
        case("usage: " + " ".join(map(str, args)).replace(str(top), ""), got[0] == 2, got)
tap.end()
