# SPDX-License-Identifier: MIT
"""Straight-line functions of EVEX instructions, with masks in k registers, to lists of operations.

As in vex.py an operation is known by its map, prefix and opcode, and what is in none of the sets is refused. Each is encoded
again from what was understood, with the registers that it had, and must give the bytes that were there. What VEX encodes of
vectors is encoded with EVEX from then on, which reaches all 32 registers; masks stay with VEX.
Source: Intel SDM volume 2, 2.7 and the pages of the instructions.
"""
from vex import EXTRACT, SHIFTS, THREE, TWO, Lifter, Op, Reject, is_fma

CONST = 64
IMM1 = {0x70, 0x71, 0x72, 0x73, 0xc2, 0xc6}
# (map, prefix, opcode), besides those that VEX has, too.
TO_MASK = {(1, 0, 0xc2), (1, 1, 0xc2), (2, 1, 0x29), (2, 1, 0x37), (2, 1, 0x26), (2, 2, 0x26), (2, 1, 0x27), (2, 2, 0x27)} | \
    {(1, 1, o) for o in (0x64, 0x65, 0x66, 0x74, 0x75, 0x76)} | {(3, 1, o) for o in (0x1e, 0x1f, 0x3e, 0x3f)}
SIGNS_TO_MASK = {(2, 2, 0x29), (2, 2, 0x39)}
FROM_MASK = {(2, 2, 0x28), (2, 2, 0x38)}
NARROW = {(2, 2, o) for high in (0x10, 0x20, 0x30) for o in range(high, high + 6)}  # The destination is in r/m.
TIED = {(3, 1, 0x25), (2, 1, 0x75), (2, 1, 0x76), (2, 1, 0x77), (2, 1, 0x7d), (2, 1, 0x7e), (2, 1, 0x7f)}
MORE_TWO = {(1, 2, 0x6f), (1, 3, 0x6f), (1, 0, 0x79), (1, 0, 0x78), (1, 3, 0x7a), (1, 2, 0x7a), (1, 2, 0xe6), (2, 1, 0x44), (3, 1, 0x08),
            (3, 1, 0x09), (2, 1, 0x1b), (2, 1, 0x5b), (2, 1, 0x1f), (2, 1, 0x4e)}
MORE_THREE = {(2, 1, o) for o in (0x10, 0x11, 0x12, 0x14, 0x15, 0x64, 0x65, 0x66)} | \
    {(3, 1, o) for o in (0x03, 0x1a, 0x3a, 0x3b, 0x23, 0x43)}
MORE_EXTRACT = {(3, 0x1b), (3, 0x3b)}
SCALAR_OPS = {(1, o) for o in (0x10, 0x12, 0x16, 0x51, 0x52, 0x53, 0x58, 0x59, 0x5c, 0x5d, 0x5e, 0x5f)}
# Loads of one element for all: bytes of it. Those of 32 * 2 (0x19, 0x59 with W 0) have the size of one of 64.
BROADCAST = {0x18: 4, 0x58: 4, 0x19: 8, 0x59: 8, 0x1a: 16, 0x5a: 16, 0x1b: 32, 0x5b: 32, 0x78: 1, 0x79: 2}
MOVES = {(1, 0x28), (1, 0x6f), (1, 0x10)}
# With all operands the same register the result does not depend on it.
FIXED = {(1, o) for o in (0x57, 0xef, 0xfa, 0xfb, 0xf9, 0xf8)}
# Of masks, with VEX: opcode in map 1 of two sources, of one; in map 3, shifts.
MASK_TWO, MASK_NOT, MASK_MOVE, MASK_FROM = {0x41, 0x42, 0x45, 0x46, 0x47, 0x4a, 0x4b}, 0x44, 0x90, (0x92, 0x93)
MASK_SHIFTS = {0x30, 0x31, 0x32, 0x33}
MASK_FIXED = {0x46, 0x47}
# Integers without elements have W 0 in EVEX, doubles W 1.
WIDE_VEX = {(1, 1, o) for o in (0x51, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5c, 0x5d, 0x5e, 0x5f, 0x14, 0x15, 0x28, 0x10, 0x6c, 0x6d, 0xd4,
                                0xf4, 0xfb, 0x73, 0xe6)} | {(2, 1, 0x37), (2, 1, 0x29), (2, 1, 0x28)}
SAME_AS_VEX = {(1, 1, o) for o in (0xdb, 0xdf, 0xeb, 0xef, 0xee, 0xea, 0xfd, 0xed, 0xe9, 0x71, 0xfe, 0xfa, 0x72)} | \
    {(1, p, 0x57) for p in (0, 1)} | {(2, 1, o) for o in (0x3e, 0x3a, 0x79, 0x35, 0x25, 0x33, 0x23, 0x13)}


