#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull disasm against llvm-objdump, and its refusals. disasm.py LULL SOURCE_ROOT."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

lull, root = sys.argv[1], pathlib.Path(sys.argv[2])


def run(*args, stdin=None):
    r = subprocess.run([lull, "disasm", *map(str, args)], capture_output=True, text=True, input=stdin)
    return r.returncode, r.stdout, r.stderr


def objdump(obj, *flags):
    """(offset, words, text, target) of each line."""
    text = subprocess.run(["llvm-objdump-19", "-d", *flags, obj], capture_output=True, text=True, check=True).stdout
    out = []
    for m in re.finditer(r"^\t(.+?)\s*// ([0-9A-F]{12}): ([0-9A-F ]+?)(?: <(.*)>)?$", text, re.M):
        out.append((int(m[2], 16), [int(w, 16) for w in m[3].split()], m[1].strip(), m[4]))
    return out


def compare(name, obj, *flags):
    status, out, err = run("--json", "--no-source", obj)
    if status != 0:
        return case(name, False, err)
    got = json.loads(out)["code"]
    want = objdump(obj, *flags)
    wrong = []
    for g, (offset, words, text, target) in zip(got, want):
        if target is not None:  # ours names the target where LLVM prints a number and then the name
            text = re.sub(r"\S+$", lambda _: target, text)
        mine = (int(g["offset"], 16), [int(w, 16) for w in g["words"]], g["text"])
        if mine != (offset, words, text):
            wrong.append((mine, (offset, words, text)))
    case(f"{name}: {len(want)} instructions", len(got) == len(want) and want and not wrong,
         f"{len(got)} lines, {wrong[:5]}")


