// SPDX-License-Identifier: MIT
// lull disasm: list the code of a program, or what the program asks of the hardware.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "cli/opt/command.h"
#include "cli/run/listing.h"
#include "cli/run/listing_llvm.h"
#include "compile/compile.h"
#include "compile/run.h"
#include "image/image.h"

struct options {
    const char *path, *symbol;
    bool raw, json, source, info;
    unsigned wave_size; ///< 0: not said.
    unsigned opt_level;
};

LULL_MUST_USE static struct lull_error *wave(void *base, const struct lull_opt *o,
                                             const char *value)
{
    struct options *options = base;
    (void)o;
    options->wave_size = value[0] == '3' ? 32 : 64; // a choice: no other is left
    return NULL;
}

static const struct lull_opt opts[] = {
    {"--kernel", "--symbol", "NAME", "only this kernel or function", LULL_OPT_TEXT,
     LULL_OPT_AT(struct options, symbol)},
    {"--info", NULL, NULL, "kernels, arguments, registers and memory instead of code",
     LULL_OPT_FLAG, LULL_OPT_AT(struct options, info)},
    {"--no-source", NULL, NULL, "without the lines of source between the instructions",
     LULL_OPT_OFF, LULL_OPT_AT(struct options, source)},
    {"--json", NULL, NULL, "as JSON", LULL_OPT_FLAG, LULL_OPT_AT(struct options, json)},
    {"-O", NULL, "0|1|2|3|g",
     "level to compile at; -O2 if not given; g: few passes, which keep variables", LULL_OPT_CHOICE,
     LULL_OPT_AT(struct options, opt_level), .flags = LULL_OPT_LAST},
    {"--wave", NULL, "32|64", "wave size to compile for, or to print raw code for", LULL_OPT_CHOICE,
     .call = wave},
    {"--raw", NULL, NULL, "FILE is bare machine code, or text of hexadecimal dwords; - is stdin",
     LULL_OPT_FLAG, LULL_OPT_AT(struct options, raw)},
    {"--isa", NULL, "gfx1100", "whose code --raw is", .kind = LULL_OPT_CHOICE},
    {"FILE", .kind = LULL_OPT_IN, LULL_OPT_AT(struct options, path), .flags = LULL_OPT_NEEDED},
    {0},
};

static const struct lull_opt_group groups[] = {{NULL, opts, 0}, {0}};

LULL_MUST_USE static struct lull_error *parse(const struct lull_form *form, int argc, char **argv,
                                              struct options *o)
{
    struct lull_error *err = lull_opt_parse(form, o, argc, argv);
    if (err == NULL && strcmp(o->path, "-") == 0) {
        o->path = "/dev/stdin";
    }
    if (err == NULL && o->raw && (o->info || o->symbol != NULL)) {
        err = lull_error_new(LULL_ERR_INVALID,
                             "raw code has no symbols: --info, --kernel do not apply");
    }
    return err;
}

// Text of hexadecimal dwords ("0xbe800080, bfb00000") to bytes, in place. False if it is not such
// text.
static bool unhex(uint8_t *bytes, size_t *size)
{
    size_t out = 0;
    const char *p = (const char *)bytes;
    const char *end = p + *size;
    while (p < end) {
        if (isspace((unsigned char)*p) || *p == ',') {
            p++;
            continue;
        }
        p += end - p > 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X') ? 2 : 0;
        char word[9] = "";
        size_t n = 0;
        while (p < end && n < 8 && isxdigit((unsigned char)*p)) {
            word[n++] = *p++;
        }
        if (n != 8 || (p < end && !isspace((unsigned char)*p) && *p != ',')) {
            return false;
        }
        uint32_t value = (uint32_t)strtoul(word, NULL, 16);
        for (size_t i = 0; i < 4; i++) {
            bytes[out++] = (uint8_t)(value >> (8 * i)); // 8 digits were read for these 4 bytes
        }
    }
    *size = out;
    return true;
}

LULL_MUST_USE static struct lull_error *list_raw(const struct options *o,
                                                 struct lull_listing *listing)
{
    lull_cleanup(lull_freep) uint8_t *bytes = NULL;
    size_t size = 0;
    struct lull_error *err = lull_run_read(o->path, &bytes, &size);
    if (err != NULL) {
        return err;
    }
    unhex(bytes, &size);
    listing->code = bytes;
    listing->end = size;
    return lull_listing_print(listing);
}

