#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull crumbs add: what is written is run here, by a small command processor of our own: calls, conditions, writes of memory. Without the
crumbs it must do what the capture did, and every packet that counts must stand between its two numbers. crumbs_add.py LULL [TRACES].

Opcodes, fields and types of sections: Mesa 25.0.7 adreno_pm4.xml, redump.h. What a crumb waits for: tu_cs_breadcrumbs.cc.
"""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import tap  # noqa: E402
from rd_bytes import buffer, pkt4, pkt7, section, stream, words  # noqa: E402
from tap import case  # noqa: E402

lull = str(pathlib.Path(sys.argv[1]).resolve())
keep = tempfile.TemporaryDirectory()
tmp = pathlib.Path(keep.name)
GPUADDR, STREAM, CONTENTS, CHIP_ID = 3, 6, 12, 14
NOP, WAIT_WRITES, WAIT_ME, WFI, BLIT, EXEC_CS, DRAW, WAIT_REG_MEM, MEM_WRITE = 0x10, 0x12, 0x13, 0x26, 0x2C, 0x33, 0x38, 0x3C, 0x3D
IB, COND_EXEC, EVENT, COND_REG, CHAIN = 0x3F, 0x44, 0x46, 0x47, 0x57
MAIN, SECOND, CALLED, DEEP, DATA = 0x100001000, 0x100003000, 0x100008000, 0x10000C000, 0x100020000
PAGE_TEXT = b"lull crumbs 1".ljust(16, b"\0")
MARK = struct.unpack("<II", b"lullcrmb")
SCRATCH = 0x883  # CP_SCRATCH[0] of a6xx.
DRAWS, EVENTS = {DRAW, EXEC_CS, BLIT}, {EVENT}


def lo_hi(address):
    return address & 0xFFFFFFFF, address >> 32


def write(address, value):
    return pkt7(MEM_WRITE, *lo_hi(address), value)


def call(address, dwords, op=IB):
    return pkt7(op, *lo_hi(address), dwords)


def cond_exec(flag, dwords):
    """Runs them if the dword at @flag is not 0 and the one behind it is not above 5."""
    return pkt7(COND_EXEC, *lo_hi(flag), *lo_hi(flag + 4), 5, dwords)


def event(n):
    return pkt7(EVENT, n)


draw, groups, blit = pkt7(DRAW, 4 | 2 << 6, 1, 3), pkt7(EXEC_CS, 0, 0, 0, 0), pkt7(BLIT, 3)


class Memory:
    """The buffers of a capture's submit."""

    def __init__(self, data):
        self.parts, self.streams, last, at = {}, [], None, 0
        while at < len(data):
            kind, size = struct.unpack_from("<II", data, at)
            body = data[at + 8:at + 8 + size]
            at += 8 + size
            if kind in (GPUADDR, STREAM):
                a, n, high = struct.unpack("<III", body)
                last = a | high << 32
                if kind == STREAM:
                    self.streams.append((last, n))
            elif kind == CONTENTS:
                self.parts[last] = bytearray(body)

    def find(self, address):
        return next(((p, address - a) for a, p in self.parts.items() if a <= address < a + len(p)), (None, 0))

    def get(self, address, n=1):
        part, at = self.find(address)
        return list(struct.unpack_from(f"<{n}I", part, at))

    def put(self, address, value):
        part, at = self.find(address)
        struct.pack_into("<I", part, at, value)


def run(memory, address, dwords, out):
    """What the CP does: (opcode or -register, payload, address) of each packet that runs; those that call or count are left out."""
    code, i = memory.get(address, dwords), 0
    while i < dwords:
        head = code[i]
        if head >> 28 == 4:
            what, n = -(head >> 8 & 0x3FFFF), head & 0x7F
        else:
            what, n = head >> 16 & 0x7F, head & 0x3FFF
        args, at = code[i + 1:i + 1 + n], address + 4 * i
        i += 1 + n
        if what in (IB, CHAIN):
            out.append((what, None, at))
            run(memory, args[0] | args[1] << 32, args[2], out)
        elif what == COND_EXEC:
            out.append((what, None, at))
            flag, value = memory.get(args[0] | args[1] << 32)[0], memory.get(args[2] | args[3] << 32)[0]
            i += 0 if flag != 0 and args[4] - value >= 0 else args[5]
        else:
            if what == MEM_WRITE and memory.find(args[0] | args[1] << 32)[0] is not None:
                memory.put(args[0] | args[1] << 32, args[2])
            out.append((what, args, at))
        if what == CHAIN:
            return


