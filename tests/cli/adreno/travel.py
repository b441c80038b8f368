#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Back in time in a dispatch on an Adreno: travel.py LULL DISPATCH SHADERS. One TAP line a case.

What registers and memory hold at a time is noted while the dispatch goes forward, or computed here from what the shader says.
"""
import json
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import session  # noqa: E402
from session import check, insn, lanes, need, value  # noqa: E402

session.begin(*sys.argv[1:4])
BASE = "($c0.x | 0x100000000)"


def debug(shader, local, groups, commands, more=None, status=0, first=()):
    """What it prints."""
    return session.debug(shader, local, groups, [*first, "catch dispatch", "run", *commands], how=more, status=status, more=["--json"])


def replies(text):
    """One JSON object a command, but for those up to `run`."""
    r = session.replies(text)
    return r[1 + next(i for i, x in enumerate(r) if x.get("outcome") == "held"):]


def objects(*args, **how):
    return replies(debug(*args, **how))


def turns(group):
    """What the 256 invocations of a group of turns.asm store: six times 3 v + v of the one 64 further on."""
    v = [256 * group + i + 3 for i in range(256)]
    for _ in range(6):
        v = [(3 * v[i] + v[(i + 64) % 256]) % 2**32 for i in range(256)]
    return v


OUT = "out: " + " ".join(str(v) for v in turns(0)[:8])
LOOK = ["info when", "info waves", "print $r0.z", "print $r1.x", f"x/64wx {BASE}", f"x/4wx {BASE} + 0x2000"]


def seen(look):
    """What LOOK shows: time; waves with their PCs; registers; memory."""
    when, waves, a, b, out, counter = look
    return (when["time"], when.get("executed"), [(w["wave"], w["pc"], w["workgroup"]) for w in waves["waves"]], a["lanes"], b["lanes"], out["values"],
            counter["values"])


def at_any_time():
    """Steps of several waves, whose order says who comes to the counter when; then to each of those times, in any order."""
    moves = [[f"wave {n}" for n in [w]] + [f"stepi {k}"] for w, k in ((0, 3), (2, 21), (1, 40), (3, 5), (3, 1), (0, 90), (2, 30), (1, 70))]
    moves += [[f"break *$code+{insn('turns', 'atomic'):#x}", "continue"], ["stepi 1"], ["continue"], ["continue"], ["stepi 2"], ["delete 2", "stepi 1"]]
    moves[0].insert(0, "stepi")
    forward = [c for m in moves for c in [*m, *LOOK, "print $_thread"]]
    n = [len(m) for m in moves]
    r = objects("turns", 256, 3, forward)
    notes, at = [], 0
    for k in n:
        at += k
        notes.append((seen(r[at:at + len(LOOK)]), value(r[at + len(LOOK)])))
        at += len(LOOK) + 1
    check(len(r), at, "replies")
    check(len({x[0][0] for x in notes}), len(notes), "all times are different")
    order = list(range(len(notes)))
    random.Random(7).shuffle(order)
    order += order[::-1]
    back = [c for i in order for c in [f"goto {notes[i][0][0]}", f"wave {notes[i][1]}", *LOOK]]
    text = debug("turns", 256, 3, [*forward, *back, "goto end", "delete", "continue"])
    r = replies(text)[len(forward):]
    for k, i in enumerate(order):
        unit = 2 + len(LOOK)
        check(seen(r[k * unit + 2:(k + 1) * unit]), notes[i][0], f"time {notes[i][0][0]}")
    check(r[-1]["outcome"], "done", "the end")
    need(text, f"^{OUT}$")


def whose_turn():
    """A wave whose turn it is stops in front of its first instruction, and stands while the other goes: then it is whose turn it was then."""
    first, loop = insn("long", "add.u") // 8, insn("long", "br") // 8 - insn("long", "add.u") // 8 + 1
    at = 8 * (first + (64 - first) % loop)  # where a wave is after a turn
    stops = (64 - first) // loop  # of a wave in its first turn
    forward = ["stepi", f"break *$code+{at:#x}", *["continue"] * (2 * stops + 1), "info when", "wave 1", "stepi 3", f"break *$code+{at:#x} if $r1.x == 40",
               "delete 2", "continue", "info when", "info waves", "stepi 2", "info waves"]
    r = objects("long", 128, 1, [*forward, "goto 100", "info waves"])
    check(r[2 * stops + 3]["time"], 128, "two turns")
    when = r[-6]["time"]
    back = objects("long", 128, 1, [*forward, "goto 100", f"goto {when}", "info waves", "wave 0", f"goto {when + 2}", "info waves"])[-5:]
    for got, want in ((back[1], r[-5]), (back[4], r[-3])):
        check([(w["pc"], w["wave"]) for w in got["waves"]], [(w["pc"], w["wave"]) for w in want["waves"]], "waves")


def one_by_one():
    """reverse-stepi as often as stepi: the same PCs and values, and the dispatch ends as if nothing had been."""
    steps = 60
    look = ["print $r0.z", "print $pc", "info when"]
    forward = ["stepi", *look] + ["stepi", *look] * steps
    back = ["reverse-stepi", *look] * steps
    back[0], back[len(look) + 1] = "reverse-step", "reverse-next"  # without lines these are the same
    text = debug("turns", 256, 1, [*forward, *back, "reverse-stepi", "continue"])
    r = replies(text)
    notes = [(r[i + 1]["lanes"], r[i + 2]["value"], r[i + 3]["executed"]) for i in range(0, 4 * (2 * steps + 1), 4)]
    check(notes[steps + 1:], notes[steps - 1::-1], "backwards")
    check((r[-2]["no_more_history"], r[-1]["outcome"]), (True, "done"), "the first, the last")
    need(text, f"^{OUT}$")


def who_wrote():
    """Back to the instruction, wave and lane that wrote a word of the output, the counter, a register."""
    end = insn("turns", "end")
    stop = [f"break *$code+{end:#x} if $r48.x == 2 && $_thread >= 0", "continue", "delete 2"]
    for word, group in ((5, 0), (300, 1), (767, 2)):
        commands = [*stop, *(["wg 2 thread 255", f"until *$code+{end:#x}"] if word == 767 else []), f"watch --software {{u32}}({BASE} + {4 * word})",
                    "reverse-continue", "print $_lane", "print $r0.z", "reverse-continue"]
        r = objects("turns", 256, 3, commands)[-5:]
        check((r[1]["workgroup"], r[1]["wave_in_group"], int(r[1]["pc"], 16) % 4096), ([group, 0, 0], word % 256 // 64, insn("turns", "stg")), f"word {word}")
        check(value(r[2]), word % 64, "lane")
        check(lanes(r[3]), turns(group)[word % 256 // 64 * 64:][:64], "what it stores")
        check(r[4]["no_more_history"], True, "nobody else did")
    # The first wave of the last group, and then the one that was let go, came to the counter last.
    r = objects("turns", 256, 3, [*stop, "wg 2 thread 255", f"until *$code+{end:#x}", f"watch --software {{u32}}({BASE} + 0x2000)", "reverse-continue",
                                  f"x/1wx {BASE} + 0x2000", "reverse-continue", f"x/1wx {BASE} + 0x2000"])
    for i, before in ((-4, 9), (-2, 8)):
        check(int(r[i]["pc"], 16) % 4096, insn("turns", "atomic"), "the counter")
        check(int(r[i + 1]["values"][0], 16), 64 * before, "what it was")
    # r0.z changes in the second of the two adds of a round, and in the first.
    r = objects("turns", 256, 1, [f"break *$code+{insn('turns', 'cmps'):#x}", "continue", "delete 2", "watch $r0.z", "reverse-continue", "print $r0.z",
                                  "reverse-continue", "print $r0.z"])
    first = insn("turns", "add.u r0.z, r0.z, r1.y")
    check([int(r[i]["pc"], 16) % 4096 for i in (4, 6)], [first + 16, first], "who changed $r0.z")
    check([lanes(r[i]) for i in (5, 7)], [[3 * (k + 3) for k in range(64)], [k + 3 for k in range(64)]], "what it was")


def wide():
    """The second half of a wave of 128 fibers keeps its place; back to a fiber of it."""
    end = insn("turns", "end")
    r = objects("turns", 256, 1, [f"break *$code+{end:#x}", "continue", "delete 2", f"watch --software {{u32}}({BASE} + {4 * 100})", "reverse-continue",
                                  "print $_lane", "reverse-stepi", "print $_lane", "print $r0.x[36]", "info waves"], more="wide")
    check((r[4]["wave_in_group"], value(r[5]), value(r[7])), (1, 36, 36), "fiber 100")
    check(value(r[8]), 100, "$r0.x")
    check(len(r[9]["waves"]), 4, "halves")


def before_the_next():
    """In front of the second dispatch of a command buffer the first can be gone back to, and on from; what packets wrote between them goes and comes."""
    between, word = "x/1wx 0x100005800", f"x/1wx {0x100002000 + 4 * 300:#x}"
    watch = f"watch --software {{u32}}({0x100002000 + 4 * 300:#x})"
    look = ["info when", between, word, "info dispatches"]

    def seen(r):
        return (r[0]["time"], int(r[1]["values"][0], 16), int(r[2]["values"][0], 16), [d["state"] for d in r[3]["dispatches"]])

    commands = ["continue", *look, watch, "reverse-continue", *look, "goto end", *look, "delete 2", "goto 100", "continue", *look,
                watch, "reverse-continue", *look[1:2], "delete 3", "goto end", f"break *$code+{insn('turns', 'end'):#x}", "continue", "info when",
                "reverse-stepi 20", "info when", "delete 4", "continue"]
    text = debug("turns", 256, 3, commands, more="twice")
    r = replies(text)
    done = turns(1)[44]
    check((r[0]["outcome"], r[0]["dispatch"]), ("held", 1), "the second")
    end = seen(r[1:5])
    check(end[1:], (0x5EED, done, ["done", "held"]), "in front of it")
    check((r[6]["workgroup"], r[6]["wave_in_group"], int(r[6]["pc"], 16) % 4096), ([1, 0, 0], 0, insn("turns", "stg")), "who wrote word 300")
    check(seen(r[7:11])[1:], (0, 0xD0000000 + 44, ["running"]), "then")
    check((r[11]["outcome"], seen(r[12:16])), ("held", end), "goto end")
    check((r[18]["outcome"], seen(r[19:23])), ("held", end), "once more, from time 100")
    check((int(r[24]["pc"], 16) % 4096, int(r[25]["values"][0], 16)), (insn("turns", "stg"), 0), "who wrote it, once more")
    check((r[27]["outcome"], r[29]["stop"]), ("held", "breakpoint"), "the second runs")
    check(r[30]["time"] > r[32]["time"] > 0 and r[30]["executed"] - r[32]["executed"] == 20, True, "its own time")
    check(r[-1]["outcome"], "done", "the end")
    need(text, f"^{OUT}$")


def written():
    """What is set at a stop stays where it was set: before it is not there, behind it is, and the dispatch goes on with it."""
    at = insn("turns", "shl.b r1.y")
    out = debug("turns", 256, 1, [f"break *$code+{at:#x}", "continue", "delete 2", "set $r0.z[5] = 1000", f"set {{u32}}({BASE} + 0x3000) = 77", "info when", "stepi 5",
                                  "info when", "reverse-stepi 7", "print $r0.z[5]", f"x/1wx {BASE} + 0x3000", "goto end", "print $r0.z[5]",
                                  f"x/1wx {BASE} + 0x3000", "delete", "continue"])
    r = replies(out)
    check((value(r[9]), int(r[10]["values"][0], 16)), (8, 0), "before")
    check((value(r[12]), int(r[13]["values"][0], 16)), (3000 + 72, 77), "behind")
    check(r[-1]["outcome"], "done", "the end")
    # What was set in the past is another way on.
    r = objects("turns", 256, 1, [f"break *$code+{at:#x}", "continue", "delete 2", "stepi 5", "reverse-stepi 5", "set $r0.z[5] = 2000", "stepi 5",
                                  "print $r0.z[5]", "info when", "reverse-stepi 9", "print $r0.z[5]", "goto end", "print $r0.z[5]"])
    check([value(r[i]) for i in (7, 10, 12)], [6000 + 72, 8, 6000 + 72], "another way")


def limits():
    """Many snapshots; and in little memory what is remembered begins later."""
    end, store = insn("long", "end"), insn("long", "stg")
    loop = insn("long", "br") // 8 - insn("long", "add.u") // 8 + 1  # instructions of a round

    def rounds(executed):  # that a wave has begun; $r1.x is their number
        first = insn("long", "add.u") // 8
        return (executed - first + loop - 1) // loop if executed > first else 0

    commands = [f"break *$code+{end:#x}", "continue", "info when", "delete 2"]
    times = [0, 5, 100000, 300001, 777777, 900000, 300000, 1000000]
    r = objects("long", 128, 1, [*commands, *[c for t in times for c in (f"goto {t}", "info when", "print $r1.x", f"x/1wx {BASE} + 12", "info waves")],
                                 "reverse-stepi", "info when", "continue"])
    when = r[2]
    check(when["first"] == 0 and when["snapshots"] >= 4 and when["last"] > 1000000, True, f"snapshots: {when}")
    for i, t in enumerate(times):
        g = r[4 + 5 * i:][:5]
        check(g[1]["time"], t, "goto")
        if g[1]["executed"] > 10:
            check(set(lanes(g[2])), {rounds(g[1]["executed"])}, f"$r1.x at {t}")
    check(r[-1]["outcome"], "done", "the end")
    # A snapshot has 0.8 MiB. Those behind what was set stay, so that the first must go.
    commands = [f"break *$code+{store:#x}", "continue", "set $r3.x = 1", "ignore 2 500", "continue", "set $r3.x = 2", "stepi", "info when", "delete 2"]
    out = debug("long", 512, 1, [*commands, "goto 0"], first=("set record-memory 1",), status=3)
    need(out, r"time 0: what is remembered is [1-9]\d* to \d+")
    when = next(json.loads(line) for line in out.splitlines() if '"snapshots"' in line)
    check(when["bytes"] <= 1 << 20 and when["first"] > 0, True, f"1 MiB: {when}")
    r = objects("long", 512, 1, [*commands, f"goto {when['first']}", "info when", "print $r1.x", "print $r3.x[0]", "kill"], first=("set record-memory 1",))
    check((set(lanes(r[-3])), value(r[-2])), ({rounds(r[-4]["executed"])}, 2), "the first time")


def in_an_order():
    """By a schedule group 0 waits in front of its barrier until group 2 has begun, and group 1 comes to its end: three groups are under way, now and back in time."""
    schedule = session.here / "groups.schedule"
    schedule.write_text("lull schedule 1\nhold 0:0 0,0,0 0 at 30 until 0:0 2,0,0 1 has 40\n")
    at = insn("turns", "atomic")
    forward = [f"break *$code+{at:#x}", *[c for _ in range(12) for c in ["continue", *LOOK]]]
    options = ["--json", "--schedule", str(schedule)]
    r = replies(session.debug("turns", 256, 3, ["catch dispatch", "run", *forward], more=options))
    notes = [seen(r[2 + 7 * i:][:6]) for i in range(12)]
    check([n[2][0][2][0] for n in notes], [1] * 4 + [0] * 4 + [2] * 4, "the group of each wave that comes to the counter")
    order = [11, 0, 7, 3, 4, 8, 1]
    text = session.debug("turns", 256, 3, ["catch dispatch", "run", *forward, *[c for i in order for c in [f"goto {notes[i][0]}", *LOOK]], "goto end", "delete", "continue"],
                         more=options)
    back = replies(text)[len(r):]
    for k, i in enumerate(order):
        got, want = seen(back[7 * k + 1:][:6]), notes[i]
        check((got[0], [w[1:] for w in got[2]], got[5:]), (want[0], [w[1:] for w in want[2]], want[5:]), f"time {want[0]}")
    check(back[-1]["outcome"], "done", "the end")
    need(text, f"^{OUT}$")
    out = session.debug("turns", 256, 3, ["catch dispatch", "run", f"record save {session.here}/x.rd", "kill"], more=options[1:], status=3)
    need(out, "the record of a program's dispatch holds no schedule")


CASES = [at_any_time, in_an_order, whose_turn, one_by_one, who_wrote, wide, before_the_next, written, limits]
session.run(CASES)
