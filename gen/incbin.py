#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write assembly that puts a file's bytes into the program: incbin.py FILE SYMBOL OUT.S.

C sees `extern const uint8_t SYMBOL[], SYMBOL_end[], SYMBOL_sha256[32];`. Standard library only.
"""
import hashlib
import pathlib
import sys

if len(sys.argv) != 4:
    sys.exit("usage: incbin.py FILE SYMBOL OUT.S")
path, symbol, out = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], pathlib.Path(sys.argv[3])
if not path.is_file():
    sys.exit(f"{path}: no such file")
text = [".section .rodata", ".p2align 4"]
digest = ", ".join(str(b) for b in hashlib.sha256(path.read_bytes()).digest())
for name, body in ((symbol, f'.incbin "{path}"'), (f"{symbol}_end", ".byte 0"), (f"{symbol}_sha256", f".byte {digest}")):
    text += [f".globl {name}", f".hidden {name}", f".type {name}, %object", f"{name}:", f"    {body}"]
text += ['.section .note.GNU-stack,"",%progbits', ""]
out.write_text("\n".join(text))