// The part to list: one symbol, or all code.
LULL_MUST_USE static struct lull_error *choose_range(const struct lull_image *im, const char *name,
                                                     struct lull_listing *listing)
{
    lull_image_code_range(im, &listing->start, &listing->end);
    if (name == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < lull_image_nsymbols(im); i++) {
        const struct lull_symbol *s = lull_image_symbol(im, i);
        if (!s->is_code || strcmp(s->name, name) != 0) {
            continue;
        }
        listing->start = s->offset;
        uint64_t end = s->offset + s->size;
        for (size_t k = i + 1; s->size == 0 && k < lull_image_nsymbols(im) && end == s->offset;
             k++) {
            const struct lull_symbol *next = lull_image_symbol(im, k);
            end = next->is_code ? next->offset : end;
        }
        listing->end = end > s->offset ? end : listing->end;
        return NULL;
    }
    return lull_error_new(LULL_ERR_NOT_FOUND, "no code called '%s'", name);
}

LULL_MUST_USE static struct lull_error *list_image(const struct options *o,
                                                   const struct lull_image *im,
                                                   struct lull_listing *listing)
{
    struct lull_error *err = choose_range(im, o->symbol, listing);
    if (err != NULL) {
        return err;
    }
    lull_cleanup(lull_freep) uint8_t *memory = malloc(lull_image_size(im));
    if (memory == NULL) {
        return &lull_enomem;
    }
    err = lull_image_load(im, 0, memory);
    listing->code = memory;
    listing->image = im;
    return err != NULL ? err : lull_listing_print(listing);
}

// Code of a GPU that lull does not run: LLVM's text.
LULL_MUST_USE static struct lull_error *list_llvm(const struct options *o,
                                                  const struct lull_compiled *program,
                                                  struct lull_listing *listing)
{
    struct lull_listing_llvm l = {
        .symbol = o->symbol, .json = o->json, .wave_size = o->wave_size, .out = listing->out};
    if (o->info) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "%s: --info is for gfx1100; 'lull elf show' lists what it holds",
                              o->path);
    }
    struct lull_error *err =
        lull_error_in(lull_listing_llvm(program->bytes, program->size, &l), "%s", o->path);
    listing->unknown = l.unknown;
    return err;
}

LULL_MUST_USE static struct lull_error *run_image(const struct options *o,
                                                  struct lull_listing *listing)
{
    const struct lull_compile how = {.opt_level = o->opt_level, .wave_size = o->wave_size};
    struct lull_compiled program = {0};
    struct lull_image *im = NULL;
    struct lull_error *err = lull_compile_file(o->path, &how, &program);
    if (err == NULL && program.diagnostics[0] != '\0') {
        fprintf(stderr, "%s\n", program.diagnostics);
    }
    if (err == NULL && lull_listing_is_llvm(program.bytes, program.size)) {
        err = list_llvm(o, &program, listing);
        lull_compiled_done(&program);
        return err;
    }
    if (err == NULL) {
        err = lull_error_in(lull_image_parse(program.bytes, program.size, &im), "%s", o->path);
    }
    if (err == NULL && o->info) {
        err = lull_listing_info(im, o->json, listing->out);
    } else if (err == NULL) {
        err = list_image(o, im, listing);
    }
    lull_image_free(im);
    lull_compiled_done(&program);
    return err;
}

static void write_out(struct lull_str *out)
{
    fwrite(lull_str_text(out), 1, out->size, stdout);
    out->size = 0;
}

LULL_MUST_USE static struct lull_error *run(const struct lull_form *form, int argc, char **argv,
                                            int *status)
{
    struct options o = {.source = true, .opt_level = 2};
    struct lull_error *err = parse(form, argc, argv, &o);
    if (err != NULL) {
        return err;
    }
    struct lull_str out = {0};
    struct lull_listing listing = {.source = o.source,
                                   .json = o.json,
                                   .wave_size = o.wave_size,
                                   .out = &out,
                                   .write = write_out};
    err = o.raw ? list_raw(&o, &listing) : run_image(&o, &listing);
    if (err == NULL) {
        err = out.err;
    }
    if (err == NULL) {
        write_out(&out);
        *status = listing.unknown != 0 ? LULL_EXIT_FINDINGS : LULL_EXIT_CLEAN;
    }
    lull_str_free(&out);
    return err;
}

static const struct lull_form form = {.groups = groups, .run = run};

const struct lull_command lull_cli_disasm = {
    .name = "disasm",
    .help = "list the code of a GPU program, or what it asks of the hardware",
    .about = "FILE is a gfx1100 code object, or a .cl, .s or .ll file that is compiled first. Code "
             "objects and pipelines of other AMD GPUs are listed in LLVM's words.",
    .forms = (const struct lull_form *const[]){&form, NULL},
    .after = "Exit status 1: some words are not instructions.\n\n"
             "  lull disasm --kernel saxpy saxpy.cl\n"
             "  echo 7e000280 bfb00000 | lull disasm --raw -",
};
