#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare lull_image_* with LLVM's readers on kernels compiled now. compare.py DUMP_IMAGE KERNELS_DIR."""
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import tap  # noqa: E402

dump, kernels = sys.argv[1], pathlib.Path(sys.argv[2])
target = ["-target", "amdgcn-amd-amdhsa"]
cl = ["-x", "cl", "-cl-std=CL2.0", "-nogpulib", "-g", "-cl-kernel-arg-info"]

KINDS = ["by_value", "global_buffer", "dynamic_shared_pointer", "hidden_block_count", "hidden_group_size",
         "hidden_remainder", "hidden_global_offset", "hidden_grid_dims", "hidden_printf_buffer", "other"]


def same(name, got, want):
    why = f"got  {got}\nwant {want}"
    if isinstance(got, list):
        why = f"got  {[x for x in got if x not in want]}\nwant {[x for x in want if x not in got]}"
    tap.case(name, got == want, why)


def run(*args):
    return subprocess.run([str(a) for a in args], capture_output=True, text=True, check=True).stdout


def build(source, out, cpu, *flags):
    kind = cl if source.suffix == ".cl" else ["-x", "assembler", "-g"]
    run("clang-19", *target, f"-mcpu={cpu}", *kind, *flags, source, "-o", out)


def metadata(obj):
    """Kernels as lists of (key, value) and of arguments, from llvm-readelf's YAML."""
    found, arg = [], None
    block = None
    for line in run("llvm-readelf-19", "--notes", obj).splitlines():
        m = re.match(r"( *)(- )?(\.\w+): *(.*)", line)
        if m is None:
            number = re.match(r"\s+- (\d+)$", line)
            if number and block is not None:
                block.append(number[1])
            continue
        indent, dash, key, value = len(m[1]), m[2], m[3], m[4].removeprefix("!str ").strip("'")
        block = None
        if indent == 2 and dash:
            found.append({"args": [], "block": []})
        if indent >= 6:
            if dash:
                arg = {}
                found[-1]["args"].append(arg)
            arg[key] = value
        else:
            if key == ".reqd_workgroup_size":
                block = found[-1]["block"]
            found[-1][key] = value
    return found


def want_kernels(obj):
    out = []
    for k in metadata(obj):
        # Fields of the descriptor that metadata repeats.
        block = ",".join(k["block"]) or "0,0,0"
        out.append(f"kernel {k['.name']} lds={k['.group_segment_fixed_size']} "
                   f"scratch={k['.private_segment_fixed_size']} kernarg={k['.kernarg_segment_size']} "
                   f"wave32={int(k['.wavefront_size'] == '32')} sgprs={k['.sgpr_count']} "
                   f"vgprs={k['.vgpr_count']} block={block}")
        for n, a in enumerate(k["args"]):
            kind = a[".value_kind"]
            base, axis = (kind[:-2], "xyz".index(kind[-1])) if re.search("_[xyz]$", kind) else (kind, 0)
            number = KINDS.index(base) if base in KINDS else KINDS.index("other")
            out.append(f"arg {k['.name']} {n} kind={number} axis={axis} offset={a['.offset']} "
                       f"size={a['.size']} const={int('.is_const' in a)} type={a.get('.type_name', '')} "
                       f"name={a.get('.name', '')}")
    return out


def want_symbols(obj):
    sections = {}
    for m in re.finditer(r"\[ *(\d+)\] (\S+) +\w+ +[0-9a-f]+ [0-9a-f]+ [0-9a-f]+ [0-9a-f]+ +([A-Z]*) ",
                         run("llvm-readelf-19", "-SW", obj)):
        sections[m[1]] = m[3]
    out = []
    text = run("llvm-readelf-19", "--symbols", "-W", obj).split("'.symtab'")[1]
    for m in re.finditer(r"\d+: ([0-9a-f]+) +(\d+) (?:NOTYPE|OBJECT|FUNC) +\S+ +\S+ +(\d+) (\S+)$", text, re.M):
        kind = "code" if "X" in sections[m[3]] else "data"
        out.append(f"symbol {m[4]} {int(m[1], 16):x} {int(m[2]):x} {kind}")
    return sorted(out)


def want_lines(obj, start, end):
    """What llvm-dwarfdump's rows say of every dword of the code."""
    text = run("llvm-dwarfdump-19", "--debug-line", obj)
    rows = [(int(m[1], 16), int(m[2]), int(m[3]), "is_stmt" in m[5], "end_sequence" in m[5])
            for m in re.finditer(r"^0x([0-9a-f]{16}) +(\d+) +(\d+) +(\d+) +\d+ +\d+ +\d+ *(.*)$", text, re.M)]
    out = []
    for at in range(start, end, 4):
        live = None
        for row in rows:
            if row[0] <= at:
                live = row
        if live and not live[4] and live[1] != 0:
            out.append(f"line {at:x} {live[1]} {live[2]} {int(live[3])}")
    return out


