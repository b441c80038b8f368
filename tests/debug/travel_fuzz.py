#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random sessions of lull debug that go forward and back: travel_fuzz.py LULL [SEED [SESSIONS [ONLY]]]. TAP.

Each time that a session comes to is noted with the registers and memory that were seen there. Whenever it comes to that time again, by whatever verb, all
must be as it was. What is behind the present is forgotten when the session goes on from the past, as other waves may stand then.
"""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1])]
from tap import case, end  # noqa: E402

lull = os.path.abspath(sys.argv[1])
seed, sessions = int(sys.argv[2]) if len(sys.argv) > 2 else 1, int(sys.argv[3]) if len(sys.argv) > 3 else 12
only = int(sys.argv[4]) if len(sys.argv) > 4 else None
VERBS = 40
SOURCES = {
    "calls": ("""\
int twice(int v)
{
    int r = v + v;
    return r;
}
kernel void k(global int *out, int n)
{
    int i = get_global_id(0);
    int s = i;
    for (int j = 0; j < n; j++) {
        s += twice(j) + i;
        if ((i + j) % 3 == 0) {
            s -= 1;
        }
        out[i] = s;
    }
    out[i] = s * 3;
}
""", (8, 9, 10, 11, 12, 13, 15, 17)),
    "tile": ("""\
kernel void k(global int *out, int n)
{
    local int t[64];
    int l = get_local_id(0), i = get_global_id(0);
    t[l] = i;
    for (int j = 0; j < n; j++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int v = t[(l + 1) % get_local_size(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        t[l] += v;
    }
    out[i] = t[l];
}
""", (4, 5, 7, 8, 10, 12)),
    "long": ("""\
kernel void k(global uint *out, int n)
{
    uint i = get_global_id(0), s = i;
    for (int j = 0; j < n * 5000; j++) {
        s = s * 1664525u + 1013904223u;
        out[(i * 7 + j * 3) & 127] = s;
    }
}
""", (3, 4, 5, 6)),
    "turns": ("""\
kernel void k(global int *out, int n)
{
    int i = get_global_id(0);
    int v = 0;
    for (int j = 0; j < n; j++) {
        v = atomic_add((volatile global int *)&out[127], i % 4);
        out[i % 120] += v;
        atomic_xor((volatile global int *)&out[126], v);
    }
}
""", (3, 4, 6, 7, 8)),
}
LOOK = ("table $pc", "table $exec", "table $v0", "table $v1", "table $v2", "table $s4")


class Session:
    """One lull debug, asked through its standard input."""

    def __init__(self, work, name, args):
        self.said = []
        self.p = subprocess.Popen([lull, "debug", "--json", str(work / f"{name}.cl"), *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, cwd=work, env=os.environ | {"HOME": str(work)})
        self.marks = 0

    def ask(self, command):
        """The answer to @command; {} with what went wrong if it is refused. The echo behind it says where its answer ends."""
        self.marks += 1
        self.p.stdin.write(f"{command}\necho mark-{self.marks}-\n")
        self.p.stdin.flush()
        answer, bad = {}, []
        for line in self.p.stdout:
            if f"mark-{self.marks}-" in line:
                return answer | ({"error": " ".join(bad)} if bad else {})
            if line.startswith("{"):
                answer = json.loads(line)
            else:
                bad.append(line.strip())
        return answer | {"error": "the session is over: " + " ".join(bad)}

    def close(self):
        self.p.stdin.close()
        self.p.wait()


def plain(a):
    """An answer without its text; rows, which are in the order in which waves came to a stop, by their waves."""
    rows = sorted(a.get("rows", []), key=lambda r: r.get("wave", 0))
    return json.dumps({k: v for k, v in a.items() if k not in ("text", "rows")} | {"rows": rows}, sort_keys=True)


def differ(a, b):
    """Where two answers begin to differ."""
    at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), 0)
    return a[max(at - 20, 0):at + 40], b[max(at - 20, 0):at + 40]


def verb(rng, lines, seen, when):
    line = rng.choice(lines)
    to = rng.choice(sorted(seen)) if seen and rng.random() < 0.8 else rng.randint(when.get("first", 0), max(when.get("last", 0), 1))
    return rng.choices(
        ["stepi", f"stepi {rng.randint(2, 40)}", "step", "next", "finish", "continue", f"break {line}", f"tbreak {line}", f"break {line} if $lane == 5",
         f"watch {{u32}}(out+{4 * rng.randrange(128)})", "delete", f"goto {to}", "goto start", "goto end", "reverse-stepi", f"reverse-stepi {rng.randint(2, 60)}",
         "reverse-step", "reverse-next", "reverse-continue", "reverse-finish", f"wave {rng.randrange(4)}", f"set scheduler-locking {rng.choice(['on', 'off', 'step'])}",
         f"until {line}", ],
        [8, 8, 4, 4, 1, 8, 3, 3, 2, 2, 3, 20, 1, 1, 4, 4, 2, 2, 6, 1, 6, 2, 1])[0]


def session(number):
    rng = random.Random(f"{seed} {number}")
    name = rng.choice(sorted(SOURCES))
    source, lines = SOURCES[name]
    work = pathlib.Path(tempfile.mkdtemp())
    (work / f"{name}.cl").write_text(source)
    block = rng.choice((32, 64))
    args = [rng.choice(("-O0", "-O2")), "--grid", str(block * rng.randint(1, 3)), "--block", str(block), "--seed", str(rng.randrange(100)),
            "--arg", "zeros:1024:name=out", "--arg", f"i32:{rng.randint(1, 4)}"]
    s = Session(work, name, args)
    if rng.random() < 0.3:
        s.said.append("set breakpoint mode step")
        s.ask(s.said[0])
    for c in (f"break {rng.choice(lines)}", "run"):
        s.said.append(c)
        s.ask(c)
    memory = f"x/128xw {s.ask('x/1xw out').get('address', 'out')}"  # whatever `out` is where it stands
    seen, bad, again = {}, None, 0
    for _ in range(VERBS):
        when = s.ask("info when")
        if "time" not in when:
            bad = bad or when
            break
        t = when["time"]
        look = tuple(plain(s.ask(c)) for c in (*LOOK, memory))
        if t in seen:
            again += 1
            if seen[t] != look:
                bad = (f"time {t} is not what it was", [(c, *differ(a, b)) for c, a, b in zip((*LOOK, memory), seen[t], look) if a != b])
                break
        seen[t] = look
        command = verb(rng, lines, seen, when)
        back = command.startswith(("goto", "reverse", "wave", "break", "tbreak", "watch", "delete", "set"))
        if not back and t < when["last"]:
            seen = {k: v for k, v in seen.items() if k <= t}
        s.said.append(f"{t}: {command}")
        answer = s.ask(command)
        if "did not come" in answer.get("error", "") or "is over" in answer.get("error", "") or "ended while" in answer.get("error", ""):
            bad = (command, answer)
            break
    s.close()
    case(f"session {number}: {name}.cl {' '.join(args)}: {again} times come to again", bad is None, (bad, s.said))


for n in range(sessions) if only is None else [only]:
    session(n)
end()
