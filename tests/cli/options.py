#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Rows of options (src/cli/opt/opt.h): parsing, help and man pages say the same. options.py LULL SOURCE.

`lull --options` prints the rows; everything else is looked at from outside."""
import collections
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

lull = str(pathlib.Path(sys.argv[1]).resolve())
pages = pathlib.Path(sys.argv[2]) / "docs/man"
Row = collections.namedtuple("Row", "command word names value kind flags")
MANY, LAST, HIDDEN = 2, 4, 8
CHOICE = 8
# Words that make lull run and lull cc take the row's form: which of their forms an operand chooses.
CHOOSE = {("run", "--spec"): ["x.spv"], ("cc", "--printf-counter"): ["--printf", "x.spv"], ("run", "--layout"): []}
VALUES = {"X[,Y[,Z]]": "1", "N": "1", "N[-M]": "1", "KINDS": "gpr", "CHECKS": "race", "ADDRESS": "0x1000", "MS": "1", "MIB": "1", "S": "1", "BYTES": "1024", "S.B": "1.2", "LIST": "wave", "SECONDS": "1",
          "WORD[=VALUE]": "CP", "VARIABLE[=FLAG,...]": "A=b", "0..3": "1", "HEX": "1",
          "ID": "5ff", "push:BYTE|spec:ID": "push:8", "DEVICE[:TOLERANCE]": "lavapipe"}
ELSEWHERE = {"replay": {"--vastart", "--vasize"}, "rd": {"--vastart", "--vasize"}, "debug": {"--software"}, "exec": {"--summary", "--c"}}  # of a debugger's command, of vulkaninfo, of vkcube
SPECIAL = {("instrument", "--kind"): "valu", ("instrument", "--offsets"): "0-8", ("replay", "--gpu"): "a630", ("replay", "--dump"): "0:1=x", ("replay", "--while"): "hang", ("stomp", "--until"): "hang", ("replay", "--stomp-at"): "both", ("replay", "--image"): "0,8_UNORM,1x1=x", ("explain", "--gen"): "6", ("printf", "--types"): "i32", ("crash", "--section"): "rings", ("ir3", "--gpu"): "630", ("printf", "--buffer-size"): "1024"}


def run(*args):
    return subprocess.run([lull, *args], capture_output=True, text=True, stdin=subprocess.DEVNULL)


def rows():
    for line in run("--options").stdout.splitlines():
        command, word, names, value, kind, flags = line.split("\t")
        yield Row(command, word, names.split(","), value, int(kind), int(flags))


def refuses(name, args, text):
    r = run(*args)
    first = r.stderr.split("\n")[0]
    case(name, r.returncode == 2 and r.stdout == "" and text in first and r.stderr.count("\n") == 2, (args, r))


def sample(row):
    words = row.value.split("|")
    return SPECIAL.get((row.command, row.names[0])) or VALUES.get(row.value) or (words[0] if row.kind == CHOICE else "x")


table = list(rows())
options = [r for r in table if r.names[0].startswith("-")]
commands = list(dict.fromkeys(r.command for r in table))
case("there are rows", len(commands) > 15 and len(options) > 150, (commands, len(options)))

# Each command refuses what it does not know.
for command, word in dict.fromkeys((r.command, r.word) for r in table):
    refuses(f"{command} {word}: unknown", [command, *([word] if word else []), "--no-such-option"], "no option '--no-such-option'")

# Each option: without its value, with one that it does not take, twice. Both ways to write a value.
of_form = {(r.command, r.word, n) for r in options for n in r.names}
for r in options:
    name = r.names[0]
    front = [r.command, *([r.word] if r.word else [])]
    same = [o for o in options if o.command == r.command and o.names[0] == name]
    if r.flags & HIDDEN or (not r.word and len(same) > 1 and r != same[0]):
        continue
    explored = r.command == "explore" and name in ("--groups", "--bind", "--buffer", "--push", "--spec", "--entry", "--subgroup-size", "--base", "--push-set", "--repeat", "--tolerance",
                                                   "-D", "-I", "--async", "--indirect", "--full-subgroups", "--assume")
    shader = explored or r.command == "run" and name in ("--groups", "--bind", "--push", "--spec", "--entry", "--subgroup-size", "--base", "--push-set",
                                             "--repeat", "--out", "--out-dir", "--expect", "--tolerance", "-D", "-I", "--async", "--indirect",
                                             "--full-subgroups", "--vulkan-device", "--assume")
    module = r.command == "cc" and name in ("--printf-address", "--printf-counter", "--strings")
    pipeline = r.command == "run" and name in ("--printf-bind",) or r.command == "debug" and name in ("--groups", "--bind", "--buffer", "--push", "--out")
    scene = (r.command, name) in (("run", "--draws"), ("run", "--png"), ("diff", "--out"))
    capture = (r.command, name) == ("stomp", "--until")
    front += ["x.rd"] if capture else ["x.scene"] if scene else ["--printf", "x.spv"] if module else ["x.spv"] if shader else ["--layout", "x"] if pipeline else []
    for n in r.names:
        if r.value:
            refuses(f"{' '.join(front)} {n}: no value", [*front, n], f"{r.names[0]} needs a value")
        elif n.startswith("--"):
            refuses(f"{' '.join(front)} {n}=1", [*front, n + "=1"], f"{r.names[0]} takes no value")
    if r.value and not r.flags & (MANY | LAST):
        v = sample(r)
        refuses(f"{' '.join(front)} {name} twice", [*front, f"{name}={v}", name, v], f"{name} is given twice")

# A time-out of 0 is none anywhere, and the one that is taken if none is given is the same for a kernel wherever it runs.
for front in ["run"], ["run", "x.spv"], ["run", "--layout", "x"], ["debug"], ["vm", "walk"], ["exec"], ["diff"], ["printf", "run"]:
    refuses(f"{' '.join(front)} --timeout 0", [*front, "--timeout", "0", "x"], "--timeout: '0' is not a number from 1 to ")
    r = run(*front, "--timeout", "-1", "x")
    case(f"{' '.join(front)} --timeout -1", r.returncode == 2, r)
said = [re.search(r"^If not given: -O\d, --timeout (\d+)", run(c, "--help").stdout, re.M) for c in ("run", "debug")]
case("one time-out", None not in said and said[0][1] == said[1][1], said)

# Help names each, in lines that fit; so does the man page, and that has no other.
for command in commands:
    text = run(command, "--help").stdout
    case(f"{command} --help: 100 columns", max(map(len, text.split("\n"))) <= 100, [x for x in text.split("\n") if len(x) > 100])
    names = {n for r in options if r.command == command and not r.flags & HIDDEN for n in r.names}
    told = set(re.findall(r"(?<![\w-])--?[A-Za-z][\w-]*", text))
    case(f"{command} --help: all options", names <= told, names - told)
    page = (pages / f"lull-{command}.1").read_text().replace("\\-", "-").replace("\\fR", "").replace("\\fP", "")
    have = set(re.findall(r"(?<![\w-])--?[A-Za-z][\w-]*", page)) | ({"-O"} if re.search(r"-O[0-3]", page) else set())
    case(f"lull-{command}.1: all options", names <= have, sorted(names - have))
    others = {n for r in options for n in r.names if r.command != command and re.search(rf"lull {r.command}\b", page)} | {"--help"}
    long = {n for n in have if n.startswith("--")}
    case(f"lull-{command}.1: no other options", long <= names | others | ELSEWHERE.get(command, set()), sorted(long - names - others))
    for word in dict.fromkeys(r.word for r in table if r.command == command and r.word):
        one = run(command, word, "--help")
        case(f"{command} {word} --help", one.returncode == 0 and one.stdout.startswith(f"usage: lull {command} {word}")
             and one.stdout.count("usage:") == 1, one.stdout[:200])
end()
