#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Templates of the compiler of waves: gen/lift [--target TARGET] [--cases] STRIPS.o STRIPS.txt OUT.c

STRIPS.o is what clang made of the functions that `gen/isa sem --strips` wrote, STRIPS.txt their list (--strips-list). With --cases
they are those of `gen/isa ir3sem --strips`, which have numbers in the place of instructions. A
function without branches, stack and calls becomes a template: operations over values, which src/jit puts into registers.
The others are left out: their instructions are executed by the interpreter. The same input gives the same bytes.
"""
import argparse
import collections
import pathlib
import sys

import a64
import elf
from evex import WideLifter
from vex import FORMS, Lifter, Reject

MAX_VALUES = 120  # Numbers of values are int8_t.
# What compilers call it; lanes of a strip; registers of the window; struct lull_jit_machine.
Target = collections.namedtuple("Target", "name full lanes slots machine")
TARGETS = {t.name: t for t in (Target("v3", "x86-64-v3", 8, 14, "x86"), Target("v4", "x86-64-v4", 16, 38, "x86"),
                               Target("a64", "aarch64", 4, 28, "a64"))}
CHECKS = ("none", "out", "in")  # enum lull_jit_check


class Pool:
    """Things with numbers, each once."""

    def __init__(self):
        self.numbers = {}

    def number(self, thing):
        return self.numbers.setdefault(thing, len(self.numbers))


def op_row(op, consts):
    const = -1 if op.const is None else consts.number(op.const)
    if op.form == "A64":
        return (f"{{.form = LULL_JIT_A64, .tied = {int(op.tied)}, .d = {op.d}, .s1 = {op.s1}, .s2 = {op.s2}, .s3 = {op.s3}, .konst = {const}, "
                f".k = -1, .word = {op.word:#010x}}}")
    return (f"{{{op.map}, {op.pp}, {op.w}, {op.l}, {op.opcode:#04x}, {op.imm:#04x}, {int(op.has_imm)}, "
            f"LULL_JIT_{op.form}, {op.ext}, {int(op.tied)}, {op.d}, {op.s1}, {op.s2}, {op.s3}, {const}, {op.evex}, {int(op.z)}, {int(op.kd)}, "
            f"{op.k}, 0}}")


def lifter_of(target, obj, place, masks):
    if target.machine == "a64":
        return a64.Lifter(obj, *place, len(masks))
    return WideLifter(obj, *place, masks) if target.lanes == 16 else Lifter(obj, *place, len(masks))


def template(target, obj, place, line, consts):
    """Rows of operations, and the rest of the template as text."""
    _, _, _, _, params, outs, check, kind = line
    params = [] if params == "-" else params.split(",")
    inputs, outs = [p.rstrip("m") for p in params], outs.split(",")
    lifter = lifter_of(target, obj, place, [p.endswith("m") for p in params])
    ops, results = lifter.run([o not in ("r", "rh") or kind == "mask" for o in outs])
    if lifter.count > MAX_VALUES:
        raise Reject("more values than there are numbers")
    where = {name: results[n] for n, name in enumerate(outs)}
    text = (f"{len(ops)}, {lifter.count}, {len(inputs)}, {{{', '.join(inputs) or '0'}}}, {where['r']}, {where.get('rh', -1)}, {where.get('e', -1)}, "
            f"{where.get('doubt', -1)}, LULL_JIT_CHECK_{check.upper()}, {int(kind == 'mask')}")
    assert all(op.form in FORMS for op in ops) and check in CHECKS
    return tuple(op_row(op, consts) for op in ops), text


class Table:
    def __init__(self, target):
        self.target = target
        self.consts, self.runs, self.templates = Pool(), Pool(), Pool()
        self.rows = collections.defaultdict(lambda: collections.defaultdict(dict))
        self.why = collections.Counter()

    def add(self, obj, functions, line):
        name, op, variant, mode = line[:4]
        try:
            ops, text = template(self.target, obj, functions[name], line, self.consts)
        except Reject as e:
            self.why[str(e)] += 1
            return
        self.rows[op][variant][mode] = self.templates.number((ops, text)) + 1

    def by_op(self, modes):
        """Templates by instruction of gfx1100: the name of the file of rows, the table, and what names it."""
        rows = [f"    [LULL_RDNA_OP_{op.upper()}] = {{{', '.join(self.row(variants, modes))}}}," for op, variants in self.rows.items()]
        return "rdna3.sem", ["static const struct lull_jit_row rows[LULL_RDNA_NOPS] = {", *rows, "};"], ".rows = rows", "rdna"

    def by_case(self, count):
        """The same by number of a case of ir3."""
        numbers = [self.rows.get(str(n), {}).get("plain", {}).get("-", 0) for n in range(count)]
        parts = [", ".join(map(str, numbers[n:n + 24])) for n in range(0, count, 24)]
        return "ir3.sem", ["static const uint16_t cases[LULL_JIT_IR3_CASES] = {", *(f"    {p}," for p in parts), "};"], ".cases = cases", "ir3"

    def text(self, table):
        source, rows, member, vendor = table
        prefix = "" if vendor == "rdna" else f"{vendor}_"
        first, ops, out = 0, [], []
        for run, text in self.templates.numbers:
            out.append(f"    {{{first}, {text}}},")
            ops += run
            first += len(run)
        consts = ["    {" + ", ".join(f"{b:#04x}" for b in c) + "}," for c in self.consts.numbers]
        return ["// SPDX-License-Identifier: MIT", f"// Made by gen/lift from rows of data/isa/{source}. Do not edit.",
                '#include "jit/machine.h"', '#include "jit/vendor.h"', *(['#include "jit/ir3_cases.h"'] if vendor == "ir3" else []), "", "static const struct lull_jit_op ops[] = {", *(f"    {o}," for o in ops), "};", "",
                f"static const uint8_t consts[][{4 * self.target.lanes}] = {{", *(consts or ["    {0},"]), "};", "",
                "static const struct lull_jit_template templates[] = {", *out, "};", "",
                *rows, "", f"const struct lull_jit_target lull_jit_{prefix}{self.target.name} = {{",
                f'    .name = "{self.target.full}", .lanes = {self.target.lanes}, .slots = {self.target.slots}, .machine = &lull_jit_machine_{self.target.machine},',
                f"    .vendor = &lull_jit_{vendor},",
                f"    .ops = ops, .consts = consts[0], .templates = templates, {member},", "};"]

    @staticmethod
    def row(variants, modes):
        for variant in ("plain", "clamp"):
            by_mode = variants.get(variant, {})
            numbers = [str(by_mode.get("-", by_mode.get(str(m), 0))) for m in range(modes)]
            yield f"{{{', '.join(numbers)}}}"
        yield str(variants.get("same", {}).get("-", 0))
        for variant in ("wide", "quick"):
            by_mode = variants.get(variant, {})
            yield f"{{{', '.join(str(by_mode.get('-', by_mode.get(str(m), 0))) for m in range(modes))}}}"
        yield str(int(any("-" in by_mode for name, by_mode in variants.items() if name not in ("wide", "quick"))))


def main():
    parser = argparse.ArgumentParser(prog="gen/lift")
    for name in ("object", "list", "out"):
        parser.add_argument(name)
    parser.add_argument("--target", choices=TARGETS, default="v3")
    parser.add_argument("--cases", action="store_true", help="of ir3")
    parser.add_argument("--verbose", action="store_true", help="why functions were left out")
    args = parser.parse_args()
    obj = elf.Object(pathlib.Path(args.object).read_bytes())
    functions, table = obj.functions(), Table(TARGETS[args.target])
    lines = [line.split() for line in pathlib.Path(args.list).read_text(encoding="utf-8").splitlines()]
    for line in lines:
        table.add(obj, functions, line)
    if args.cases:
        rows = table.by_case(1 + max(int(line[1]) for line in lines))
    else:
        rows = table.by_op(1 + max(int(line[3]) for line in lines if line[3] != "-"))
    pathlib.Path(args.out).write_text("\n".join(table.text(rows)) + "\n", encoding="utf-8")
    if args.verbose:
        print(f"{len(lines)} functions, {sum(table.why.values())} left out, {len(table.rows)} instructions, "
              f"{len(table.templates.numbers)} templates, {len(table.consts.numbers)} constants")
        for why, count in table.why.most_common():
            print(f"{count:5} {why}")


if __name__ == "__main__":
    sys.exit(main())