class Fields:
    """An instruction as it is encoded."""

    def __init__(self):
        self.wide, self.map, self.pp, self.w, self.l, self.opcode = False, 0, 0, 0, 0, 0
        self.r, self.v, self.rm, self.k, self.z, self.b = 0, 0, 0, 0, 0, 0
        self.direct, self.imm = True, None

    def bytes(self):
        """Up to the displacement."""
        rm = self.rm if self.direct else 5
        modrm = (0xc0 if self.direct else 0) | (self.r & 7) << 3 | (rm & 7)
        tail = (~self.v & 15) << 3
        if self.wide:
            x, b = (~rm >> 4 & 1, ~rm >> 3 & 1) if self.direct else (1, 1)
            return bytes([0x62, (~self.r >> 3 & 1) << 7 | x << 6 | b << 5 | (~self.r >> 4 & 1) << 4 | self.map,
                          self.w << 7 | tail | 4 | self.pp, self.z << 7 | self.l << 5 | self.b << 4 | (~self.v >> 4 & 1) << 3 | self.k,
                          self.opcode, modrm])
        r, b = (~self.r >> 3 & 1) << 7, ~rm >> 3 & 1 if self.direct else 1
        if self.map == 1 and self.w == 0 and b:
            return bytes([0xc5, r | tail | self.l << 2 | self.pp, self.opcode, modrm])
        return bytes([0xc4, r | 0x40 | b << 5 | self.map, self.w << 7 | tail | self.l << 2 | self.pp, self.opcode, modrm])


