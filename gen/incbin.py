#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write assembly that puts a file's bytes into the program: incbin.py FILE SYMBOL OUT.S.

C sees `extern const uint8_t SYMBOL[], SYMBOL_end[];`. Standard library only.
"""
import pathlib
import sys

if len(sys.argv) != 4:
    sys.exit("usage: incbin.py FILE SYMBOL OUT.S")
path, symbol, out = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], pathlib.Path(sys.argv[3])
if not path.is_file():
    sys.exit(f"{path}: no such file")
text = [".section .rodata", ".p2align 4"]
for name, body in ((symbol, f'.incbin "{path}"'), (f"{symbol}_end", ".byte 0")):
    text += [f".globl {name}", f".hidden {name}", f".type {name}, %object", f"{name}:", f"    {body}"]
text += ['.section .note.GNU-stack,"",%progbits', ""]
out.write_text("\n".join(text))
