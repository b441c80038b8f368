#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull dap, lull debug --web and lull exec --each of dispatches on an Adreno: editors.py LULL DISPATCH SHADERS. One TAP line a case.

What registers hold is computed here from what turns.asm says."""
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import subprocess
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parents[2] / "debug")]
import session  # noqa: E402
from dap_client import Client  # noqa: E402
from session import check, insn  # noqa: E402

session.begin(*sys.argv[1:4])
RACE = """shl.b r0.y, r0.x, 2
add.u r0.z, r0.x, 64
(rpt5)nop
stl.u32 l[r0.y], r0.x, 1
and.b r0.z, r0.z, 255
(rpt5)nop
shl.b r0.z, r0.z, 2
(rpt5)nop
ldl.u32 r0.w, l[r0.z], 1
end
"""
(session.here / "race.asm").write_text(RACE)
SUM = insn("turns", "add.u r0.z, r2.x, 3")  # r0.z = 256 times the group + the local id + 3


def launched(filters, shader="turns", local="256", **more):
    """Adapter and first stop: the dispatch is held, or what a check found."""
    c = Client(session.lull)
    said = c.body("initialize", adapterID="lull")
    check([said.get(k) for k in ("supportsStepBack", "supportsDisassembleRequest")], [True, True], "what the adapter can do")
    c.body("launch", program=str(pathlib.Path(session.dispatch).resolve()), args=[str(session.code(shader)), local, "3"], options=["--gpu", "a660"], **more)
    c.event("initialized")
    c.body("setExceptionBreakpoints", filters=filters)
    c.body("configurationDone")
    return c, c.event("stopped", "terminated")


def pc(c, thread=2):
    return int(c.body("stackTrace", threadId=thread)["stackFrames"][0]["instructionPointerReference"], 16)


def steps_back():
    """dap: a dispatch is held; steps into it and back, instruction by instruction, and reverseContinue to its beginning."""
    c, m = launched(["dispatch"])
    check(("is held" in m["body"].get("text", ""), m["body"]["threadId"]), (True, 1), m)
    c.ask("stepIn", threadId=1)
    check(c.event("stopped")["body"]["threadId"], 2, "the first wave")
    seen = []
    for _ in range(4):
        seen.append(pc(c))
        c.ask("stepIn", threadId=2, granularity="instruction")
        c.event("stopped")
    check([a - seen[0] for a in seen], [0, 8, 16, 24], "one instruction of 8 bytes after the other")
    for want in seen[:0:-1]:
        c.ask("stepBack", threadId=2, granularity="instruction")
        check((c.event("stopped")["body"]["reason"], pc(c)), ("step", want), "stepBack")
    c.ask("reverseContinue", threadId=2)
    check((c.event("stopped")["body"]["reason"], pc(c)), ("entry", seen[0]), "reverseContinue")
    check(c.end(), 0, "the end")


def stops_at_a_race():
    """dap: by the filter of the check, where a wave loads what another stores without a barrier."""
    c, m = launched(["check-race"], "race", "256")
    check((m["body"]["reason"], "race" in json.dumps(m["body"])), ("exception", True), m)
    text = c.body("exceptionInfo", threadId=m["body"]["threadId"])
    check("stl.u32" in json.dumps(text) and "ldl.u32" in json.dumps(text), True, text)
    check(c.end(), 0, "the end")

class Page:
    """lull debug --web, and commands of its page."""

    def __init__(self, *words):
        self.process = subprocess.Popen([session.lull, "debug", "-nx", "--web", *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        m = re.fullmatch(r"lull debug: http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/\n", self.process.stderr.readline())
        self.port, self.token = int(m[1]), m[2]

    def get(self, path, method="GET", body=None):
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=100)
        c.request(method, f"/{self.token}/{path}", body)
        r = c.getresponse()
        return r.status, r.read()

    def ask(self, *lines):
        return [a[0] for a in json.loads(self.get("command", "POST", "\n".join(lines))[1])]


def page():
    """web: the page comes, and what it asks for is there: waves, values of all lanes, the time, back in it, memory."""
    p = Page("--gpu", "a660", "--", str(pathlib.Path(session.dispatch).resolve()), str(session.code("turns")), "256", "3")
    status, body = p.get("")
    check((status, b"</html>" in body), (200, True), "the page")
    r = p.ask("catch dispatch", "run", "stepi", f"break *$code+{SUM + 8:#x}", "continue", "stepi 6")
    check(r[1]["outcome"], "held", r[1])
    waves, z, when = p.ask("info waves", "print $r0.z", "info when")
    check(([w["wave_in_group"] for w in waves["waves"]], {tuple(w["workgroup"]) for w in waves["waves"]}), ([0, 1, 2, 3], {(0, 0, 0)}), "waves")
    check([int(v, 16) for v in z["lanes"]], [i + 3 for i in range(64)], "$r0.z")
    back, zero, later = p.ask("goto 0", "info when", f"goto {when['time']}")
    check((zero["time"], later.get("error")), (0, None), f"{back} {later}")
    check([int(v, 16) for v in p.ask("print $r0.z")[0]["lanes"]], [i + 3 for i in range(64)], "$r0.z once more")
    base = int(p.ask("print/x $c0.x")[0]["value"], 16) | 1 << 32
    check(p.get(f"memory?address={base:#x}&size=64"), (200, bytes(64)), "memory")
    p.process.send_signal(signal.SIGINT)
    check(p.process.wait(timeout=60), 0, "Ctrl-C")


def many_programs():
    """exec --each --check: two programs, of which one has a race; by this process, and by two ranks."""
    dispatch = pathlib.Path(session.dispatch).resolve()
    (session.here / "each").write_text(f"'{dispatch}' '{session.code('turns')}' 256 3\n'{dispatch}' '{session.code('race')}' 256 3\n")
    ranks = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2", "--mca", "btl", "self,vader,tcp"]
    mpi = shutil.which("mpirun") is not None and list(pathlib.Path(session.lull).resolve().parent.glob("src/mpi/liblull_mpi.so"))
    for prefix in [[], *([ranks] if mpi else [])]:
        database = session.here / "each.sqlite"
        r = subprocess.run([*prefix, session.lull, "exec", "--gpu", "a660", "--each", session.here / "each", "--check", "race", "--sql", database], capture_output=True,
                           text=True, timeout=100, env=dict(os.environ, OMPI_MCA_plm_rsh_agent="/bin/false", OMPI_MCA_rmaps_base_oversubscribe="1"))
        rows = sqlite3.connect(database).execute("SELECT status, text FROM programs ORDER BY number").fetchall()
        check((r.returncode, [row[0] for row in rows]), (1, [0, 1]), f"{prefix}: {r.stdout} {r.stderr}")
        check(("race: 0 findings" in rows[0][1], "race: two waves of a workgroup, no barrier between them" in rows[1][1]), (True, True), rows)
        database.unlink()


session.run([steps_back, stops_at_a_race, page, many_programs])
