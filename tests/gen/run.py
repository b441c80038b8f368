#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run each generator on broken tables: each says in its first line what must be said.

run.py GEN_DIR HERE: err_<what>.<kind> goes to GEN_DIR/<kind>.py or the package GEN_DIR/<kind>, instruction tables to the
commands of GEN_DIR/isa. page_<what>.pm4: the page of its packet has the lines that it says.
Operands of the instructions in tables of semantics are those of data/isa/rdna3.isa.
"""
import contextlib
import io
import pathlib
import runpy
import sys
import tempfile

ISA = {"isa": ["decode"], "sem": ["sem"], "memsem": ["memsem"]}  # Kind: command of gen/isa.


def command(gen, case):
    kind = case.suffix[1:]
    if kind not in ISA:
        return [gen / kind if (gen / kind).is_dir() else gen / f"{kind}.py", case]
    isa = [gen.parent / "data" / "isa" / "rdna3.isa"] if kind == "sem" else []
    return [gen / "isa", *ISA[kind], case, *isa]


def run(words):
    """Exit status and what is written to stderr, of a generator in this process: starting Python takes longer."""
    sys.argv = [str(w) for w in words]
    err, path = io.StringIO(), list(sys.path)
    status = 0
    with contextlib.redirect_stderr(err), contextlib.redirect_stdout(io.StringIO()):
        try:
            runpy.run_path(sys.argv[0], run_name="__main__")
        except SystemExit as e:
            status = e.code
            if isinstance(status, str):
                print(status, file=sys.stderr)
                status = 1
        except Exception as e:  # What Python would show as a traceback is what must not be.
            return f"{type(e).__name__}: {e}", ""
        finally:
            sys.path[:] = path
    return status or 0, err.getvalue()


def page_of(case):
    """What is wanted of the page of the one packet of CASE, and what it lacks of that."""
    wanted = [line.removeprefix("# want: ") for line in case.read_text().splitlines() if line.startswith("# want: ")]
    with tempfile.TemporaryDirectory() as folder:
        status, err = run([gen / "pm4", case, "--pages", folder])
        text = "".join(p.read_text() for p in pathlib.Path(folder).iterdir())
    return status, [line for line in wanted if line not in text.splitlines()] + ([err] if err else [])


gen, here = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
sys.path.insert(0, str(gen))
cases, pages = sorted(here.glob("err_*.*")), sorted(here.glob("page_*.pm4"))
print(f"1..{len(cases) + len(pages)}")
for n, case in enumerate(cases, 1):
    want = case.read_text().splitlines()[0].removeprefix("# want: ")
    status, err = run(command(gen, case))
    ok = status == 1 and want in err
    print(f"{'ok' if ok else 'not ok'} {n} - {case.name}")
    if not ok:
        print(f"# want {want!r}, got {status}: {err.strip()}")
for n, case in enumerate(pages, len(cases) + 1):
    status, lacks = page_of(case)
    print(f"{'ok' if status == 0 and not lacks else 'not ok'} {n} - {case.name}")
    print("".join(f"# page lacks {line!r}\n" for line in lacks), end="")
