#!/bin/sh
# SPDX-License-Identifier: MIT
# assemble.sh IN.s OUT.bin: gfx11 assembly, through the C preprocessor, to bare machine code.
set -eu
clang-19 -nogpulib -target amdgcn-amd-amdhsa -mcpu=gfx1100 -x assembler-with-cpp -c "$1" -o "$2.o"
llvm-objcopy-19 -O binary -j .text "$2.o" "$2"
rm "$2.o"
