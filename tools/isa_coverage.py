#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare lull's RDNA3 decoder with LLVM 19's for gfx1100.

    isa_coverage.py RDNA_TEXT [--count N] [--seed N] [--wave 32|64] [--tap]

RDNA_TEXT is the helper of tests/isa. For each opcode of each encoding, random
words go through both; the table says how many opcodes LLVM knows, how many
agree on every word, and the share of words with the same text and length or a
refusal by both. --tap prints a test instead, which fails below REQUIRED.

What does not count, because LLVM's answer is not an answer:
  * Text with "/*Invalid": LLVM's printer says itself that an operand cannot be.
    Such words must be refused, except that high halves of 16-bit VGPRs, which
    the hardware has and LLVM 19 does not print for gfx1100, come out as v1.h;
    where LLVM knows them with +real-true16, it must say the same.
  * Images whose size LLVM has no register class for: it then prints the sizes
    of another form (atomics with odd dmask, one-address NSA, MSAA samples).
  * Runs of spaces: NSA samples have two after the mnemonic.
"""
import argparse
import ctypes
import pathlib
import random
import re
import struct
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "gen" / "isa"))
import table  # noqa: E402

LIBRARIES = ("libLLVM-19.so.1", "libLLVM.so.19.1", "/usr/lib/llvm-19/lib/libLLVM.so.1")
RECORD = 20
# Share of random words on which both must say the same. The rest are mostly registers that LLVM
# takes where the instruction has none (a VGPR-only operand that names src_scc).
REQUIRED = 0.998
LITERALS = (1, 64, 65, 0xFFFFFFF0, 0xFFFFFFEF, 0x3F800000, 0x3E22F983, 0x3C00, 0x3118, 0xFFFF, 0x40000000,
            0x12345678, 0xFFFF0001)


class Llvm:
    """LLVM's disassembler, called through its C interface."""

    def __init__(self, wave, more=b""):
        self.lib = next(lib for lib in map(self.load, LIBRARIES) if lib)
        for part in ("TargetInfo", "TargetMC", "Disassembler"):
            getattr(self.lib, "LLVMInitializeAMDGPU" + part)()
        create, text = self.lib.LLVMCreateDisasmCPUFeatures, ctypes.c_char_p
        create.restype = ctypes.c_void_p
        create.argtypes = [text, text, text, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]
        self.run = self.lib.LLVMDisasmInstruction
        self.run.restype = ctypes.c_size_t
        self.run.argtypes = [ctypes.c_void_p, text, ctypes.c_uint64, ctypes.c_uint64, text, ctypes.c_size_t]
        features = b"+wavefrontsize64" if wave == 64 else b"+wavefrontsize32"
        self.context = create(b"amdgcn-amd-amdhsa", b"gfx1100", features + more, None, 0, None, None)
        self.buffer = ctypes.create_string_buffer(1024)

    @staticmethod
    def load(name):
        try:
            return ctypes.CDLL(name)
        except OSError:
            return None

    def text(self, record):
        """(size, text), or None if LLVM refuses."""
        size = self.run(self.context, record, len(record), 0, self.buffer, len(self.buffer))
        if not size:
            return None
        text = re.sub(r"\s*; .*", "", self.buffer.value.decode().strip(), flags=re.S)
        return None if "/*Invalid" in text else (size, re.sub(r"\s+", " ", text))


def lull(helper, records, wave):
    """The same from lull, for many records."""
    run = subprocess.run([helper, str(wave)], input=b"".join(records), capture_output=True, check=True)
    out = []
    for line in run.stdout.decode().split("\n")[:-1]:
        size, _, text = line.partition("\t")
        out.append((int(size), text) if int(size) > 0 else None)
    return out


def excused(ours, theirs, true16):
    """True for the differences that the head of this file names. @p true16: what LLVM says with real-true16."""
    if ours and theirs is None:
        return re.search(r"\bv\d+\.[hl]\b", ours[1]) is not None and true16() in (None, ours)
    if not theirs or not theirs[1].startswith("image_"):
        return False
    text = theirs[1]
    dmask = int((re.search(r"dmask:(\S+)", text) or [0, "0"])[1], 16)
    whole = (3, 15) if "cmpswap" in text else (1, 3)
    past_end = ours is None and re.search(r"v\[?2[45]\d", text)
    odd_gather = re.search("gather4|msaa", text) and "tfe" in text and "d16" in text
    return bool("atomic" in text and (dmask not in whole or "tfe" in text) or past_end or odd_gather
                or ours and re.search(r" \[v\d+\],|, \[v\d+\],", ours[1])
                or "MSAA" in text and not re.match("image_(load|store|msaa_load) ", text))


