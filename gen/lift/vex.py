# SPDX-License-Identifier: MIT
"""Straight-line functions of VEX instructions to lists of operations over values that are each set once.

An operation is known by its map, prefix and opcode; what is in none of the sets below is refused, so that nothing is
lifted whose operands are not known. Source: Intel SDM volume 2, 2.3 and the pages of the instructions.
"""
from dataclasses import dataclass

CONST = 32  # Bytes of a constant.
FORMS = ("RVM", "RM", "VM", "MR", "RVMR", "ZERO", "A64")  # enum lull_jit_form


class Reject(Exception):
    pass


@dataclass
class Op:
    map: int
    pp: int
    w: int
    l: int
    opcode: int
    form: str = "RVM"
    imm: int = 0
    has_imm: bool = False
    ext: int = 0
    tied: bool = False
    d: int = -1
    s1: int = -1
    s2: int = -1
    s3: int = -1
    const: bytes = None
    evex: int = 0
    k: int = -1  # A mask of lanes that are written.
    z: int = 0  # 1: the others become 0; 2: l says how it is rounded.
    kd: bool = False  # d is a mask.
    word: int = 0  # A64: without registers.


def span(*parts):
    return {x for p in parts for x in (range(p[0], p[1] + 1) if isinstance(p, tuple) else [p])}


ANY_PREFIX = (0, 1)  # ps, pd or integers; the scalar forms have 2 and 3.
# (map, opcode) with the destination in reg and one source in r/m.
TWO = {(1, o) for o in (0x28, 0x6f, 0x10, 0x51, 0x52, 0x53, 0x5a, 0x5b, 0x70, 0xe6, 0x12, 0x16)} | \
    {(2, o) for o in span(0x13, 0x18, 0x19, 0x1a, (0x1c, 0x1e), (0x20, 0x25), (0x30, 0x35), 0x41, 0x58, 0x59, 0x5a, 0x78, 0x79)} | \
    {(3, o) for o in (0x00, 0x01, 0x04, 0x05, 0x08, 0x09)}
# The same with a second source in vvvv.
THREE = {(1, o) for o in span(0x14, 0x15, (0x54, 0x59), (0x5c, 0x5f), (0x60, 0x6d), (0x74, 0x76), 0xc2, 0xc6, (0xd1, 0xd5),
                              (0xd8, 0xdf), (0xe0, 0xe5), (0xe8, 0xef), (0xf1, 0xf6), (0xf8, 0xfe))} | \
    {(2, o) for o in span((0x00, 0x0d), 0x16, 0x28, 0x29, 0x2b, 0x36, (0x37, 0x40), (0x45, 0x47))} | \
    {(3, o) for o in (0x02, 0x06, 0x0c, 0x0d, 0x0e, 0x0f, 0x18, 0x38, 0x46)}
# Those of TWO that are something else, or another width, with prefix f3 or f2.
PREFIXED = {(1, 0x12, 2), (1, 0x12, 3), (1, 0x16, 2), (1, 0x6f, 2), (1, 0x70, 2), (1, 0x70, 3), (1, 0x5b, 2), (1, 0xe6, 2),
            (1, 0xe6, 3)}
NO_PLAIN = {(1, 0x12), (1, 0x16), (1, 0xe6)}  # These without f3 or f2 are memory operations (e6 with 66 is not).
EXTRACT = {(3, 0x19), (3, 0x1d), (3, 0x39)}  # The destination is in r/m.
SHIFTS = {(1, 0x71), (1, 0x72), (1, 0x73)}  # The destination is in vvvv, the opcode goes on in reg.
SELECT = {(3, 0x4a), (3, 0x4b), (3, 0x4c)}  # A third source in the immediate.
IMM1 = {0x70, 0x71, 0x72, 0x73, 0xc2, 0xc6}
# With all operands the same register the result does not depend on it.
FIXED = {(1, o) for o in (0x57, 0xef, 0x76, 0x75, 0x74, 0x66, 0x65, 0x64, 0xfa, 0xfb, 0xf9, 0xf8)}
MOVES = {(1, 0x28), (1, 0x6f), (1, 0x10)}


def is_fma(m, opcode):
    return m == 2 and opcode & 15 in (6, 7, 8, 10, 12, 14) and opcode >> 4 in (9, 10, 11)