def want_memory(obj, va):
    """Segments from readelf, the one relocation type that our kernels have from readelf too."""
    size = 0
    data = pathlib.Path(obj).read_bytes()
    memory = bytearray(1 << 20)
    for m in re.finditer(r"LOAD +(\S+) (\S+) \S+ (\S+) (\S+)", run("llvm-readelf-19", "-lW", obj)):
        off, addr, fsize, msize = (int(x, 16) for x in m.groups())
        memory[addr:addr + fsize] = data[off:off + fsize]
        size = max(size, addr + msize)
    relocs = re.findall(r"^([0-9a-f]{16}) +\S+ +R_AMDGPU_ABS64 +([0-9a-f]+) +\S+ \+ ([0-9a-f]+)",
                        run("llvm-readelf-19", "-rW", obj), re.M)
    for at, value, addend in relocs:
        at, value = int(at, 16), int(value, 16) + int(addend, 16) + va
        memory[at:at + 8] = value.to_bytes(8, "little")
    return bytes(memory[:size]), len(relocs)


def strip_kernel(line):
    return re.sub(r" (entry|kd|rsrc|properties|preload)=\S+", "", line)


def compare(name, obj, tmp):
    va = 0x7F1234560000
    mem = tmp / "memory"
    got = run(dump, obj, mem, f"{va:x}").splitlines()
    if name.startswith("plain"):
        # From the directives of plain.s; RSRC words are those that llvm-readelf shows in .rodata.
        kd = re.search(r"plain.kd (\S+)", "\n".join(got))[1]
        same(f"{name}: descriptor", strip_kernel(got[0]),
             "kernel plain lds=512 scratch=48 kernarg=24 wave32=1 sgprs=0 vgprs=0 block=0,0,0")
        same(f"{name}: descriptor's place", f"kd={kd} " in got[0], True)
    else:
        same(f"{name}: kernels and arguments",
             [strip_kernel(x) for x in got if x.startswith(("kernel", "arg"))], want_kernels(obj))
    # Entries are the symbols of the functions.
    symbols = {m[1]: m[2] for m in (re.match(r"symbol (\S+) (\S+)", x) for x in got) if m}
    for m in (re.match(r"kernel (\S+) entry=(\S+)", x) for x in got):
        if m:
            same(f"{name}: entry of {m[1]}", m[2], symbols.get(m[1]))
    same(f"{name}: symbols", sorted(x for x in got if x.startswith("symbol")), want_symbols(obj))
    start, end = (int(x, 16) for x in next(x for x in got if x.startswith("code")).split()[1:])
    same(f"{name}: lines", [x.rsplit(" ", 1)[0] for x in got if x.startswith("line")],
         want_lines(obj, start, end))
    memory, relocs = want_memory(obj, va)
    same(f"{name}: memory with {relocs} relocations", mem.read_bytes() == memory, True)


with tempfile.TemporaryDirectory() as d:
    tmp = pathlib.Path(d)
    for source in sorted(kernels.iterdir()):
        variants = [("plain", [])] if source.suffix == ".s" else [
            ("O0", ["-O0"]), ("O2", ["-O2"]), ("O2 wave64", ["-O2", "-mwavefrontsize64"]),
            ("O2 v4", ["-O2", "-mcode-object-version=4"])]
        for label, flags in variants:
            obj = tmp / "object"
            build(source, obj, "gfx1100", *flags)
            compare(f"{source.stem} {label}", obj, tmp)
    for cpu, code in [("gfx1030", 0x36), ("gfx90a", 0x53F), ("gfx1101", 0x46), ("gfx1201", 0x4E), ("gfx803", 0x2A),
                      ("gfx9-generic", 0x151), ("gfx1152", 0x55), ("gfx601", 0x21), ("gfx11-generic", 0x54)]:
        (tmp / "nop.s").write_text("s_nop 0\n")
        build(tmp / "nop.s", tmp / "object", cpu)
        same(f"refuses {cpu}", run(dump, tmp / "object").strip(),
             f"error 4 code for {cpu} (e_flags 0x{code:x}), only gfx1100 is supported")
    run("clang-19", *target, "-mcpu=gfx1100", "-c", "-x", "assembler", tmp / "nop.s", "-o", tmp / "object")
    same("refuses an object that is not linked", run(dump, tmp / "object").strip(),
         "error 4 ELF type 1: not a linked code object; link it with ld.lld -shared")
tap.end()