def random_words(rng, enc, code):
    """Dwords of an instruction of @p enc; fields that many instructions must leave 0 often are."""
    words = [rng.getrandbits(32) for _ in range(RECORD // 4)]
    if rng.random() < 0.3:
        words[enc.words] = rng.choice(LITERALS)
    for f in enc.fields:
        width = (1 << f.bits) - 1
        chance = 0.8 if f.name in OFTEN_ZERO else 0.35 if f.name in SOMETIMES_ZERO.get(enc.name, ()) else 0
        value = 0 if rng.random() < chance else words[f.word] >> f.lo & width
        if f.name == "saddr" and rng.random() < 0.5:
            value = 0x7C
        elif f.name == "src0" and rng.random() < 0.15:
            value = rng.choice((233, 234, 250)) & width
        elif f.name in ("src0", "src1", "src2") and f.bits == 9 and rng.random() < 0.3:
            value |= 256
        elif f.name == "op":
            value = code
        words[f.word] = words[f.word] & ~(width << f.lo) | value << f.lo
    mask, match = enc.mask & 0xFFFFFFFF, enc.match & 0xFFFFFFFF
    words[0] = words[0] & ~mask | match
    if enc.name == "MIMG" and rng.random() < 0.1:  # What bvh wants.
        words[0] = words[0] & ~0x2FF9C | 0x8F80
        words[1] &= 0x001FFFFF
        words[2] &= 0x7F7F7F7F  # LLVM 19 crashes on NSA addresses that run past v255.
    return struct.pack(f"<{RECORD // 4}I", *words)


OFTEN_ZERO = {"clamp", "op_sel", "abs", "neg_hi", "omod", "neg", "svs"}
SOMETIMES_ZERO = {"DS": {"dst", "vdata", "vdata2", "vaddr", "gds"}, "VOP3": {"src1", "src2", "dst"},
                  "VOP3P": {"src2"}, "MIMG": {"ssamp", "d16", "tfe"}, "SOPP": {"imm"}, "VOP1": {"dst", "src0"},
                  "VOP3SD": {"src2"}, "MTBUF": {"tfe"}, "MUBUF": {"tfe", "offen", "idxen"}}


def compare(enc, llvm, halves, args, rng):
    """Per encoding: opcodes LLVM knows, opcodes that always agree, words, agreeing words, examples."""
    codes = range(1 << (enc.field("op").bits if enc.field("op") else 0))
    records = [(code, random_words(rng, enc, code)) for code in codes for _ in range(args.count)]
    known, wrong, good, examples = set(), set(), 0, []
    for (code, record), ours in zip(records, lull(args.helper, [r for _, r in records], args.wave)):
        theirs = llvm.text(record)
        if theirs:
            known.add(code)
        if ours == theirs or excused(ours, theirs, lambda: halves.text(record)):
            good += 1
            continue
        wrong.add(code)
        examples.append((" ".join(f"{w:08x}" for w in struct.unpack("<5I", record)), ours, theirs))
    return len(known), len(known - wrong), len(records), good, examples


def arguments():
    ap = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    ap.add_argument("helper")
    ap.add_argument("--count", type=int, default=200, help="random words for each opcode")
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--wave", type=int, default=32, choices=(32, 64))
    ap.add_argument("--tap", action="store_true")
    ap.add_argument("--examples", type=int, default=0, help="differences to show for each encoding")
    return ap.parse_args()


def main():
    args = arguments()
    try:
        llvm, halves = Llvm(args.wave), Llvm(args.wave, b",+real-true16")
    except StopIteration:
        print("1..0 # SKIP no LLVM 19")
        return 0
    skip = ("VOP3SD", "VOPD") if args.wave == 64 else ("VOP3SD",)  # Same words as VOP3; only in wave32.
    encs = [e for e in table.parse(str(ROOT / "data/isa/rdna3.isa")).encs if e.coded and e.name not in skip]
    encs.sort(key=lambda e: e.name)
    if args.tap:
        print(f"1..{len(encs)}\n# seed {args.seed}, wave{args.wave}")
    else:
        print(f"{'encoding':8} {'opcodes':>8} {'agree':>6} {'words':>8} {'agree':>8}   "
              f"(seed {args.seed}, wave{args.wave})")
    failed = total_known = total_same = 0
    for n, enc in enumerate(encs, 1):
        rng = random.Random(f"{args.seed}{enc.name}")
        known, same, words, good, examples = compare(enc, llvm, halves, args, rng)
        total_known, total_same = total_known + known, total_same + same
        ok = good >= REQUIRED * words
        failed += not ok
        if args.tap:
            print(f"{'ok' if ok else 'not ok'} {n} - {enc.name}: {good} of {words} random words as LLVM, "
                  f"{same} of {known} opcodes always")
        else:
            print(f"{enc.name:8} {known:8} {same:6} {words:8} {100 * good / words:7.3f}%")
        for words_hex, ours, theirs in examples[: 3 if args.tap and not ok else args.examples]:
            print(f"# {words_hex}: lull {ours}, LLVM {theirs}")
    if not args.tap:
        print(f"{'all':8} {total_known:8} {total_same:6}")
    return 1 if failed and args.tap else 0


if __name__ == "__main__":
    sys.exit(main())
