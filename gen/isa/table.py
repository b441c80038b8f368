# SPDX-License-Identifier: MIT
"""The reader of instruction tables (data/isa/*.isa). docs/formats/isa-table.md describes the format."""
import re
from dataclasses import dataclass, field

KINDS = {None: "{}", "vgpr": "256 + {}", "sgpr2": "2 * {}", "sgpr4": "4 * {}", "int": "{}"}


class TableError(Exception):
    pass


@dataclass
class Field:
    name: str
    kind: str
    word: int
    lo: int
    bits: int
    at: int


@dataclass
class Enc:
    name: str
    line: int
    words: int
    mask: int
    match: int
    fields: list
    source: str
    coded: bool  # An encoding, not a second dword.

    def field(self, name):
        for f in self.fields:
            if f.name == name:
                return f
        return None


@dataclass
class Op:
    name: str
    line: int
    codes: list  # (encoding name, opcode)
    operands: list  # (slot letter, type, marks)
    flags: list
    source: str


@dataclass
class Isa:
    path: str
    name: str = ""
    types: dict = field(default_factory=dict)
    slots: dict = field(default_factory=dict)
    flags: dict = field(default_factory=dict)
    encs: list = field(default_factory=list)
    subs: dict = field(default_factory=dict)
    ops: list = field(default_factory=list)
    names: dict = field(default_factory=dict)  # list -> {number: text}
    parts: dict = field(default_factory=dict)  # list -> [(name, low bit, bits)]

    def enc(self, name):
        return next((e for e in self.encs if e.coded and e.name == name), None)

    def owner(self, name):
        """The encoding that 'name', perhaps a sub line, is a part of."""
        return self.subs[name].partition(".")[0] if name in self.subs else name

    def op_bits(self, name):
        """Width of the opcode of an encoding, or of the half that a sub line names."""
        if name in self.subs:
            enc, _, target = self.subs[name].partition(".")
            return self.enc(enc).field(target).bits
        if self.enc(name) is None:
            raise TableError(f"unknown encoding '{name}'")
        f = self.enc(name).field("op")
        return f.bits if f else 0


def parse_word(text, index):
    """'10oo d-' -> (mask, match, {letter: (word, lo, bits)})."""
    bits = text.replace(" ", "")
    if len(bits) != 32:
        raise TableError(f"dword {index} has {len(bits)} bits, want 32")
    mask = match = 0
    runs = {}
    for i, ch in enumerate(bits):
        pos = 31 - i
        if ch in "01":
            mask |= 1 << pos
            match |= int(ch) << pos
        elif ch.isalpha():
            _, lo, n = runs.get(ch, (0, pos + 1, 0))
            if lo != pos + 1:
                raise TableError(f"field '{ch}' is in two pieces")
            runs[ch] = (index, pos, n + 1)
        elif ch != "-":
            raise TableError(f"bad character '{ch}' in pattern")
    return mask, match, runs


def parse_legend(legend, runs, name):
    fields = []
    for item in legend.split():
        m = re.fullmatch(r"(\w)=([a-z][\w.]*)(?::(\w+))?(?:@(\d+))?", item)
        if not m or m[1] not in runs:
            raise TableError(f"encoding {name}: bad legend '{item}'")
        if m[3] not in KINDS:
            raise TableError(f"encoding {name}: unknown kind '{m[3]}'")
        fields.append(Field(m[2], m[3], *runs.pop(m[1]), int(m[4] or 0)))
    if runs:
        raise TableError(f"encoding {name}: no legend for {', '.join(sorted(runs))}")
    return fields


def parse_enc(head, legend, line):
    kind, name, pattern = head.split(None, 2)
    mask = match = 0
    runs = {}
    words = pattern.split("/")
    for i, text in enumerate(words):
        word_mask, word_match, word_runs = parse_word(text, i)
        if runs.keys() & word_runs.keys():
            raise TableError(f"encoding {name}: a letter is used in two dwords")
        runs |= word_runs
        mask |= word_mask << 32 * i
        match |= word_match << 32 * i
    legend, _, source = legend.partition("|")
    if not source.strip():
        raise TableError(f"{name}: every row names its source")
    return Enc(name, line, len(words), mask, match, parse_legend(legend, runs, name), source.strip(), kind == "enc")


def parse_operand(text, isa):
    m = re.fullmatch(r"([A-Z]):(\w+)(?:\.([svcmngio]+))?", text)
    if not m or m[1] not in isa.slots:
        raise TableError(f"bad operand '{text}'")
    if m[2] not in isa.types:
        raise TableError(f"unknown type '{m[2]}'")
    return m[1], m[2], m[3] or ""


