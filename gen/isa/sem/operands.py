# SPDX-License-Identifier: MIT
"""What the operand types of data/isa/rdna3.isa are in rows of semantics, and in C."""
from lang.types import BOOL, TYPES

# Type of the isa table: type in rows (None: too wide for a lane), width of the operand in bits, enum lull_sem_type.
OPERANDS = {
    "b8": ("u8", 16, "B16"), "u8": ("u8", 16, "B16"), "i8": ("i8", 32, "B32"), "i4": ("u32", 32, "B32"),
    "b16": ("u16", 16, "B16"), "u16": ("u16", 16, "B16"), "i16": ("i16", 16, "B16"), "f16": ("f16", 16, "F16"),
    "bf16": ("bf16", 16, "BF16"), "u24": ("u32", 32, "B32"), "i24": ("i32", 32, "B32"), "b32": ("u32", 32, "B32"),
    "u32": ("u32", 32, "B32"), "i32": ("i32", 32, "B32"), "f32": ("f32", 32, "F32"), "v2i16": ("v2i16", 32, "V2I16"),
    "v2u16": ("v2u16", 32, "V2I16"), "v2f16": ("v2f16", 32, "V2F16"), "v2bf16": ("v2bf16", 32, "V2BF16"),
    "mix": ("f32", 32, "MIX"), "b64": ("u64", 64, "B64"), "u64": ("u64", 64, "B64"), "i64": ("i64", 64, "I64"),
    "f64": ("f64", 64, "F64"), "mask": ("bool", 1, "MASK"), "b96": (None, 96, "WIDE"), "b128": (None, 128, "WIDE"),
    "b256": (None, 256, "WIDE"), "acc": (None, 256, "WIDE"), "b512": (None, 512, "WIDE"), "rel16": ("i32", 16, "NONE"),
}


def operand_type(name):
    """Type in rows of an operand of type NAME, or None."""
    known = OPERANDS.get(name)
    return TYPES[known[0]] if known and known[0] else None


def tag(name):
    return OPERANDS.get(name, (None, 0, "NONE"))[2]


def bits(name):
    return OPERANDS[name][1]


def by_halves(slots):
    """Whether a row computes one half after the other: D and A are two values each."""
    return slots.get("D", "").startswith("v2") and slots.get("A", "").startswith("v2")


def variables(kind, slots):
    """Names that the body of a row of KIND may use, with their types."""
    halves = by_halves(slots)
    out = {}
    for letter in "DEABCL":
        t = operand_type(slots.get(letter, ""))
        if t is not None:
            out[letter] = TYPES[t.name[2:]] if halves and t.kind == "v" else t
    if "K" in slots:
        out["K"] = TYPES["i32"]
    if kind == "lane":
        if "D" in out:
            out |= {"DHI": out["D"], "DLO": out["D"]}
        out |= {"VCC": BOOL, "CLAMP": BOOL, "LANE": TYPES["u32"], "NEG": TYPES["u32"]}
        return out | ({"EXEC": BOOL} if slots.get("D") == "mask" else {})
    whole = "D" not in slots or bits(slots["D"]) == 64
    return out | {"SCC": BOOL, "EXEC": TYPES["u64" if whole else "u32"], "VCC": TYPES["u64"], "MODE": TYPES["u32"],
                  "STATUS": TYPES["u32"], "NEXT": TYPES["u64"], "PC": TYPES["u64"]}
