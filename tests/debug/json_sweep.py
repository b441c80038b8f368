#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""--json over all commands of the debugger: json_sweep.py LULL. Each command of its table, and each subject of info, has lines here; each line gives one object
of JSON on one line, its answer or its error, and an answer that is not only text. A command that is new fails until it has lines.
"""
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1])]
from tap import case, end  # noqa: E402

lull = os.path.abspath(sys.argv[1])
work = pathlib.Path(tempfile.mkdtemp())
(work / "v.cl").write_text("""\
static int half_of(int a) { int h = a / 2; return h; }
kernel void v(global int *out, int n)
{
    int i = get_global_id(0);
    int acc = n;
    for (int k = 0; k < 3; k++) {
        acc += half_of(i + k);
    }
    out[i] = acc;
}
""")
KERNEL = ["v.cl", "--grid", "64", "--block", "32", "--arg", "zeros:256:name=out", "--arg", "i32:7"]

# What answers have besides "command" and "text". "": they have done it, and there is nothing to say. "text": the text is all there is to say.
SCRIPT = """
show -> target path
set pagination off ->
help -> commands
help print -> commands
apropos watch -> commands
info line v.cl:9 -> address file line
list v.cl:4 -> file line lines
list 1,2 -> lines
list v.cl:2,v.cl:4 -> file lines first
list half_of,4 -> lines
tbreak v.cl:5 -> number
break v.cl:9 -> number address places
catch fp -> number
condition 2 i == 33 ->
ignore 2 0 ->
disable 3 ->
enable 3 ->
info breakpoints -> breakpoints
info watchpoints -> breakpoints
shell echo a -> text
save breakpoints b.txt -> file
start -> outcome wave
when -> time
info when -> time
info writer v -> error
run -> error
continue -> outcome
source nothing.txt -> error
complete pri -> lines
complete print ac -> lines
lua 1+1 -> text
info locals -> variables
info args -> variables
info scope v.cl:7 -> variables
info source -> file
info frame -> frame pc
info frame 0 -> frame pc
show listsize -> listsize
show confirm -> text
print/a $pc -> value
info registers scalar -> registers
info waves -> waves
info lanes -> lanes
info bos -> bos
info access -> access
info address n -> space|address|register|text
info symbol v -> address symbol
info functions -> functions
info types -> types
info variables -> variables
info display -> text
info printf -> printf
info line -> address line
backtrace -> frames
where -> frames
up -> error
down -> error
frame 0 -> chosen
print i -> expression type lanes
call i + 1 -> expression lanes
output i -> expression lanes
printf "%d\\n",i -> text
echo words\\n -> text
ptype i -> type
whatis i -> type
display acc ->
undisplay 1 ->
x/2xw out -> address values
x/2i $pc -> instructions
disassemble -> instructions
vm walk out -> va steps
table i -> rows
lane 3 -> wave lane
lanes where i > 5 -> lanes
focus wave 0 -> wave
wave 0 -> wave
thread 1 -> wave
wg 0 -> wave
why i -> nodes|error
dump memory m.bin out 64 -> file size
record save k.rec -> file
next -> outcome
step -> outcome
until -> outcome
stepi -> outcome
nexti -> outcome
reverse -stepi -> outcome
rsi -> outcome
rni -> outcome
rs -> outcome
rn -> outcome
reverse -continue -until *out -> outcome
goto start -> outcome
rc -> outcome
dprintf v.cl:9,"acc %d\\n",acc -> number
watch out+160 -> number
rwatch *out -> number|error
awatch *out -> number|error
clear v.cl:9 -> deleted
delete ->
advance v.cl:9 -> outcome
finish -> outcome
interrupt -> outcome
continue -> outcome
kill -> error
catch dispatch -> error
source on -> error
debug pixel 1 1 -> error
vertex 1 -> error
other -> error
web x -> error
primitive 1 -> error
pixel 1 1 -> error
stepp -> error
nextp -> error
info crash -> error
info descriptors -> error
info dispatch -> started
info dispatches -> started
info draw -> error
info draws -> error
info firmware -> error
info lines -> error
info missing -> error
info packets -> error
info pipeline -> error
info push-constants -> error
info regs VGT -> error
info submits -> error
info findings -> error
nonsense -> error
quit ->
"""

def session(commands):
    """An object for each command: each runs alone behind those that did not fail, since a script ends at an error."""
    r = subprocess.run([lull, "debug", *KERNEL, "--json"], input="\n".join(commands) + "\n", capture_output=True, text=True, timeout=300, cwd=work,
                       env={**os.environ, "HOME": str(work)})
    return r.stdout.splitlines(), r.stderr


def listed():
    """The commands of the table, and the subjects of info."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    lines, errors = session(["help", *(f"complete info {c}" for c in letters)])
    objects = [json.loads(line) for line in lines]
    names = [c["name"] for c in objects[0]["commands"]] if objects else []
    return names, [w.split()[1] for o in objects[1:] for w in o["lines"]], errors


def main():
    rows = [line.rpartition(" ->") for line in SCRIPT.strip().splitlines()]
    rows = [(command.replace("\\\\n", "\\n"), wants.split()) for command, _, wants in rows]
    names, subjects, r = listed()
    case("the table of commands", len(names) > 60 and len(subjects) > 20, (len(names), len(subjects), r))
    tried = {command.split()[0].split("/")[0] for command, _ in rows}
    case("each command has lines here", set(names) <= tried, sorted(set(names) - tried))
    tried = {command.split()[1] for command, _ in rows if command.startswith("info ")}
    case("each subject of info, too", set(subjects) <= tried, sorted(set(subjects) - tried))
    lines, _ = session(["help info", "info zzz"])
    for line in lines:
        text = re.findall(r"[a-z-]+", str(json.loads(line)))
        case("... is named by 'help info' and by the error of a subject that there is not", set(subjects) <= set(text), sorted(set(subjects) - set(text)))
    lines, errors = session([command for command, _ in rows])
    objects = collections.deque()
    bad = []
    for line in lines:
        try:
            objects.append(json.loads(line))
        except ValueError:
            bad.append(line)
    case("all that is written is JSON, an object a line", not bad, bad[:5])
    places = [p for o in objects if o.get("command") == "break" for p in o.get("places", [])]
    case("a breakpoint's places have file and line", places != [] and all(p.get("line") in (5, 9) and p.get("file", "").endswith("v.cl") for p in places if "line" in p)
         and any(p.get("line") == 9 for p in places), places)
    for command, wants in rows:
        name = command.split()[0].split("/")[0]
        got = objects.popleft() if objects else {}
        same = got.get("command", "").split("/")[0].split()[:1] == [name]
        more = [k for k in got if k not in ("command", "text")]
        if wants == ["error"]:
            good = bool(got.get("error"))
        else:
            good = got != {} and all(any(k in got for k in want.split("|")) for want in wants) and ("error" not in got or any("error" in w for w in wants))
            good = good and (wants != [] or not got.get("text"))
        good = good and same
        case(f"{command}: {' '.join(wants) or 'nothing to say'}", good, (more, got, errors[-300:] if not got else ""))
    end()


main()
