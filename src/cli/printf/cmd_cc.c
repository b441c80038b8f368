// SPDX-License-Identifier: MIT
// lull cc: LLVM IR to AMD GPU objects, with lull's own passes: the work is done by lull-cc. And
// SPIR-V modules to SPIR-V modules without printf.
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/opt/command.h"
#include "cli/printf/cc_spirv.h"
#include "compile/llvm.h"

LULL_MUST_USE static struct lull_error *run(int argc, char **argv, int *status)
{
    if (argc == 0) {
        return lull_error_new(LULL_ERR_INVALID, "no file given");
    }
    if (lull_cc_spirv_is(argc, argv)) {
        return lull_cc_spirv(argc, argv, status);
    }
    lull_cleanup(lull_freep) const char **args = calloc((size_t)argc + 2, sizeof *args);
    if (args == NULL) {
        return &lull_enomem;
    }
    for (int i = 0; i < argc; i++) {
        args[i + 1] = argv[i];
    }
    return lull_llvm_run(args, status);
}

static const char more[] =
    "\n"
    "IN is LLVM IR, as text or bitcode (-: standard input). It goes through lull's passes and\n"
    "LLVM 19's optimiser and code generator, for amdpal or amdhsa.\n"
    "\n"
    "  -o FILE             output; if not given, IN's name with another ending (-: stdout)\n"
    "  -mcpu=CPU           processor; if not given, what the functions say, or gfx1100\n"
    "  -mtriple=TRIPLE     target; if not given, the module's, or amdgcn-amd-amdpal\n"
    "  -mattr=+F,-F        target features, as of llc\n"
    "  -O0 .. -O3          -O2 if not given\n"
    "  --emit=elf|asm|ll|bc  what to write; elf if not given\n"
    "  --relocatable       lull.* intrinsics become relocations, for lull link\n"
    "  --layout LAYOUT     or numbers, for pipelines of this layout (JSON)\n"
    "  --printf            calls of lgc.debug.printf and printf write into a buffer\n"
    "  --printf-atomic=wave|lane   one atomic for a wave (if not given), or for each lane\n"
    "  --printf-record=LIST  entries record: dispatch, workgroup, wave, lane\n"
    "  --printf-set=N --printf-binding=N   amdpal: the buffer of calls that name none\n"
    "  --printf-size=BYTES size of a buffer that is given by its address\n"
    "  --printf-strings=FILE  write the format strings into a file, too\n"
    "\n"
    "Exit status: 0 done, 2 wrong usage, 3 refused; then no output was written.\n"
    "\n"
    "  lull cc shader.ll -mcpu=gfx1100 -o shader.elf\n"
    "  lull cc --relocatable shader.ll -o shader.elf && lull link shader.elf --layout p.json -o "
    "p.elf\n";

static const char more2[] =
    "\n"
    "A SPIR-V module: its debug printf (NonSemantic.DebugPrintf) becomes plain SPIR-V that writes\n"
    "into a buffer, for lull printf decode. A module without printf is passed on as it is.\n"
    "\n"
    "  --printf -o OUT     needed\n"
    "  --strings FILE      the format strings; if not given, OUT with .strings for .spv\n" //
    LULL_PRINTF_OPTION_HELP "\n"
    "  lull cc --printf shader.spv -o out.spv --printf-set 1\n";

const struct lull_command lull_cli_cc = {
    .name = "cc",
    .args = "[OPTIONS] IN",
    .help = "compile LLVM IR for AMD GPUs, with printf and relocatable descriptors",
    .more = more,
    .more2 = more2,
    .run = run,
};