class WideLifter(Lifter):
    """MASKS: of each input, whether it is a mask. Vectors are in zmm0 and on, masks in k1 and on."""

    def __init__(self, obj, section, start, code, masks):
        super().__init__(obj, section, start, code, len(masks))
        self.values, self.masks = {}, {}
        for n, mask in enumerate(masks):
            into = self.masks if mask else self.values
            into[len(into) + mask] = n
        self.eax = None

    def mask(self, register):
        if register not in self.masks:
            raise Reject("reads a mask that was not set")
        return self.masks[register]

    def new_mask(self, register):
        self.masks[register] = self.count
        self.count += 1
        return self.masks[register]

    def fields(self):
        """The next instruction, and how it begins."""
        first, f = self.byte(), Fields()
        if first == 0x62:
            x, y, z = self.byte(), self.byte(), self.byte()
            f.wide, f.map, f.pp, f.w, f.z, f.l, f.b, f.k = True, x & 7, y & 3, y >> 7, z >> 7, z >> 5 & 3, z >> 4 & 1, z & 7
            high_r, high_b = 8 * (~x >> 7 & 1) | 16 * (~x >> 4 & 1), 8 * (~x >> 5 & 1) | 16 * (~x >> 6 & 1)
            f.v = ~y >> 3 & 15 | 16 * (~z >> 3 & 1)
            f.opcode = self.byte()
        else:
            self.at -= 1
            op, high_r, f.v, high_b = self.prefix()
            f.map, f.pp, f.w, f.l, f.opcode = op.map, op.pp, op.w, op.l, op.opcode
        modrm = self.byte()
        f.r, f.rm, f.direct = (modrm >> 3 & 7) | high_r, (modrm & 7) | high_b, modrm >> 6 == 3
        if not f.direct and modrm & 0xc7 != 5:
            raise Reject("memory")
        return f

    def instruction(self):
        if self.code[self.at] == 0xb8:  # mov eax,imm32
            self.eax = self.code[self.at + 1:self.at + 5]
            self.at += 5
            return
        start = self.at
        f = self.fields()
        if self.code[start:self.at] != f.bytes():
            raise Reject("encoded otherwise")
        if not f.wide and (f.map == 1 and f.opcode in MASK_TWO | {MASK_NOT, MASK_MOVE, *MASK_FROM} or f.map == 3 and f.opcode in MASK_SHIFTS):
            self.of_masks(f)
            return
        if not f.wide:
            self.widen(f)
        self.of_vectors(f)

    @staticmethod
    def widen(f):
        if (f.map, f.pp, f.opcode) not in SAME_AS_VEX:
            raise Reject(f"VEX of {f.map}:{f.opcode:02x}")
        f.wide, f.w = True, int((f.map, f.pp, f.opcode) in WIDE_VEX)

    def of_masks(self, f):
        op = Op(f.map, f.pp, f.w, f.l, f.opcode, kd=True)
        if not f.direct:
            raise Reject("a mask in memory")
        if f.opcode in MASK_FROM:
            if f.opcode == 0x93 or f.rm != 0 or self.eax is None:
                raise Reject("a mask in a general register")
            # kmovd of the constant.
            op = Op(1, 1, 1, 0, MASK_MOVE, form="RM", kd=True, const=self.eax.ljust(CONST, b"\0"))
        elif f.opcode == MASK_MOVE:
            self.masks[f.r] = self.mask(f.rm)
            return
        elif f.map == 3:
            op.form, op.s2, op.imm, op.has_imm = "RM", self.mask(f.rm), self.byte(), True
        elif f.opcode == MASK_NOT:
            op.form, op.s2 = "RM", self.mask(f.rm)
        elif f.opcode in MASK_FIXED and f.v == f.rm:
            op.form = "ZERO"
        else:
            op.s1, op.s2 = self.mask(f.v), self.mask(f.rm)
        op.d = self.new_mask(f.r)
        self.ops.append(op)

    def constant_of(self, f, op):
        """What stands in memory, as a whole vector; loads of one element become loads of that."""
        size = (8 if f.w else 4) if f.b else BROADCAST.get(f.opcode) if f.map == 2 and f.pp == 1 else None
        found = self.obj.target(self.section, self.start + self.at, int(op.has_imm), CONST)
        if found is None:
            raise Reject("memory")
        self.at += 4
        if size is None:
            return found
        if not f.b:
            op.map, op.pp, op.opcode = 1, f.w, 0x10  # vmovups, vmovupd
        whole = found[:size] * (CONST // size)
        return whole if f.b else whole[:16 << f.l].ljust(CONST, b"\0")

    def of_vectors(self, f):
        op = Op(f.map, f.pp, f.w, f.l, f.opcode, evex=1, z=f.z)
        op.has_imm = f.map == 3 or f.map == 1 and f.opcode in IMM1
        key, name = (f.map, f.opcode), (f.map, f.pp, f.opcode)
        self.known(f, key, name)
        if not f.direct:
            op.const = self.constant_of(f, op)
        elif f.b and (not is_fma(*key) or f.k):
            raise Reject("rounding")
        elif f.b:  # L says how it is rounded, of 512 bits.
            op.z = 2
        if op.has_imm:
            op.imm = self.byte()
        if key in MOVES and f.direct and f.k == 0 and f.l == 2:
            self.values[f.r] = self.read(f.rm)
            return
        op.k = self.mask(f.k) if f.k else -1
        self.places(f, op, key, name)
        self.ops.append(op)

    @staticmethod
    def known(f, key, name):
        special = TO_MASK | SIGNS_TO_MASK | FROM_MASK | NARROW | TIED | MORE_TWO | MORE_THREE
        if name in special or key in EXTRACT | MORE_EXTRACT | SHIFTS and f.pp == 1:
            return
        if key not in TWO | THREE and not (is_fma(*key) and f.pp == 1):
            raise Reject(f"opcode {f.map}:{f.opcode:02x}")
        if f.pp not in (0, 1) or f.map != 1 and f.pp != 1:
            if (f.map, f.opcode, f.pp) not in {(1, 0x70, 2), (1, 0x70, 3), (1, 0x5b, 2), (1, 0xe6, 2), (1, 0xe6, 3), (1, 0x12, 2), (1, 0x12, 3), (1, 0x16, 2)}:
                raise Reject(f"prefix of {f.map}:{f.opcode:02x}")
        elif key in {(1, 0x12), (1, 0x16)}:
            raise Reject("memory")

    def places(self, f, op, key, name):
        """Where operands stand, and what is made."""
        vector = lambda n: self.read(n) if f.direct else -1
        merges = f.k != 0 and not f.z and name not in TO_MASK and key not in {(2, 0x64), (2, 0x65), (2, 0x66)}
        to, op.kd = f.r, name in TO_MASK | SIGNS_TO_MASK
        if key in EXTRACT | MORE_EXTRACT or name in NARROW:
            op.form, op.s1, to = "MR", self.read(f.r), f.rm
        elif key in SHIFTS:
            op.form, op.ext, op.s2, to = "VM", f.r & 7, vector(f.rm), f.v
        elif name in SIGNS_TO_MASK:
            op.form, op.s2 = "RM", vector(f.rm)
        elif name in FROM_MASK:
            op.form, op.s2 = "RM", self.mask(f.rm)
        elif f.k == 0 and f.direct and f.v == f.rm and (key in FIXED or name == (3, 1, 0x25) and op.imm == 0xff and f.v == f.r):
            op.form = "ZERO"
        elif name in MORE_TWO or key in TWO and name not in TO_MASK | MORE_THREE:
            op.form, op.s2 = "RM", vector(f.rm)
        else:
            op.s1, op.s2 = self.read(f.v), vector(f.rm)
            op.tied = is_fma(*key) or name in TIED
        op.tied = op.tied or merges
        op.s3 = self.read(to) if op.tied else -1
        if op.form in ("MR", "VM") and not f.direct or op.tied and op.form == "MR":
            raise Reject("a form that is not known")
        op.d = self.new_mask(to) if op.kd else self.new(to)

    def results(self, masks):
        """Values of the results, of each of which MASKS says whether it is a mask."""
        out, nvectors, nmasks = [], 0, 0
        for mask in masks:
            out.append(self.mask(1 + nmasks) if mask else self.read(nvectors))
            nmasks, nvectors = nmasks + mask, nvectors + (not mask)
        return out