def runs(data):
    """Of each stream."""
    memory = Memory(data)
    out = []
    for s in memory.streams:
        out.append([])
        run(memory, *s, out[-1])
    return memory, out


def plain(packets, page):
    """Without crumbs: those are six packets, of which the last is the mark. [(what, args, address it had, crumbs before it)]"""
    out, crumbs, i = [], [], 0
    while i < len(packets):
        five = [p[0] for p in packets[i:i + 4]]
        mark = next((k for k in (4, 5) if i + k < len(packets) and packets[i + k][0] == NOP and tuple(packets[i + k][1][:2]) == MARK), None)
        if five == [WAIT_WRITES, WFI, WAIT_ME, MEM_WRITE] and packets[i + 3][1][:2] == list(lo_hi(page + 16)) and mark is not None:
            number = packets[i + mark][1][2]
            assert packets[i + 3][1][2] == number and (mark == 4 or packets[i + 4][:2] == (-SCRATCH - 6, [number])), packets[i:i + 6]
            crumbs.append((number, packets[i + mark][1][3] | packets[i + mark][1][4] << 32))
            i += mark + 1
            continue
        out.append((*packets[i], crumbs))
        crumbs, i = [], i + 1
    return out, crumbs


def add(data, *args):
    (tmp / "a.rd").write_bytes(data)
    (tmp / "b.rd").unlink(missing_ok=True)
    r = subprocess.run([lull, "crumbs", "add", "a.rd", "-o", "b.rd", *args], capture_output=True, text=True, timeout=60, cwd=tmp)
    return r, (tmp / "b.rd").read_bytes() if (tmp / "b.rd").exists() else None


def capture(*streams, more=(), chip=0x06030001):
    out = section(CHIP_ID, struct.pack("<Q", chip))
    for at, code in streams + more:
        out += buffer(at, words(code))
    return out + b"".join(stream(at, len(code)) for at, code in streams)


def numbers(streams, counted):
    """Of each stream: what runs, with the number that it must have; None: none."""
    out, next_one = [], 0
    for packets in streams:
        of = {}
        for what, _, at in packets:
            if counted(what) and at not in of:
                of[at] = next_one
                next_one += 1
        out.append([(what, args, at, of.get(at) if counted(what) else None) for what, args, at in packets])
    return out


