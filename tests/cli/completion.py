#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Completion in shells: every command and every option that help lists, as bash, zsh and fish offer them. completion.py LULL."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end, skip  # noqa: E402

lull = str(pathlib.Path(sys.argv[1]).resolve())
env = {**os.environ, "PATH": f"{pathlib.Path(lull).parent}:{os.environ['PATH']}"}


def run(*args):
    return subprocess.run([lull, *args], capture_output=True, text=True)


def complete(script, *words):
    """What bash makes of the line, whose last word is not complete. readline splits words at '=', too."""
    line = " ".join(words)
    split = [w for word in words for w in (re.findall(r"[^=]+|=", word) or [""])]
    code = (f"source {script}; COMP_LINE='{line}'; COMP_POINT=${{#COMP_LINE}}; COMP_WORDS=({' '.join(repr(w) for w in split)});"
            f" COMP_CWORD={len(split) - 1}; _lull; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
    r = subprocess.run(["bash", "-c", code], capture_output=True, text=True, env=env)
    return r.stdout.split(), r.stderr


LINES = [
    (["lull", "r"], {"rd", "replay", "run"}), (["lull", "rd", ""], {"show", "diff", "check", "decompile", "names"}), (["lull", "afuc", ""], {"disasm", "asm"}),
    (["lull", "vm", ""], {"walk"}), (["lull", "crash", "t"], {"triage"}),
    (["lull", "rd", "show", "--s"], {"--summary", "--submit", "--stream", "--sections", "--style", "--sql"}),
    (["lull", "rd", "diff", "-"], {"--ignore-addresses", "--json", "--help"}), (["lull", "rd", "show", "--style=c"], {"cffdump"}),
    (["lull", "rd", "show", "--style", ""], {"lull", "cffdump"}), (["lull", "cc", "--emit=a"], {"asm"}),
    (["lull", "run", "--json", "--wave", ""], {"32", "64"}), (["lull", "rd", "show", "--draw", ""], set()),
    (["lull", "debug", ""], set()), (["lull", "rd", "show", ""], set()), (["lull", "rd", "show", "--", "-"], set()),
    (["lull", "exec", "true", "-"], set()), (["lull", "exec", "--s"], {"--schedule", "--seed", "--socket", "--sql", "--stomp", "--stomp-at", "--stomp-memory"}), (["lull", "none", "-"], set()),
]
commands = re.findall(r"^  ([a-z0-9]+) +\S", run("--help").stdout, re.M)
with tempfile.TemporaryDirectory() as d:
    script = pathlib.Path(d) / "lull.bash"
    script.write_text(run("--completion", "bash").stdout)
    got, err = complete(script, "lull", "")
    case("commands", len(commands) > 10 and set(commands) <= set(got) and err == "", (got, err, commands))
    for c in commands:
        words = re.findall(rf"^(?:usage:|      ) lull {c} ([a-z][a-z-]*)", run(c, "--help").stdout, re.M)
        for word in words or [None]:
            text = run(c, *([word] if word else []), "--help").stdout
            listed = set(re.findall(r"^  (-[\w-]+)", text, re.M)) | set(re.findall(r"^  -[\w-]+, (-[\w-]+)", text, re.M))
            got, err = complete(script, "lull", c, *([word] if word else []), "-")
            case(f"options of {c} {word or ''}: {len(listed)}", listed | {"--help"} == set(got) and err == "", (listed ^ set(got), err))
    for words, want in LINES:
        got, err = complete(script, *words)
        case(" ".join(words), set(got) == want and err == "", (got, err))
    for shell in "zsh", "fish":
        if not shutil.which(shell):
            skip(f"no {shell}")
            continue
        file = pathlib.Path(d) / shell
        file.write_text(run("--completion", shell).stdout)
        r = subprocess.run([shell, "-n", file], capture_output=True, text=True)
        case(f"{shell} reads it", r.returncode == 0 and r.stderr == "", r.stderr)
    if shutil.which("fish"):
        for line, want in ("lull rd d", "diff"), ("lull rd show --su", "--summary"), ("lull rd show --style ", "cffdump"), ("lull cras", "crashdec"):
            r = subprocess.run(["fish", "--no-config", "-c", f"source {d}/fish; complete -C '{line}'"], capture_output=True, text=True, env={**env, "HOME": d})
            case(f"fish: {line}", want in [x.split("\t")[0] for x in r.stdout.split("\n")], r)
for words in [("rd", "diff"), ("crash", "triage"), ("printf", "run"), ("afuc", "asm")]:
    r = run(*words, "--help")
    case(f"help of {' '.join(words)}", r.returncode == 0 and r.stdout.startswith(f"usage: lull {' '.join(words)} ")
         and r.stdout.count("\n") < run(words[0], "--help").stdout.count("\n"), r)
for words in [("help", "rd"), ("rd", "--help")]:
    case(" ".join(words), run(*words).stdout == run("rd", "--help").stdout != "", words)
case("--help behind options", run("rd", "show", "--draw", "3", "--help").stdout == run("rd", "show", "--help").stdout != "")
r = run("exec", "/bin/echo", "--help")
case("--help of a program is its own", "usage: lull" not in r.stdout and r.stdout != "", r)
r = run("--completion", "csh")
case("another shell", r.returncode == 2 and "bash, zsh or fish" in r.stderr, r.stderr)
end()