class Lifter:
    """Registers hold values; each operation makes a new one."""

    def __init__(self, obj, section, start, code, ninputs):
        self.obj, self.section, self.start, self.code, self.at = obj, section, start, code, 0
        self.values = {n: n for n in range(ninputs)}
        self.count, self.ops = ninputs, []

    def read(self, register):
        if register not in self.values:
            raise Reject("reads a register that was not set")
        return self.values[register]

    def new(self, register):
        self.values[register] = self.count
        self.count += 1
        return self.values[register]

    def byte(self):
        if self.at == len(self.code):
            raise Reject("ends in an instruction")
        self.at += 1
        return self.code[self.at - 1]

    def prefix(self):
        """Operation, and the bits that the prefix adds to reg, vvvv and r/m."""
        first = self.byte()
        if first == 0xc5:
            x = self.byte()
            return Op(1, x & 3, 0, x >> 2 & 1, self.byte()), 8 * (~x >> 7 & 1), ~x >> 3 & 15, 0
        if first != 0xc4:
            raise Reject("not only VEX")
        x, y = self.byte(), self.byte()
        if not x & 0x40:
            raise Reject("index register")
        op = Op(x & 31, y & 3, y >> 7, y >> 2 & 1, self.byte())
        return op, 8 * (~x >> 7 & 1), ~y >> 3 & 15, 8 * (~x >> 5 & 1)

    def constant(self, op):
        found = self.obj.target(self.section, self.start + self.at, int(op.has_imm), CONST)
        if found is None:
            raise Reject("memory")
        self.at += 4
        return found

    def check(self, op):
        key = (op.map, op.opcode)
        if key in SHIFTS | EXTRACT | SELECT or is_fma(*key):
            return
        if key not in TWO | THREE:
            raise Reject(f"opcode {op.map}:{op.opcode:02x}")
        if op.pp not in ANY_PREFIX and (*key, op.pp) not in PREFIXED:
            raise Reject("scalar float" if op.map == 1 else f"prefix of {op.map}:{op.opcode:02x}")
        if key in NO_PLAIN and op.pp in ANY_PREFIX and (key, op.pp) != ((1, 0xe6), 1):
            raise Reject("memory")

    def instruction(self):
        op, r, v, b = self.prefix()
        self.check(op)
        modrm = self.byte()
        reg, rm, direct = (modrm >> 3 & 7) | r, (modrm & 7) | b, modrm >> 6 == 3
        op.has_imm = op.map == 3 or op.map == 1 and op.opcode in IMM1
        if not direct and modrm & 0xc7 == 5:
            op.const = self.constant(op)
        elif not direct:
            raise Reject("memory")
        op.imm = self.byte() if op.has_imm else 0
        self.operands(op, reg, v, rm, direct)

    def operands(self, op, reg, v, rm, direct):
        key = (op.map, op.opcode)
        if key in MOVES and direct and op.l and op.pp != 2 and v == 0:
            self.values[reg] = self.read(rm)
            return
        if key in EXTRACT:
            op.form, op.s1, target = "MR", self.read(reg), rm
        elif key in SHIFTS:
            op.form, op.ext, op.s2, target = "VM", reg & 7, self.read(rm), v
        elif key in FIXED and direct and v == rm:
            op.form, target = "ZERO", reg
        else:
            target = reg
            if key in SELECT:
                op.form, op.s3 = "RVMR", self.read(op.imm >> 4)
            elif is_fma(*key):
                op.tied, op.s3 = True, self.read(reg)
            elif key in TWO:
                op.form = "RM"
            op.s1 = -1 if op.form == "RM" else self.read(v)
            op.s2 = self.read(rm) if direct else -1
        if op.form in ("MR", "VM") and not direct:
            raise Reject("memory")
        op.d = self.new(target)
        self.ops.append(op)

    def results(self, masks):
        """Values of the results, all of them vectors."""
        return [self.read(n) for n in range(len(masks))]

    def run(self, masks):
        """Operations, values of the results, of each of which MASKS says whether it is a mask."""
        while self.code[self.at] != 0xc3:
            self.instruction()
            if self.at >= len(self.code):
                raise Reject("no end")
        if self.at != len(self.code) - 1:
            raise Reject("branches")
        return self.ops, self.results(masks)
