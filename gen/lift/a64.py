# SPDX-License-Identifier: MIT
"""Straight-line functions of A64 Advanced SIMD instructions to lists of operations over values that are each set once.

An instruction is one word; its registers stand at bits 0 (the result, and what a tied operation adds to or keeps a part
of), 5 and 16. GROUPS says which words are known, and which of these registers they have; what is in none is refused.
Constants, which compilers make in several instructions or load, become constants of the table.
Source: Arm Architecture Reference Manual for A-profile, C4.1 "A64 instruction set encoding", "Data Processing -- Scalar
Floating-Point and Advanced SIMD".
"""
import struct

from vex import Op, Reject

CONST = 16  # Bytes of a constant.
RET = 0xd65f03c0
ADR_PREL_PG_HI21, ADD_ABS_LO12_NC, LDST128_ABS_LO12_NC, LDST64_ABS_LO12_NC = 275, 277, 299, 286


def bits(word, low, n):
    return word >> low & (1 << n) - 1


def three_same(word):
    """Those that accumulate, and the selections."""
    u, opcode, size = bits(word, 29, 1), bits(word, 11, 5), bits(word, 22, 2)
    if (u, opcode) in ((1, 0x19), (0, 0x1d)):
        raise Reject("FMLAL")
    select = u == 1 and opcode == 3 and size != 0  # BSL, BIT, BIF.
    return opcode in (0x0f, 0x12, 0x19) or select  # SABA, UABA, MLA, MLS, FMLA, FMLS


def three_different(word):
    opcode, upper = bits(word, 12, 4), bits(word, 30, 1)
    return opcode in (5, 8, 9, 10, 11) or upper and opcode in (4, 6)  # SABAL, SMLAL, SMLSL; ADDHN2, SUBHN2.


def two(word):
    opcode, upper = bits(word, 12, 5), bits(word, 30, 1)
    return opcode in (3, 6) or upper and opcode in (0x12, 0x14, 0x16)  # SUQADD, SADALP; XTN2, SQXTN2, FCVTN2.


def shift(word):
    u, opcode, upper = bits(word, 29, 1), bits(word, 11, 5), bits(word, 30, 1)
    return opcode in (2, 6) or u == 1 and opcode in (8, 10) or upper and 16 <= opcode <= 19  # SSRA, SRSRA; SRI, SLI; SHRN2.


def always(_):
    return True


def never(_):
    return False


# Mask, value, whether there is a register at bit 16, whether what was in the result's register is read.
GROUPS = (
    (0x9f200400, 0x0e200400, True, three_same),
    (0x9f200c00, 0x0e200000, True, three_different),
    (0x9f3e0c00, 0x0e200800, False, two),
    (0x9f3e0c00, 0x0e300800, False, never),  # Across lanes.
    (0xbf208c00, 0x0e000800, True, never),  # Permute.
    (0xbfe08400, 0x2e000000, True, never),  # EXT.
    (0xbfe0fc00, 0x0e000000, True, never),  # TBL of one register.
    (0xbfe0fc00, 0x0e000400, False, never),  # DUP of an element.
    (0xffe08400, 0x6e000400, False, always),  # INS of an element.
)
SHIFT = (0x9f800400, 0x0f000400)  # With bits 19 to 22 not all 0.


def expand(op, cmode, byte):
    """64 bits that MOVI, MVNI and FMOV make; None: ORR and BIC, or a form that is not known. Source: AdvSIMDExpandImm()."""
    if cmode < 8:
        value = byte << 8 * (cmode >> 1)
        return None if cmode & 1 else value * 0x100000001
    if cmode < 12:
        return None if cmode & 1 else (byte << 8 * (cmode >> 1 & 1)) * 0x1000100010001
    if cmode < 14:
        return ((byte << 8 | 0xff) if cmode == 12 else (byte << 16 | 0xffff)) * 0x100000001
    if cmode == 14:
        return sum(0xff << 8 * i for i in range(8) if byte >> i & 1) if op else byte * 0x0101010101010101
    sign, high, low = byte >> 7, byte >> 6 & 1, byte & 0x3f
    if op:
        return sign << 63 | (high ^ 1) << 62 | (0xff * high) << 54 | low << 48
    return (sign << 31 | (high ^ 1) << 30 | (0x1f * high) << 25 | low << 19) * 0x100000001


def modified(word):
    """(whether it is one of the group, bytes of the constant, whether bits of a register are changed)."""
    if word & 0x9ff80c00 != 0x0f000400:
        return False, None, False
    op, cmode, byte = bits(word, 29, 1), bits(word, 12, 4), bits(word, 16, 3) << 5 | bits(word, 5, 5)
    value = expand(op, cmode, byte)
    if value is None:
        return True, None, True
    if op and cmode < 14:  # MVNI
        value ^= 0xffffffffffffffff
    whole = bits(word, 30, 1)
    return True, struct.pack("<QQ", value, value if whole else 0), False


def logical_immediate(word):
    """The value of N:immr:imms, for 64 bits. Source: DecodeBitMasks()."""
    n, immr, imms = bits(word, 22, 1), bits(word, 16, 6), bits(word, 10, 6)
    length = (n << 6 | ~imms & 0x3f).bit_length() - 1
    size = 1 << length
    ones, by = (imms & size - 1) + 1, immr & size - 1
    one = (1 << ones) - 1
    one = (one >> by | one << size - by) & (1 << size) - 1
    return sum(one << i for i in range(0, 64, size))