def parse_op(cells, line, isa):
    if len(cells) != 5:
        raise TableError(f"row has {len(cells)} columns, want 5")
    name, codes, operands, flags, source = cells
    if not re.fullmatch(r"[a-z]\w*", name):
        raise TableError(f"bad mnemonic '{name}'")
    parsed = []
    for item in codes.split():
        enc, _, code = item.partition(":")
        value = int(code, 16)
        if value >= 1 << isa.op_bits(enc):
            raise TableError(f"opcode {value:#x} does not fit {isa.op_bits(enc)} bits of {enc}")
        parsed.append((enc, value))
    if not parsed:
        raise TableError(f"{name}: no encoding")
    for flag in flags.split():
        if flag not in isa.flags:
            raise TableError(f"unknown flag '{flag}'")
    slots = [parse_operand(o, isa) for o in operands.split()]
    if len({s[0] for s in slots}) != len(slots):
        raise TableError(f"{name}: an operand slot is used twice")
    if not source:
        raise TableError(f"{name}: every row names its source")
    return Op(name, line, parsed, slots, flags.split(), source)


def check_encodings(isa):
    """An encoding may sit inside a wider one (SOPK inside SOP2): more fixed bits win."""
    isa.encs.sort(key=lambda e: -(e.mask & 0xFFFFFFFF).bit_count())
    coded = [e for e in isa.encs if e.coded]
    for i, a in enumerate(coded):
        for b in coded[i + 1:]:
            both = a.mask & b.mask & 0xFFFFFFFF
            same = (a.mask, a.match) == (b.mask, b.match) and a.field("op") == b.field("op")
            if not same and (a.match ^ b.match) & both == 0 and both != b.mask & 0xFFFFFFFF:
                raise TableError(f"{isa.path}:{b.line}: encodings {a.name} and {b.name} overlap")


def check_rows(isa):
    """No word may decode in two ways, no name may stand twice."""
    seen, names = {}, {}
    for op in isa.ops:
        if op.name in names:
            raise TableError(f"{isa.path}:{op.line}: {op.name} is also in line {names[op.name]}")
        names[op.name] = op.line
        for enc, code in op.codes:
            e = isa.enc(enc)
            key = (e.mask, e.match, code) if e else (enc, code)
            if key in seen:
                raise TableError(f"{isa.path}:{op.line}: {op.name} is also {seen[key]} in {enc}")
            seen[key] = op.name


def parse_line(isa, text, number):
    words = text.split(None, 3)
    if "|" in text:
        isa.ops.append(parse_op([c.strip() for c in text.split("|")], number, isa))
    elif words[0] == "isa" and len(words) == 2:
        isa.name = words[1]
    elif words[0] == "type" and len(words) == 4:
        isa.types[words[1]] = (int(words[2]), words[3])
    elif words[0] == "slot" and len(words) == 3:
        isa.slots[words[1]] = words[2]
    elif words[0] == "flag" and len(words) >= 3:
        isa.flags[words[1]] = text.split(None, 2)[2]
    elif words[0] == "name" and len(words) == 4:
        if isa.names.setdefault(words[1], {}).setdefault(int(words[2]), words[3]) != words[3]:
            raise TableError(f"{words[1]} {words[2]} has two names")
    elif words[0] == "part" and len(words) == 4:
        low, bits = words[3].split()
        isa.parts.setdefault(words[1], []).append((words[2], int(low), int(bits)))
    elif words[0] == "sub" and len(words) == 3:
        enc, _, target = words[2].partition(".")
        if isa.enc(enc) is None or isa.enc(enc).field(target) is None:
            raise TableError(f"no field '{words[2]}'")
        isa.subs[words[1]] = words[2]
    else:
        raise TableError(f"unknown line '{text.strip()}'")


def parse(path):
    isa = Isa(path)
    pending = None  # an enc or word line waiting for its legend
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    for number, raw in enumerate(lines, 1):
        text = raw.split("#", 1)[0].rstrip()
        if not text:
            continue
        try:
            if pending:
                (number, head), pending = pending, None
                if text[0] != " ":
                    raise TableError(f"no legend after '{head}'")
                isa.encs.append(parse_enc(head, text, number))
            elif text.split()[0] in ("enc", "word"):
                pending = (number, text)
            else:
                parse_line(isa, text, number)
        except (TableError, ValueError) as e:
            raise TableError(f"{path}:{number}: {e}") from None
    if pending:
        raise TableError(f"{path}:{pending[0]}: no legend after '{pending[1]}'")
    check_encodings(isa)
    check_rows(isa)
    return isa
