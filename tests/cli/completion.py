#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Completions for shells: every command, and every option that a command's help lists. completion.py LULL."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end, skip  # noqa: E402

lull = str(pathlib.Path(sys.argv[1]).resolve())


def run(*args):
    return subprocess.run([lull, *args], capture_output=True, text=True)


def complete(script, *words):
    """What bash makes of the line, whose last word is not complete."""
    line = " ".join(words)
    code = (f"source {script}; COMP_LINE='{line}'; COMP_POINT=${{#COMP_LINE}}; COMP_WORDS=({' '.join(repr(w) for w in words)});"
            f" COMP_CWORD={len(words) - 1}; _lull; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
    r = subprocess.run(["bash", "-c", code], capture_output=True, text=True)
    return r.stdout.split(), r.stderr


commands = re.findall(r"^  ([a-z0-9]+) +\S", run("--help").stdout, re.M)
with tempfile.TemporaryDirectory() as d:
    script = pathlib.Path(d) / "lull.bash"
    script.write_text(run("--completion", "bash").stdout)
    got, err = complete(script, "lull", "")
    case("commands", len(commands) > 10 and set(commands) <= set(got) and err == "", (got, err, commands))
    for c in commands:
        text = run(c, "--help").stdout
        # Options where they are listed: at the beginning of a line, several separated by blanks or commas.
        listed = set()
        for line in text.split("\n"):
            if re.match(r"  -", line):
                column = re.split(r"   +", line.strip())[0]
                listed |= {o for o in re.findall(r"(?:^| )(--?[A-Za-z][A-Za-z0-9-]*)(?=$|[ ,=])", column)}
        got, err = complete(script, "lull", c, "-")
        have = {g.split("=")[0] for g in got}
        page = pathlib.Path(__file__).resolve().parents[2] / "docs/man" / f"lull-{c}.1"
        case(f"man page of {c}", page.exists() and page.read_text().startswith('.\\" SPDX'), page)
        case(f"options of {c}: {len(listed)}", listed <= have and "--help" in have and err == "", (listed - have, err))
    for words, want in [(["lull", "r"], {"rd", "run"}), (["lull", "rd", ""], {"show", "diff"}), (["lull", "afuc", ""], {"disasm", "asm"}),
                        (["lull", "vm", ""], {"walk"}), (["lull", "rd", "show", "--s"], {"--summary", "--submit", "--stream", "--sections", "--style=cffdump", "--sql"}),
                        (["lull", "rd", "show", "--style=c"], {"cffdump"}), (["lull", "debug", ""], set()), (["lull", "rd", "show", ""], set())]:
        got, err = complete(script, *words)
        case(" ".join(words), set(got) == want and err == "", (got, err))
    for shell, text in [("zsh", "#compdef lull"), ("fish", "complete -c lull -n '__fish_seen_subcommand_from rd' -l summary")]:
        out = run("--completion", shell).stdout
        case(f"{shell}: all commands", text in out and all(c in out for c in commands), out[:500])
        if shutil.which(shell):
            (pathlib.Path(d) / shell).write_text(out)
            r = subprocess.run([shell, "-n", pathlib.Path(d) / shell], capture_output=True, text=True)
            case(f"{shell} reads it", r.returncode == 0 and r.stderr == "", r.stderr)
        else:
            skip(f"no {shell}")
for words in [("rd", "diff"), ("crash", "triage"), ("printf", "run"), ("afuc", "asm")]:
    r = run(*words, "--help")
    case(f"help of {' '.join(words)}", r.returncode == 0 and r.stdout == run(words[0], "--help").stdout, r)
r = run("exec", "/bin/echo", "--help")
case("--help of a program is its own", "usage: lull" not in r.stdout and r.stdout != "", r)
r = run("--completion", "csh")
case("another shell", r.returncode == 2 and "bash, zsh or fish" in r.stderr, r.stderr)
end()