with tempfile.TemporaryDirectory() as d:
    tmp = pathlib.Path(d)
    base = ["clang-19", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1100", "-g"]
    image = root / "tests/image/kernels"
    for flags in (["-O0"], ["-O2"], ["-O2", "-mwavefrontsize64"]):
        obj = tmp / "object"
        subprocess.run([*base, *flags, "-x", "cl", "-cl-std=CL2.0", "-nogpulib", image / "basic.cl", "-o", obj], check=True)
        compare("basic.cl " + " ".join(flags), obj, *(["--mattr=+wavefrontsize64"] if len(flags) > 1 else []))
    subprocess.run([*base, "-x", "assembler", image / "plain.s", "-o", obj], check=True)
    compare("plain.s", obj)

    status, out, err = run(image / "plain.s")
    listing = [x.strip() for x in out.splitlines()]
    case("a source is compiled", status == 0 and listing[0] == "plain:" and "loop:" in listing, out + err)
    case("source lines stand before their code", any(x.endswith("plain.s:10  s_add_u32 s0, s0, 1") for x in listing)
         and any(x.endswith("s_cbranch_scc1 loop") for x in listing), out)
    case("--kernel takes a part", [x for x in run("--kernel", "loop", image / "plain.s")[1].splitlines()
                                  if "s_mov_b32" in x] == [])
    (tmp / "words").write_text("0x7e000280, bfb00000\n")
    status, out, err = run("--raw", tmp / "words")
    case("raw words", status == 0 and re.findall(r"(v_mov_b32_e32 v0, 0|s_endpgm)$", out, re.M) ==
         ["v_mov_b32_e32 v0, 0", "s_endpgm"], out + err)
    (tmp / "code").write_bytes(bytes.fromhex("8002007e0000b0bf"))
    case("raw bytes", run("--raw", tmp / "code")[1] == out, run("--raw", tmp / "code"))
    case("raw from stdin", run("--raw", "-", stdin="7e000280 bfb00000")[1] == out)
    status, out, err = run("--raw", "-", stdin="ffffffff")
    case("an unknown word is a finding", status == 1 and ".long 0xffffffff" in out, (status, out))

    # Branches as far as they go, where the listing is made in parts of 32768 dwords; the second part begins behind a literal, at 32769. By the dword
    # of the branch: where it goes, which is its own place, 1 and 16 bits with a sign. In the middle of an instruction no label stands.
    words, goes = [0xbf800000] * 100000, {32766: 0, 10: 32778, 65536: 32769, 65537: 32770, 70000: 37233, 98300: 98304, 98305: 65538, 40010: 40001}
    words[32767] = words[40000] = 0xbe8000ff
    for at, to in goes.items():
        words[at] = 0xbfa00000 | (to - at - 1) & 0xffff
    (tmp / "far").write_bytes(b"".join(w.to_bytes(4, "little") for w in words))
    status, out, err = run("--raw", tmp / "far")
    lines = out.splitlines()
    labels = {line[:-1]: following.split()[0] for line, following in zip(lines, lines[1:]) if line.endswith(":")}
    want = {f"0x{4 * to:x}": f"{4 * to:06x}" for to in goes.values() if to != 40001}
    jumps = {int(x, 16) // 4: int(y, 16) // 4 for x, y in re.findall(r"^  ([0-9a-f]{6})  \w{8} +s_branch 0x([0-9a-f]+)$", out, re.M)}
    case("labels of far branches", status == 0 and labels == want and jumps == goes and len(lines) == len(words) - 2 + len(want),
         (status, labels, jumps, len(lines), err))

    status, out, err = run("--info", "--json", image / "basic.cl")
    kernels = {k["name"]: k for k in json.loads(out)["kernels"]}
    case("--info", kernels["mix"]["required_workgroup"] == [64, 2, 1] and kernels["mix"]["lds_bytes"] == 256
         and [a["name"] for a in kernels["saxpy"]["arguments"][:4]] == ["y", "x", "a", "n"], out)

    # A shader of amdpal with an open relocation in its code, by LLVM alone.
    asm = ".text\n.globl f\n.type f,@function\nf:\n s_mov_b32 s0, doff_0_0_b@abs32@lo\n s_endpgm\n"
    mc = ["llvm-mc-19", "-mcpu=gfx1100", "-filetype=obj"]
    subprocess.run([*mc, "-triple=amdgcn--amdpal", "-o", tmp / "open.o"], input=asm, text=True, check=True)
    relocs = subprocess.run(["llvm-readelf-19", "-r", tmp / "open.o"], capture_output=True, text=True, check=True).stdout
    (tmp / "open2.s").write_text(asm.replace(" s_endpgm", " s_mov_b32 s1, doff_0_1_b@abs32@lo\n s_endpgm"))
    subprocess.run([*mc, "-triple=amdgcn--amdpal", tmp / "open2.s", "-o", tmp / "open2.o"], check=True)
    for name, count in (("open", "1 relocation open"), ("open2", "2 relocations open")):
        for args in ([], ["--info"]):
            status, out, err = run(*args, tmp / f"{name}.o")
            case(f"{name}.o is not for lld {args}", status == 3 and out == "" and "doff_0_0_b" in relocs and f"{name}.o: " in err and count in err
                 and "lull elf show" in err and "lull link" in err and len(err.splitlines()) == 1, (status, err))
    # What lld knows is left to it.
    subprocess.run([*mc, "-triple=amdgcn-amd-amdhsa", "-o", tmp / "hsa.o"], input=asm, text=True, check=True)
    status, out, err = run(tmp / "hsa.o")
    case("an undefined symbol of amdhsa is named by lld", status == 3 and "doff_0_0_b" in err and "lull elf show" not in err, (status, err))
    subprocess.run([*mc, "-triple=amdgcn--amdpal", "-o", tmp / "closed.o"], input=asm.replace("doff_0_0_b@abs32@lo", "7"), text=True, check=True)
    status, out, err = run(tmp / "closed.o")
    case("amdpal without open relocations is linked and listed", status == 0 and "s_mov_b32 s0, 7" in out, (status, out, err))
    (tmp / "bad.cl").write_text("kernel void f() { nothing(); }\n")
    for name, args, want, text in [
            ("no file", [], 2, "no FILE given"), ("unknown option", ["--what", "x"], 2, "no option '--what'"),
            ("unknown isa", ["--isa", "gfx900", "x"], 2, "'gfx900' is not gfx1100"),
            ("bad wave", ["--wave", "7", "x"], 2, "'7' is not 32 or 64"), ("bad level", ["-O9", "x"], 2, "-O: '9'"),
            ("missing file", [tmp / "none.cl"], 3, "none.cl: No such file"),
            ("unknown symbol", ["--kernel", "none", image / "plain.s"], 3, "no code called 'none'"),
            ("broken source", [tmp / "bad.cl"], 3, "bad.cl:1:19: error:"), ("not a GPU's", ["/bin/true"], 3, "is not AMDGPU")]:
        status, out, err = run(*args)
        case(f"refuses: {name}", status == want and text in err and out == "", (status, err))
end()
