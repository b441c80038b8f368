# SPDX-License-Identifier: MIT
"""What tests of lull debug on an Adreno share: sessions of dispatch.c, which makes dispatches of a shader by msm's calls, and what replies say."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

folder = tempfile.TemporaryDirectory(prefix="lull-")
here = pathlib.Path(folder.name)
lull = dispatch = shaders = None


def begin(program, dispatches, sources):
    """lull, dispatch.c as a program, and the folder of the shaders."""
    global lull, dispatch, shaders
    lull, dispatch, shaders = program, dispatches, pathlib.Path(sources)


def code(shader):
    """A file of the words of a shader."""
    file = here / shader
    if not file.exists():
        source = here / f"{shader}.asm" if (here / f"{shader}.asm").exists() else shaders / f"{shader}.asm"
        subprocess.run([lull, "ir3", "asm", "--gpu", "630", source, "-o", file], check=True)
    return file


def arguments(shader, local, groups, commands, how=None, more=()):
    """Words of a session; @how: "wide" or "twice", as dispatch.c has it."""
    (here / "commands").write_text("".join(f"{c}\n" for c in commands))
    return [lull, "debug", "--gpu", "a660", "-batch", *more, "-x", str(here / "commands"), "--", dispatch, str(code(shader)), str(local), str(groups),
            *([how] if how else [])]


def debug(*args, status=0, **how):
    """What it prints."""
    r = subprocess.run(arguments(*args, **how), capture_output=True, text=True, timeout=100)
    if r.returncode != status:
        raise AssertionError(f"status {r.returncode}, want {status}: {r.stdout[-600:]} {r.stderr}")
    return r.stdout + r.stderr


def replies(text):
    """One JSON object a command; the program's own lines are left out."""
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def objects(*args, **how):
    return replies(debug(*args, more=["--json"], **how))


def check(got, want, what):
    if got != want:
        raise AssertionError(f"{what}: got {str(got)[:600]}, want {str(want)[:600]}")


def need(text, *patterns):
    for p in patterns:
        if not re.search(p, text, re.M):
            raise AssertionError(f"no '{p}' in: {text[-1500:]}")


def lanes(reply):
    return [int(v, 16) for v in reply["lanes"]]


def value(reply):
    return int(reply["value"], 16)


def insn(shader, text):
    """Offset of the instruction that begins so, with (jp) or without; labels are not instructions."""
    lines = [line for line in (shaders / f"{shader}.asm").read_text().splitlines() if not line.endswith(":")]
    return 8 * next(i for i, line in enumerate(lines) if line.removeprefix("(jp)").startswith(text))


def run(cases, absent=lambda case: None):
    """A line of TAP for each, with the first line of what it says of itself; @absent says why one cannot run, or None. Ends the program."""
    failed = 0
    for i, case in enumerate(cases, 1):
        why = absent(case)
        if why is not None:
            print(f"ok {i} # SKIP {case.__name__}: {why}")
            continue
        try:
            case()
            print(f"ok {i} - {case.__name__}: {case.__doc__.splitlines()[0]}", flush=True)
        except Exception as e:
            failed += 1
            print(f"not ok {i} - {case.__name__}\n# {type(e).__name__}: {e!r}", flush=True)
    print(f"1..{len(cases)}")
    sys.exit(1 if failed else 0)