class Lifter:
    """Registers hold values; each operation makes a new one. General registers hold constants and addresses of such."""

    def __init__(self, obj, section, start, code, ninputs):
        self.obj, self.section, self.start, self.code, self.at = obj, section, start, code, 0
        self.values = {n: n for n in range(ninputs)}
        self.general = {31: 0}
        self.count, self.ops = ninputs, []

    def read(self, register):
        if register not in self.values:
            raise Reject("reads a register that was not set")
        return self.values[register]

    def append(self, op, register):
        op.d = self.values[register] = self.count
        self.count += 1
        self.ops.append(op)

    def constant(self, register, data):
        self.append(Op(0, 0, 0, 0, 0, form="A64", const=data), register)

    def integer(self, word):
        """An instruction of general registers that makes a constant. False: it is none."""
        d, n = bits(word, 0, 5), bits(word, 5, 5)
        wide = word >> 31
        mask = 0xffffffffffffffff if wide else 0xffffffff
        by, part = 16 * bits(word, 21, 2), bits(word, 5, 16)
        kind = word & 0x7f800000
        if kind in (0x52800000, 0x12800000):  # MOVZ, MOVN
            self.general[d] = (part << by ^ (mask if kind == 0x12800000 else 0)) & mask
        elif kind == 0x72800000 and isinstance(self.general.get(d), int):  # MOVK
            self.general[d] = self.general[d] & ~(0xffff << by) & mask | part << by
        elif kind == 0x32000000 and isinstance(self.general.get(n), int):  # ORR of an immediate
            self.general[d] = (self.general[n] | logical_immediate(word)) & mask
        elif word & 0x9f000000 == 0x90000000:  # ADRP
            self.general[d] = ("page", self.obj.pointer(self.section, self.start + self.at, (ADR_PREL_PG_HI21,)))
        else:
            return False
        return True

    def vector_from_general(self, word):
        """DUP, LDR of a constant, FMOV. False: it is none of these."""
        d, n = bits(word, 0, 5), bits(word, 5, 5)
        if word & 0xbfe0fc00 == 0x0e000c00:  # DUP
            value = self.general.get(n)
            imm5 = bits(word, 16, 5)
            size = imm5 & -imm5
            if not isinstance(value, int):
                raise Reject("of a general register")
            data = (value & (1 << 8 * size) - 1).to_bytes(size, "little")
            whole = bits(word, 30, 1)
            self.constant(d, (data * ((16 if whole else 8) // size)).ljust(CONST, b"\0"))
        elif word & 0xffc00000 in (0x3dc00000, 0xfd400000):  # LDR of a vector, or half of one
            size, kind = (16, LDST128_ABS_LO12_NC) if word >> 30 == 0 else (8, LDST64_ABS_LO12_NC)
            where = self.obj.pointer(self.section, self.start + self.at, (kind,))
            if where is None or self.general.get(n) != ("page", where):
                raise Reject("memory")
            self.constant(d, self.obj.bytes_at(where, size).ljust(CONST, b"\0"))
        elif word & 0xfffffc00 in (0x1e270000, 0x9e670000) and isinstance(self.general.get(n), int):  # FMOV
            self.constant(d, self.general[n].to_bytes(8, "little").ljust(CONST, b"\0"))
        else:
            return False
        return True

    def group(self, word):
        """(whether there is a register at bit 16, whether the result's is read), or None."""
        for mask, value, second, tied in GROUPS:
            if word & mask == value:
                return second, tied(word)
        if word & SHIFT[0] == SHIFT[1] and bits(word, 19, 4) != 0:
            return False, shift(word)
        return None

    def vector(self, word):
        d, n, m = bits(word, 0, 5), bits(word, 5, 5), bits(word, 16, 5)
        if word & 0xffe0fc00 == 0x4ea01c00 and n == m:  # MOV of a whole register.
            self.values[d] = self.read(n)
            return
        immediate, data, changes = modified(word)
        if data is not None:
            self.constant(d, data)
            return
        found = (False, changes) if immediate else self.group(word)
        if found is None:
            raise Reject(f"word {word & 0xffe0fc00:08x}")
        second, tied = found
        op = Op(0, 0, 0, 0, 0, form="A64", tied=tied)
        op.s1 = self.read(n) if not immediate else -1
        op.s2 = self.read(m) if second else -1
        op.s3 = self.read(d) if tied else -1
        op.word = word & ~(0x1f | (0x3e0 if not immediate else 0) | (0x1f0000 if second else 0))
        # What is made of it at run time, with the registers that the compiler chose.
        made = op.word | d | (n << 5 if op.s1 >= 0 else 0) | (m << 16 if op.s2 >= 0 else 0)
        if made != word:
            raise Reject("not the same again")
        self.append(op, d)

    def run(self, masks):
        """Operations, values of the results: v0, v1, ..."""
        words = struct.unpack(f"<{len(self.code) // 4}I", self.code)
        for i, word in enumerate(words):
            self.at = 4 * i
            if word == RET:
                if i != len(words) - 1:
                    raise Reject("branches")
                return self.ops, [self.read(n) for n in range(len(masks))]
            if bits(word, 25, 4) in (10, 11):
                raise Reject("branches")
            if not self.integer(word) and not self.vector_from_general(word):
                if bits(word, 25, 3) != 7:
                    raise Reject("general registers and memory")
                self.vector(word)
        raise Reject("no end")
