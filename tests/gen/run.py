#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run each generator on broken tables: each says in its first line what must be said.

run.py GEN_DIR HERE: err_<what>.<kind> goes to GEN_DIR/<kind>.py, instruction tables to the commands of GEN_DIR/isa.
Operands of the instructions in tables of semantics are those of data/isa/rdna3.isa.
"""
import contextlib
import io
import pathlib
import runpy
import sys

ISA = {"isa": ["decode"], "sem": ["sem"], "memsem": ["memsem"]}  # Kind: command of gen/isa.


def command(gen, case):
    kind = case.suffix[1:]
    if kind not in ISA:
        return [gen / f"{kind}.py", case]
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


gen, here = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
sys.path.insert(0, str(gen))
cases = sorted(here.glob("err_*.*"))
print(f"1..{len(cases)}")
for n, case in enumerate(cases, 1):
    want = case.read_text().splitlines()[0].removeprefix("# want: ")
    status, err = run(command(gen, case))
    ok = status == 1 and want in err
    print(f"{'ok' if ok else 'not ok'} {n} - {case.name}")
    if not ok:
        print(f"# want {want!r}, got {status}: {err.strip()}")