AT = {"draws": lambda what: what in DRAWS, "events": lambda what: what in DRAWS | EVENTS, "packets": lambda what: what != NOP}
deep = groups + event(6)
called = draw + pkt7(NOP, 1, 2) + call(DEEP, len(deep)) + pkt4(0x800, 1, 2)
yes, no = DATA, DATA + 8
data = (DATA, [1, 5, 0, 5] + [0] * 60)
CASES = {
    "one draw": [capture((MAIN, draw))],
    "calls in calls": [capture((MAIN, call(CALLED, len(called)) + blit), more=((CALLED, called), (DEEP, deep)))],
    "a buffer that is called three times": [capture((MAIN, call(CALLED, len(called)) * 3 + draw), more=((CALLED, called), (DEEP, deep)))],
    "two streams that call the same": [capture((MAIN, draw + call(CALLED, len(called))), (SECOND, call(CALLED, len(called)) + groups),
                                               more=((CALLED, called), (DEEP, deep)))],
    "a condition that holds": [capture((MAIN, cond_exec(yes, len(draw + groups)) + draw + groups + blit), more=(data,))],
    "one that does not": [capture((MAIN, cond_exec(no, len(draw + groups)) + draw + groups + blit), more=(data,))],
    "a call under a condition": [capture((MAIN, cond_exec(yes, 4) + call(CALLED, len(called)) + cond_exec(no, 4) + call(CALLED, len(called)) + draw),
                                         more=((CALLED, called), (DEEP, deep), data))],
    "conditions in each other": [capture((MAIN, cond_exec(yes, 7 + 2 * len(draw)) + draw + cond_exec(no, len(draw)) + draw + blit), more=(data,))],
    "a chain": [capture((MAIN, draw + call(CALLED, len(called), CHAIN)), more=((CALLED, called), (DEEP, deep)))],
    "writes of memory": [capture((MAIN, write(DATA + 32, 7) + draw + cond_exec(DATA + 32, len(draw)) + draw), more=(data,))],
}
for name, (data_in,) in CASES.items():
    for at, counted in AT.items():
        r, got = add(data_in, "--at", at)
        if got is None:
            case(f"{name}, {at}", False, r)
            continue
        first, (memory, then) = runs(data_in)[1], runs(got)
        page = next(a for a, p in memory.parts.items() if bytes(p[:16]) == PAGE_TEXT)
        want, ok, why = numbers(first, counted), True, ""
        for packets, now in zip(want, then):
            now, rest = plain(now, page)
            ok &= [(w, a) for w, a, *_ in packets] == [(w, a) for w, a, *_ in now]
            last = None  # the number whose second crumb is due
            for (what, _, was, number), (_, _, _, crumbs) in zip(packets + [(None, None, None, None)], now + [(None, None, None, rest)]):
                due = [] if last is None else [(2 * last[0] + 2, last[1])]
                due += [] if number is None else [(2 * number + 1, was)]
                # what leads elsewhere has its second crumb where it goes on, or nowhere
                if last is not None and last[2] in (IB, CHAIN, COND_EXEC):
                    crumbs = [c for c in crumbs if c[0] % 2 == 1 or c == due[0]]
                    due = due[1:] if due[0] not in crumbs else due
                    crumbs = [c for c in crumbs if c[0] % 2 == 1 or c in due]
                elif at == "packets":  # of calls that return here
                    crumbs = [c for c in crumbs if c in due or c[0] % 2 == 1]
                ok, why = ok and crumbs == due, why or ("" if crumbs == due else (hex(was or 0), crumbs, due))
                last = (number, was, what) if number is not None else None
        if at == "draws":
            listed = subprocess.run([lull, "crumbs", "list", "a.rd", "--json"], capture_output=True, text=True, timeout=60, cwd=tmp)
            by_position = [(c["stream"], c["number"], int(c["address"], 16)) for c in json.loads(listed.stdout)]
            firsts = sorted({(i, p[3], p[2]) for i, s in enumerate(want) for p in s if p[3] is not None})
            ok &= by_position == [(i, 2 * n + side, a) for i, n, a in firsts for side in (1, 2)]
        total = len({(i, p[3]) for i, s in enumerate(want) for p in s if p[3] is not None})
        case(f"{name}, {at}", r.returncode == (0 if total else 1) and len(then) == len(first) and ok
             and f"{total} packet{'s' if total != 1 else ''} with crumbs, 0 without; the last number is at {page + 16:#x}" in r.stdout, (r, why))

# --scratch, --json, and what is not a capture.
r, got = add(capture((MAIN, draw)), "--scratch", "6", "--json")
memory, then = runs(got)
page = int(json.loads(r.stdout)["memory"], 16) - 16
now, rest = plain(then[0], page)
case("--scratch", json.loads(r.stdout) == {"packets": 1, "without": 0, "memory": f"{page + 16:#x}"} and [c for *_, c in now] == [[(1, MAIN)]]
     and rest == [(2, MAIN)] and sum(p[0] == -SCRATCH - 6 for p in then[0]) == 2, (r, then))
r, got = add(capture((MAIN, pkt7(NOP))))
case("nothing that counts", r.returncode == 1 and "0 packets with crumbs" in r.stdout and got is not None, r)
for name, data_in, text in (("no capture", b"\x7fELF" + bytes(100), "a.rd: "), ("a3xx", section(13, struct.pack("<I", 330)) + buffer(MAIN, words(draw))
                             + stream(MAIN, 4), "an a3xx"), ("empty", b"", "a.rd"), ("cut", capture((MAIN, draw))[:-6], "a.rd: byte ")):
    r, got = add(data_in)
    case(name, r.returncode == 3 and text in r.stderr and got is None and r.stdout == "", r)
