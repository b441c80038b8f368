#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull printf format and decode, with documents and buffers made here. printf.py LULL SOURCE."""
import csv
import json
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end, skip  # noqa: E402

lull, source = sys.argv[1], pathlib.Path(sys.argv[2])


def run(*args, text=True):
    r = subprocess.run([lull, "printf", *map(str, args)], capture_output=True, text=text, stdin=subprocess.DEVNULL,
                       errors="surrogateescape" if text else None)
    return r.returncode, r.stdout, r.stderr


# MessagePack, what of it is needed; longer forms than the shortest, which are as good.
def pack(v):
    if isinstance(v, bool):
        return b"\xc3" if v else b"\xc2"
    if isinstance(v, int):
        return b"\xcf" + struct.pack(">Q", v)
    if isinstance(v, (str, bytes)):
        v = v.encode("utf-8", "surrogateescape") if isinstance(v, str) else v
        return b"\xdb" + struct.pack(">I", len(v)) + v
    if isinstance(v, list):
        return b"\xdd" + struct.pack(">I", len(v)) + b"".join(map(pack, v))
    return b"\xdf" + struct.pack(">I", len(v)) + b"".join(pack(k) + pack(x) for k, x in v.items())


def string(index, text, scalars=0, mask=0):
    words = [mask >> 64 * i & (1 << 64) - 1 for i in range((scalars + 63) // 64)]
    return {".index": index, ".string": text, ".argument_count": scalars, ".64bit_arguments": words}


def document(*strings, extra=None, **more):
    root = {"amdpal.version": [3, 0], "amdpal.format_strings": {".version": 1, ".strings": list(strings), **more}}
    if extra is not None:
        root["lull.format_strings"] = {".version": 1, ".strings": extra}
    return root


def entry(index, *dwords, size=None):
    return struct.pack("<Q", index << 16 | (len(dwords) + 2 if size is None else size)) + struct.pack(f"<{len(dwords)}I", *dwords)


def buffer(*entries, asked=None, lost=0, pad=0):
    body = b"".join(entries)
    return struct.pack("<QII", len(body) // 4 if asked is None else asked, lost, 0) + body + b"\0" * pad


def rows_of_shared(path):
    """Texts of the layer's and of LLPC's own tests."""
    names = {"float": "f32", "int": "s32", "uint": "u32", "float64_t": "f64", "float16_t": "f16", "uint64_t": "u64",
             "int64_t": "s64", "uint8_t": "u8", "int8_t": "s8", "buffer_reference": "ptr"}
    for prefix, scalar in (("vec", "f32"), ("ivec", "s32"), ("uvec", "u32"), ("u64vec", "u64"), ("i64vec", "s64"), ("u16vec", "u16"),
                           ("i16vec", "s16"), ("u8vec", "u8"), ("i8vec", "s8"), ("f64vec", "f64"), ("f16vec", "f16"), ("bvec", "i1")):
        for n in 2, 3, 4:
            names[f"{prefix}{n}"] = f"{scalar}x{n}"
    with open(path, newline="") as f:
        rows = list(csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE))
    for r in rows:
        types = ",".join(names[t] for t in r["arg_types"].split(",") if t)
        dwords = (r["payload_dwords"] or "").split()
        typed = run("format", "--types", types, r["format"], *dwords)
        signs, at = {8: 0, 16: 0}, 0
        for t in types.split(","):
            m = re.match(r"(\D+)(\d*)(?:x(\d+))?$", t)
            for _ in range(int(m[3] or 1) if m else 0):
                if m[1] == "s" and m[2] in ("8", "16"):
                    signs[int(m[2])] |= 1 << at
                at += 1
        masks = [w for n in (8, 16) if signs[n] for w in (f"--signed{n}", hex(signs[n]))]
        plain = run("format", "--mask64", r["mask64"], *masks, r["format"], *dwords)
        name = f"row {r['id']} {r['format']}".replace("#", "")
        if r["match"] in ("exact", "sub"):
            case(name, typed[:2] == (0, r["full_output"] + "\n") and plain[:2] == typed[:2], (typed, plain))
        elif r["match"] == "warn":
            case(name, typed[0] == 0 and typed[1] != "" and "warning: " in typed[2], typed)
        else:
            case(name, typed[0] == 1 and typed[1] == "" and typed[2] != "", typed)


def formats():
    for name, args, want in [
        ("dwords in one argument, 0x, commas", ("%d %d %d", "1 0x2,", "0X3"), (0, "1 2 3\n", "")),
        ("a newline at the end is not doubled", ("a\n",), (0, "a\n", "")),
        ("but others stay", ("a\n\n",), (0, "a\n\n", "")),
        ("lengths say how wide, if there is no mask", ("%lu %d", "1", "20000000", "7"), (0, "2305843009213693953 7\n", "")),
        ("and so does %p", ("%p", "12345600", "7f00"), (0, "0x7f0012345600\n", "")),
        ("but not if there are dwords for scalars only", ("%lu %d", "1", "7"), (0, "1 7\n", "")),
        ("a mask of more than 64 bits", ("--mask64=0x10000000000000000", "%u" * 65, *["0"] * 64, "5", "1"),
         (0, "0" * 64 + "4294967301\n", None)),
        ("a format like an option", ("-%d-", "1"), (0, "-1-\n", "")),
        ("a format after --", ("--", "--json %d", "1"), (0, "--json 1\n", "")),
        ("types", ("--types", "s8,u8,f16x2", "%d %d %v2g", "85", "85", "3f800000", "40000000"), (0, "-123 133 1, 2\n", "")),
        ("too few", ("%d %d", "1"), (1, "", "lull printf: byte 3: '%d' has no value: the payload has 1 dword\n")),
        ("too many", ("%d", "1", "2"), (0, "1\n", "lull printf: warning: byte 2: 1 dword more than the format takes\n")),
        ("*", ("%*d", "1", "2"), (1, "", None)),
        ("a huge width", ("%9999999999d", "1"), (1, "", None)),
        ("mismatch", ("--types", "i32", "%p", "1"), (1, "", None)),
        ("no dword", ("%d", "12x"), (2, "", None)),
        ("nine digits", ("%d", "123456789"), (2, "", None)),
        ("no mask", ("--mask64", "zz", "%d", "1"), (2, "", None)),
        ("signs", ("--signed8", "5", "--signed16=0x2", "%d %d %v2d", "85", "ff85", "80", "85"), (0, "-123 -123 -128, 133\n", "")),
        ("signs are not for %x", ("--signed8", "1", "%x %u", "85", "85"), (0, "85 133\n", "")),
        ("no sign", ("--signed8", "g", "%d", "1"), (2, "", None)),
        ("types and signs", ("--types", "i32", "--signed16", "1", "%d", "1"), (2, "", None)),
        ("no type", ("--types", "i33", "%d", "1"), (2, "", None)),
        ("no format", (), (2, "", None)),
        ("no such option", ("--mask", "1", "%d", "1"), (2, "", None)),
        ("a format that begins with --", ("--%d--", "1"), (0, "--1--\n", "")),
        ("types and mask", ("--types", "i32", "--mask64", "1", "%d", "1"), (2, "", None)),
    ]:
        got = run("format", *args)
        case(name, got[:2] == want[:2] and (want[2] is None or got[2] == want[2]), (got, want))
    got = subprocess.run([lull, "printf", "format", b"\xff\x01\x80%c%c", "0", "ff"], capture_output=True)
    case("any byte goes through", got.stdout == b"\xff\x01\x80\0\xff\n", got)
    got = subprocess.run([lull, "printf", "format", "--json", b"\xff\"\\\x01\xc3\xa9%d %c", "1", "0"], capture_output=True)
    case("--json", json.loads(got.stdout) == {"text": "�\"\\\x01é1 \0", "diagnostics": []}, got)
    status, out, _ = run("format", "--json", "%d %y", "1")
    got = json.loads(out)
    case("--json with an error", status == 1 and "text" not in got and got["diagnostics"] == [
        {"error": True, "offset": 4, "message": "'y' is not a conversion; a percent sign is written '%%'"}], out)


def problems(d, strings):
    def decode(*entries, **how):
        (d / "b.bin").write_bytes(buffer(*entries, **how))
        status, out, err = run("decode", d / "b.bin", "--strings", strings)
        return status, out, err.replace(f"lull printf: {d}/b.bin: ", "")

    good = entry(5, 7)
    for name, entries, how, want in [
        ("nothing printed", (), {}, (0, "", "")),
        ("nothing printed, with room", (), {"pad": 64}, (0, "", "")),
        ("two entries", (good, entry(6, 0, 0x3ff80000)), {"pad": 64}, (0, "n 7\nf 1.500000\n", "")),
        ("unknown id", (good, entry(9, 1, 2), good), {},
         (1, "n 7\nn 7\n", "offset 0x1c: no string has the id 0x000000000009; 16 bytes skipped\n")),
        ("size 0", (good, entry(0, 1, 2, size=0), good), {}, (1, "n 7\nn 7\n", "offset 0x1c: an entry of size 0; 16 bytes skipped\n")),
        ("too short", (entry(6, 1), good), {}, (1, "n 7\n", "offset 0x10: the entry has 3 dwords, its arguments need 4: f %f\n")),
        ("too long", (entry(5, 1, 2), good), {}, (1, "n 1\nn 7\n", "offset 0x10: the entry has 4 dwords, its arguments need 3\n")),
        ("garbage", (b"garbage!" * 2, good), {}, (1, "n 7\n", "offset 0x10: a header that leads to no other entry; 16 bytes skipped\n")),
        ("overrun", (good, good, good[:8]), {"asked": 15},
         (1, "n 7\nn 7\n", "offset 0x28: the entry goes beyond the buffer: n %d\n"
          "offset 0x30: 3 entries lost: 15 dwords were asked for, there is room for 8\n")),
    ]:
        got = decode(*entries, **how)
        case(name, got == want, (got, want))
    case("overrun, counted by the lowering", decode(good, good, asked=15, lost=3)[2].split("\n")[-2].startswith(
        "offset 0x28: 3 to "), decode(good, good, asked=15, lost=3))
    for size in 0, 3, 15:
        (d / "b.bin").write_bytes(b"\0" * size)
        status, out, err = run("decode", d / "b.bin", "--strings", strings)
        case(f"a buffer of {size} bytes", (status, out) == (1, "") and "less than its 16-byte header" in err, (status, out, err))
    (d / "b.bin").write_bytes(b"\x1f\x8b" + b"\0" * 14 + good)
    status, out, err = run("decode", d / "b.bin", "--strings", strings)
    case("an offset that looks like gzip", out == "n 7\n", (status, out, err))


def terminals(d):
    """What would move a cursor or change colours is shown, unless it is asked for; 20000 bad entries are not 20000 lines."""
    for what, text, want in [
        ("colours", b"a\x1b[31mb%d", rb"a\x1b[31mb7"), ("a line that is written over", b"ok %d\rno", rb"ok 7\x0dno"),
        ("newlines and tabs", b"a\tb\n%d", b"a\tb\n7"), ("bell, backspace, delete", b"\a\b\x7f%d", rb"\x07\x08\x7f7"),
        ("UTF-8", "\u00e9\u20ac\U0001f600 %d".encode(), "\u00e9\u20ac\U0001f600 7".encode()),
        ("controls of 8 bits", "\u0085\u009b%d".encode(), rb"\xc2\x85\xc2\x9b7"), ("no UTF-8", b"\x9b\xc3%d\xff", rb"\x9b\xc37\xff")]:
        (d / "t").write_bytes(pack(document(string(5, text, 1))))
        (d / "b.bin").write_bytes(buffer(entry(5, 7)))
        got = run("decode", d / "b.bin", "--strings", d / "t", text=False)
        case(f"terminals: {what}", got == (0, want + b"\n", b""), got)
        got = run("decode", "--raw", d / "b.bin", "--strings", d / "t", text=False)
        case(f"terminals: {what}, --raw", got == (0, text.replace(b"%d", b"7") + b"\n", b""), got)
    (d / "t").write_bytes(pack(document(string(5, "n \x1b%d %d", 2))))
    n = 20000
    (d / "b.bin").write_bytes(buffer(*(entry(9, i) for i in range(n)), *(entry(5, i) for i in range(17)), entry(5, 1, 2)))
    status, out, err = run("decode", d / "b.bin", "--strings", d / "t")
    lines = err.replace(f"lull printf: {d}/b.bin: ", "").splitlines()
    rest = [f"offsets {0x10 + 16 * 12:#x} to {0x10 + (n - 1) * 12:#x}: {n - 16} more entries with an id that no string has"]
    last = 0x10 + (n + 16) * 12
    rest += [f"offsets {last:#x} to {last:#x}: 1 more entries with a payload that is too short"]
    case("many problems are counted", status == 1 and out == "n \\x1b1 2\n" and len(lines) == 34 and sorted(lines[32:]) == sorted(rest)
         and lines[16].endswith(": n \\x1b%d %d".replace("%d %d", "0 %d")), (status, out, lines[14:20], lines[30:], rest))
    status, out, err = run("decode", "--json", d / "b.bin", "--strings", d / "t")
    case("and all of them in JSON", len(json.loads(out)["buffers"][0]["entries"]) == n + 18, out[:200])


def candidates(d):
    """Many strings with one id: as many are shown as are kept, and what is not a count does not look like one."""
    (d / "many.buf").write_bytes(buffer(entry(5, 7)))
    for n, said in ((2, "of 2) "), (64, "of 64) "), (65, "of 64 or more) "), (90, "of 64 or more) ")):
        (d / "many").write_bytes(pack(document(*(string(5, f"t{i} %d", 1) for i in range(n)))))
        status, out, err = run("decode", d / "many.buf", "--strings", d / "many")
        shown = min(n, 64)
        case(f"{n} strings with one id", status == 1 and out.splitlines() == [f"({i + 1} {said}t{i} 7" for i in range(shown)] and
             ("more than 64 strings have the id" in err) == (n > 64), (status, out, err))
        status, out, err = run("decode", d / "many.buf", "--json", "--strings", d / "many")
        got = json.loads(out)["buffers"][0]["entries"]
        case(f"{n} strings with one id, --json", [(e["candidate"], e["candidates"], e["more"]) for e in got] ==
             [(i + 1, shown, n > 64) for i in range(shown)], out)


def decoding(d):
    plain = d / "plain"
    plain.write_bytes(pack(document(string(5, "n %d\n", 1), string(6, "f %f", 1, 1), **{".user_data_offset": 3})))
    problems(d, plain)
    # Two pipelines: one string in two shapes, two strings with one id, and one string that is theirs both.
    (d / "p1").write_bytes(pack(document(string(5, "n %d\n", 1), string(7, "x %d", 1), string(8, "a %d", 1))))
    (d / "p2").write_bytes(pack(document(string(5, "n %d\n", 1), string(7, "x %ld", 1, 1), string(8, "b %u%%", 1))))
    (d / "b.bin").write_bytes(buffer(entry(5, 7), entry(7, 8), entry(7, 9, 1), entry(8, 3)))
    status, out, err = run("decode", d / "b.bin", "--strings", d / "p1", f"--strings={d / 'p2'}")
    case("two pipelines", status == 1 and out == "n 7\nx 8\nx 4294967305\n(1 of 2) a 3\n(2 of 2) b 3%\n"
         and err.count("warning: ") == 2 and err.count("have one id") == 2 and "several strings" in err, (status, out, err))
    (d / "p1").write_bytes(pack(document(string(7, "x %d", 1))))
    (d / "p2").write_bytes(pack(document(string(7, "x %d", 1, 1))))
    (d / "b.bin").write_bytes(buffer(entry(7, 8), entry(7, 9, 1)))
    status, out, err = run("decode", "--strings", d / "p1", "--strings", d / "p2", d / "b.bin")
    case("one string, two shapes", (status, out) == (0, "x 8\nx 4294967305\n") and err.count("another shape") == 1, (status, out, err))
    # What only lull writes: types and records.
    own = document(string(7, "%d %v2d %s\n", 4, 8), string(9, "lit\"\n\xff".encode("latin-1")),
                   extra=[{".index": 7, ".types": "s8,s16x2,str", ".records": 15}, {".index": 9, ".types": "", ".literal": True}])
    (d / "own").write_bytes(pack(own))
    (d / "b.bin").write_bytes(buffer(entry(7, 0x85, 0xff85, 1, 9, 0, 3, 10, 20, 30, 2, 31)))
    status, out, err = run("decode", d / "b.bin", "--strings", d / "own")
    case("types and records", (status, err) == (0, "") and
         out == "[dispatch 3 workgroup 10,20,30 wave 2 lane 31] -123 -123, 1 lit\"\n\\xff\n", (status, out, err))
    status, out, err = run("decode", "--json", d / "b.bin", "--strings", d / "own")
    want = {"kind": "text", "offset": 16, "bytes": 52, "id": "0x7", "format": "%d %v2d %s\n", "text": "-123 -123, 1 lit\"\n�\n",
            "text_hex": b"-123 -123, 1 lit\"\n\xff\n".hex(), "dispatch": 3, "workgroup": [10, 20, 30], "wave": 2, "lane": 31}
    case("--json", status == 0 and json.loads(out)["buffers"][0]["entries"] == [want], out)
    (d / "b.bin").write_bytes(buffer(entry(7, 0x85, 0xff85, 1, 0x99, 0, 3, 10, 20, 30, 2, 31)))
    status, out, err = run("decode", d / "b.bin", "--strings", d / "own")
    case("a literal that is not there", status == 1 and out.endswith("] -123 -123, 1 <string 0x99>\n") and "no literal has the id 0x99" in err,
         (status, out, err))
    (d / "b.bin").write_bytes(buffer(entry(7, 0x85, 0xff85, 1, 9, 0, 3, 10, 20, 30, 2, 31), asked=39, lost=2))
    status, out, err = run("decode", "--json", d / "b.bin", "--strings", d / "own")
    got = json.loads(out)["buffers"][0]
    case("--json, lost entries", status == 1 and got["entries"][1]["lost"] == got["entries"][1]["lost_max"] == 2
         and got["printed"] == 1 and got["problems"] == 1
         and got["entries"][1]["problem"] == "2 entries lost: there is room for 13 dwords", out)
    # Damaged documents: what comes before the damage is used, and 1 is the status.
    whole = pack(document(string(5, "n %d\n", 1), string(6, "f %f", 1, 1)))
    (d / "cut").write_bytes(whole[:-20])
    (d / "b.bin").write_bytes(buffer(entry(5, 7)))
    status, out, err = run("decode", d / "b.bin", "--strings", d / "cut")
    case("a damaged document", (status, out) == (1, "n 7\n") and f"{d}/cut: amdpal.format_strings: string 1: truncated at byte" in err, (status, out, err))
    status, out, err = run("decode", d / "b.bin", d / "nope", d / "b.bin", "--strings", plain)
    case("a buffer that is not there, between others", status == 3 and out == "n 7\nn 7\n" and f"{d}/nope: No such file" in err, (status, out, err))
    status, out, err = run("decode", "--json", d / "nope", d / "b.bin", "--strings", plain)
    got = json.loads(out)["buffers"]
    case("the same, --json", status == 3 and "No such file" in got[0]["error"] and got[1]["printed"] == 1, (status, out, err))
    (d / "none").write_bytes(pack({"amdpal.version": [3, 0]}))
    status, out, err = run("decode", d / "b.bin", "--strings", plain, "--strings", d / "none")
    case("a pipeline without strings", (status, out) == (0, "n 7\n") and f"{d}/none: no format strings" in err, (status, out, err))
    for name, args, want in [
        ("no strings", (d / "b.bin",), 2), ("no buffer", ("--strings", plain), 2), ("no such option", ("--frob", d / "b.bin"), 2),
        ("no such buffer", (d / "nope", "--strings", plain), 3), ("no such strings", (d / "b.bin", "--strings", d / "nope"), 3),
        ("strings that are none", (d / "b.bin", "--strings", d / "b.bin"), 3),
    ]:
        status, out, err = run("decode", *args)
        case(name, status == want and out == "" and err.startswith("lull printf: "), (status, out, err))
    return plain


def elf(d):
    """An object file by LLVM, whose note LLVM wrote: sorted, and in the shortest form."""
    if shutil.which("llc-19") is None:
        skip("PAL metadata of an ELF: no llc-19")
        return
    doc = pack(document(string(0xa1af6b13f3e4, "workgroup size:%f,%f\n\0", 2, 3), string(5, "bell\a %d \x7f\"\\", 1)))
    ir = ("target triple = \"amdgcn-amd-amdpal\"\ndefine amdgpu_cs void @_amdgpu_cs_main() { ret void }\n"
          "!amdgpu.pal.metadata.msgpack = !{!0}\n!0 = !{!\"" + "".join(f"\\{b:02x}" for b in doc) + "\"}\n")
    (d / "a.ll").write_text(ir)
    subprocess.run(["llc-19", "-mcpu=gfx1100", "-filetype=obj", d / "a.ll", "-o", d / "a.elf"], check=True)
    (d / "b.bin").write_bytes(buffer(entry(0xa1af6b13f3e4, 0, 0x3ff00000, 0, 0x40000000), entry(5, 0xffffffff)))
    status, out, err = run("decode", d / "b.bin", "--strings", d / "a.elf")
    case("PAL metadata of an ELF", (status, out, err) == (0, "workgroup size:1.000000,2.000000\nbell\\x07 -1 \\x7f\"\\\n", ""), (status, out, err))


shared = source / ".." / "shared" / "facts" / "printf-cases.tsv"
if shared.exists():
    rows_of_shared(shared)
else:
    skip("rows of other projects: no ../shared/facts/printf-cases.tsv")
formats()
with tempfile.TemporaryDirectory() as directory:
    decoding(pathlib.Path(directory))
    candidates(pathlib.Path(directory))
    terminals(pathlib.Path(directory))
    elf(pathlib.Path(directory))
end()
