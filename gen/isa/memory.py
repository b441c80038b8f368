# SPDX-License-Identifier: MIT
"""Tables of memory instructions (data/isa/*.memsem) to C. docs/formats/mem-table.md describes the format."""
import re
from dataclasses import dataclass, field

from table import TableError

NAME = re.compile(r"[a-z][a-z0-9_]*")
CLASSES = ("none", "move", "atomic", "lanes", "count", "image", "gds")
MAX_FLAGS = 16


@dataclass
class Table:
    elements: dict = field(default_factory=dict)  # name: (bytes, text)
    kinds: dict = field(default_factory=dict)  # name: (class, text)
    flags: dict = field(default_factory=dict)  # name: text
    rows: dict = field(default_factory=dict)  # mnemonic: (kind, element, flags, line)


def declare(table, word, rest):
    """element NAME BYTES TEXT, kind NAME CLASS TEXT, flag NAME TEXT."""
    where = {"element": table.elements, "kind": table.kinds, "flag": table.flags}[word]
    parts = rest.split(None, 1 if word == "flag" else 2)
    if len(parts) != (2 if word == "flag" else 3) or not NAME.fullmatch(parts[0]):
        raise TableError(f"{word} needs a name and what it is")
    if parts[0] in where:
        raise TableError(f"{word} {parts[0]} stands twice")
    if word == "flag":
        if len(where) == MAX_FLAGS:
            raise TableError(f"more than {MAX_FLAGS} flags")
        where[parts[0]] = parts[1]
    elif word == "kind":
        if parts[1] not in CLASSES:
            raise TableError(f"kind {parts[0]}: no class '{parts[1]}'")
        where[parts[0]] = (parts[1], parts[2])
    else:
        if not parts[1].isdecimal() or int(parts[1]) > 64:
            raise TableError(f"element {parts[0]}: bad size '{parts[1]}'")
        where[parts[0]] = (int(parts[1]), parts[2])


def add_row(table, text, line):
    columns = [c.strip() for c in text.split("|")]
    if len(columns) != 5:
        raise TableError(f"{len(columns)} columns, not 5")
    name, kind, element, flags, source = columns
    element = "none" if element == "-" else element
    flags = flags.split()
    if not NAME.fullmatch(name):
        raise TableError(f"bad mnemonic '{name}'")
    if name in table.rows:
        raise TableError(f"{name} stands twice")
    if kind not in table.kinds:
        raise TableError(f"{name}: no kind '{kind}'")
    if element not in table.elements:
        raise TableError(f"{name}: no element '{element}'")
    for flag in flags:
        if flag not in table.flags:
            raise TableError(f"{name}: no flag '{flag}'")
    size = table.elements[element][0]
    if table.kinds[kind][0] == "atomic" and size not in (4, 8):
        raise TableError(f"{name}: an atomic of {size} bytes")
    if table.kinds[kind][0] != "none" and size == 0:
        raise TableError(f"{name}: {kind} needs an element")
    if not source:
        raise TableError(f"{name}: no source")
    table.rows[name] = (kind, element, flags, line)


def parse(path):
    table = Table()
    with open(path, encoding="utf-8") as f:
        for line, text in enumerate(f.read().split("\n"), 1):
            text = text.split("#", 1)[0].strip()
            if not text:
                continue
            try:
                word, _, rest = text.partition(" ")
                if word in ("element", "kind", "flag"):
                    declare(table, word, rest.strip())
                else:
                    add_row(table, text, line)
            except TableError as e:
                raise TableError(f"{path}:{line}: {e}") from None
    return table


def check_names(table, path, isa):
    """Every mnemonic must be one of the instruction table's."""
    with open(isa, encoding="utf-8") as f:
        known = {line.split("|")[0].strip() for line in f if line.count("|") == 4}
    for name, row in table.rows.items():
        if name not in known:
            raise TableError(f"{path}:{row[3]}: {name} is not in {isa}")


def header(table):
    out = ["// SPDX-License-Identifier: MIT", "// Made by gen/isa from data/isa.", "#ifndef LULL_MODEL_MEM_OPS_H",
           "#define LULL_MODEL_MEM_OPS_H", "", "/** What a memory instruction does; mem, a, b: data/isa/rdna3.memsem. */",
           "enum lull_mem_kind {", "    LULL_MEM_NONE, ///< Not a memory instruction."]
    out += [f"    LULL_MEM_{n.upper()}, ///< {t}." for n, (_, t) in table.kinds.items()]
    out += ["};", "", "enum lull_mem_class {"]
    out += [f"    LULL_MEM_CLASS_{c.upper()}," for c in CLASSES]
    out += ["};", "", "enum lull_mem_element {"]
    out += [f"    LULL_MEM_E_{n.upper()}, ///< {t}." for n, (_, t) in table.elements.items()]
    out += ["};", "", "enum lull_mem_flag {"]
    out += [f"    LULL_MEM_F_{n.upper()} = 1 << {i}, ///< {t}." for i, (n, t) in enumerate(table.flags.items())]
    return "\n".join(out + ["};", "", "#endif", ""])


def body(table):
    out = ["// SPDX-License-Identifier: MIT", "// Made by gen/isa from data/isa.", '#include "isa/rdna_ops.h"',
           '#include "model/amd/mem/mem.h"', "", "const struct lull_mem_op lull_mem_ops[LULL_RDNA_NOPS] = {"]
    for name, (kind, element, flags, _) in table.rows.items():
        bits = " | ".join(f"LULL_MEM_F_{f.upper()}" for f in flags) or "0"
        out.append(f"    [LULL_RDNA_OP_{name.upper()}] = {{LULL_MEM_{kind.upper()}, "
                   f"LULL_MEM_CLASS_{table.kinds[kind][0].upper()}, LULL_MEM_E_{element.upper()}, "
                   f"{table.elements[element][0]}, {bits}}},")
    return "\n".join(out + ["};", ""])


def add_arguments(parser):
    parser.add_argument("table")
    for option in ("--isa", "--header", "--table"):
        parser.add_argument(option, dest=option[2:] + "_path")


def command(args):
    table = parse(args.table)
    if args.isa_path:
        check_names(table, args.table, args.isa_path)
    for path, text in ((args.header_path, header), (args.table_path, body)):
        if path:
            with open(path, "w", encoding="utf-8") as f:
                f.write(text(table))