huge = words(pkt7(NOP) * 0xFFFFF)
r, got = add(section(CHIP_ID, struct.pack("<Q", 0x06030001)) + buffer(MAIN, words(draw) + huge[:-16]) + stream(MAIN, 0xFFFFF))
case("more than can be called", r.returncode == 3 and "only 1048575 can be called" in r.stderr and got is None, r)
r = subprocess.run([lull, "crumbs", "add", "a.rd", "-o", "a.rd"], capture_output=True, text=True, timeout=60, cwd=tmp)
case("over the capture itself", r.returncode == 2, r)


def crumb_of(name):
    r = subprocess.run([lull, "replay", name, "--json"], capture_output=True, text=True, timeout=120, cwd=tmp)
    return json.loads(r.stdout)["submits"][0] if r.stdout else r


def where(name, number):
    r = subprocess.run([lull, "crumbs", "where", str(number), name, "--json"], capture_output=True, text=True, timeout=60, cwd=tmp)
    return json.loads(r.stdout or "[]")


# A packet that never ends, planted at each place: the last crumb is the one before it, and leads to it.
hang = pkt7(WAIT_REG_MEM, 0x13, *lo_hi(DATA + 60), 0xABCD, 0xFFFFFFFF, 16)
steps = [write(DATA + 32, 1), pkt4(0x883, 3), write(DATA + 36, 2), pkt7(WFI)]
for chip in (0x06030001, 0x06060001, 0x43050A01):
    for k in range(len(steps) + 1):
        inner = [w for s in steps[:k] + [hang] + steps[k:] for w in s]
        at = CALLED + 4 * sum(map(len, steps[:k]))
        add(capture((MAIN, call(CALLED, len(inner))), more=((CALLED, inner), (DATA, [1, 5, 0, 5] + [0] * 60)), chip=chip), "--at", "packets")
        got = crumb_of("b.rd")
        place = where("b.rd", got.get("crumb", 0))
        # packet 0 is the call, so the one that hangs is number k + 1
        case(f"a planted hang, {chip:#x}, packet {k}", got.get("result") == "hang" and got["crumb"] == 2 * (k + 1) + 1 and len(place) == 1
             and (place[0]["was"], place[0]["packet"], place[0]["side"], place[0]["by"]) == (f"{at:#x}", "CP_WAIT_REG_MEM", "before", "lull"), (got, place))
add(capture((MAIN, draw)))
got = where("b.rd", 1) + where("b.rd", 2)
case("where: around a draw", [(p["number"], p["side"], p["packet"], p["was"], p["address"]) for p in got] == [
    (1, "before", "CP_DRAW_INDX_OFFSET", f"{MAIN:#x}", got[0]["address"]), (2, "after", "CP_DRAW_INDX_OFFSET", f"{MAIN:#x}", got[0]["address"])], got)
add(capture((MAIN, write(DATA + 32, 1) + pkt7(NOP, *MARK, 0, 0)), more=(data,)), "--at", "packets")
got = crumb_of("b.rd")
case("to the end", got["result"] == "done" and got["crumb"] == 2, got)

# Captures of Turnip and of a kernel: memory after a replay is that of the capture's replay, but for the crumbs.
traces = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else "/nowhere")
for name in ("tu630-gmem", "tu660-stomp", "adreno-draws/630_sysmem_tri", "adreno-draws/630_sysmem_ind"):
    path = traces / f"{name}.rd.gz"
    if not path.exists():
        tap.skip(f"no {path}")
        continue
    for at in AT:
        subprocess.run([lull, "crumbs", "add", path, "-o", tmp / "b.rd", "--at", at], capture_output=True, timeout=120)
        r = subprocess.run([lull, "replay", "b.rd", "--compare", path, "--json"], capture_output=True, text=True, timeout=240, cwd=tmp)
        listed = subprocess.run([lull, "crumbs", "list", path, "--json"], capture_output=True, text=True, timeout=120)
        j = json.loads(r.stdout)
        last = max(c["number"] for c in json.loads(listed.stdout))
        ok = all(s["result"] == "done" for s in j["submits"]) and j["buffers_differ"] == 1 and j["first_missing"] and (at != "draws" or j["submits"][-1]["crumb"] == last)
        case(f"{name}, {at}: the same memory", ok, (r.stdout[-600:], r.stderr))
tap.end()
