// SPDX-License-Identifier: MIT
// lull cc: LLVM IR to AMD GPU objects, with lull's own passes: the work is done by lull-cc. And
// SPIR-V modules to SPIR-V modules without printf.
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/opt/command.h"
#include "cli/printf/cc_spirv.h"
#include "compile/llvm.h"

struct options {
    const char *output, *layout, *strings;
    struct lull_opt_words inputs;
};

// lull-cc reads the values of those that are passed on.
static const struct lull_opt opts[] = {
    {"-o", NULL, "FILE", "output; if not given, IN's name with another ending; -: standard output",
     LULL_OPT_OUT, LULL_OPT_AT(struct options, output)},
    {"-mcpu", NULL, "CPU", "processor; if not given, what the functions say, or gfx1100",
     .kind = LULL_OPT_PASS, .flags = LULL_OPT_LAST},
    {"-mtriple", NULL, "TRIPLE", "target; if not given, the module's, or amdgcn-amd-amdpal",
     .kind = LULL_OPT_PASS, .flags = LULL_OPT_LAST},
    {"-mattr", NULL, "+F,-F", "target features, as of llc", .kind = LULL_OPT_PASS,
     .flags = LULL_OPT_LAST},
    {"-O", NULL, "0|1|2|3|g", "-O2 if not given; g: few passes, which keep variables",
     .kind = LULL_OPT_PASS, .flags = LULL_OPT_LAST},
    {"--emit", NULL, "elf|asm|ll|bc", "what to write; elf if not given", .kind = LULL_OPT_CHOICE},
    {"--emit-ir", NULL, NULL, "SPIR-V: the IR that becomes of it, before all passes, as text",
     .kind = LULL_OPT_PASS},
    {"--relocatable", NULL, NULL, "lull.* intrinsics become relocations, for lull link",
     .kind = LULL_OPT_PASS},
    {"--layout", NULL, "LAYOUT", "or numbers, for pipelines of this layout (JSON)", LULL_OPT_IN,
     LULL_OPT_AT(struct options, layout)},
    {"-g", NULL, NULL, "SPIR-V: debug information, the lines that the module has",
     .kind = LULL_OPT_PASS},
    {"--primitive-id", NULL, NULL,
     "a vertex or evaluation shader gives pixel shaders gl_PrimitiveID", .kind = LULL_OPT_PASS},
    {"--multiview", NULL, NULL,
     "primitives go to the layer of their view, also of shaders that do not read gl_ViewIndex",
     .kind = LULL_OPT_PASS},
    {"--entry", NULL, "NAME", "SPIR-V: the entry point, if there are several",
     .kind = LULL_OPT_PASS, .flags = LULL_OPT_LAST},
    {"--spec", NULL, "ID=VALUE", "SPIR-V: a specialization constant", .kind = LULL_OPT_PASS,
     .flags = LULL_OPT_MANY},
    {"--printf", NULL, NULL,
     "calls of lgc.debug.printf, printf and debugPrintfEXT write into a buffer",
     .kind = LULL_OPT_PASS},
    {"--printf-atomic", NULL, "wave|lane", "one atomic for a wave (if not given), or for each lane",
     .kind = LULL_OPT_CHOICE},
    {"--printf-record", NULL, "LIST", "entries record: dispatch, workgroup, wave, lane",
     .kind = LULL_OPT_PASS},
    {"--printf-set", NULL, "N", "amdpal: the buffer of calls that name none: its set",
     .kind = LULL_OPT_PASS},
    {"--printf-binding", NULL, "N", "and its binding", .kind = LULL_OPT_PASS},
    {"--printf-size", NULL, "BYTES", "size of a buffer that is given by its address",
     .kind = LULL_OPT_PASS},
    {"--printf-strings", NULL, "FILE", "write the format strings into a file, too", LULL_OPT_OUT,
     LULL_OPT_AT(struct options, strings)},
    {"IN", .kind = LULL_OPT_IN, LULL_OPT_AT(struct options, inputs),
     .flags = LULL_OPT_NEEDED | LULL_OPT_MANY},
    {0},
};

static const struct lull_opt_group groups[] = {{NULL, opts, 0}, {0}};

LULL_MUST_USE static struct lull_error *run_llvm(const struct lull_form *form, int argc,
                                                 char **argv, int *status)
{
    struct options o = {0};
    lull_cleanup(lull_freep) const char **args = calloc((size_t)argc + 2, sizeof *args);
    if (args == NULL) {
        return &lull_enomem;
    }
    for (int i = 0; i < argc; i++) {
        args[i + 1] = argv[i];
    }
    struct lull_error *err = lull_opt_parse(form, &o, argc, argv);
    return err != NULL ? err : lull_llvm_run(args, status);
}

static const struct lull_form form_llvm = {
    .about =
        "IN is LLVM IR, as text or bitcode, or a shader in SPIR-V or GLSL (.comp, .glsl, .vert, "
        ".tesc, .tese, .geom, .mesh, .frag); - is standard input. A geometry or tessellation "
        "shader is compiled with those before it: two to four files. It goes through lull's passes "
        "and LLVM 19's optimiser and "
        "code "
        "generator, for amdpal or amdhsa.",
    .groups = groups,
    .after = "Exit status: 0 done, 2 wrong usage, 3 refused; then no output was written.\n"
             "\n"
             "  lull cc shader.ll -mcpu=gfx1100 -o shader.elf\n"
             "  lull cc --relocatable shader.ll -o shader.elf && lull link shader.elf --layout "
             "p.json -o p.elf\n"
             "  lull cc --layout p.json shader.comp --spec 0=64 -o p.elf\n"
             "  lull cc --relocatable shader.vert shader.geom -o gs.elf\n"
             "  lull cc --relocatable shader.vert shader.tesc shader.tese -o tess.elf",
    .run = run_llvm,
};

LULL_MUST_USE static struct lull_error *run(int argc, char **argv, int *status)
{
    static const struct lull_opt_group any_groups[] = {
        {NULL, opts, 0}, {NULL, lull_printf_spirv_opts, 0}, {0}};
    static const struct lull_form any = {.groups = any_groups};
    const struct lull_form *form =
        lull_cc_spirv_is(&any, argc, argv) ? &lull_cc_spirv_form : &form_llvm;
    return form->run(form, argc, argv, status);
}

const struct lull_command lull_cli_cc = {
    .name = "cc",
    .help = "compile LLVM IR, compute and graphics shaders for AMD GPUs, with relocatable "
            "descriptors, printf",
    .forms = (const struct lull_form *const[]){&form_llvm, &lull_cc_spirv_form, NULL},
    .run = run,
};
