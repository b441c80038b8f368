// SPDX-License-Identifier: MIT
// lull ir3 instrument: a listing in, one that records what its instructions do out, and a manifest.
#include "cli/adreno/ir3_instrument.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/output.h"
#include "cli/adreno/ir3_in_capture.h"
#include "cli/adreno/ir3_live.h"
#include "cli/adreno/ir3_regs.h"
#include "cli/adreno/ir3_text.h"
#include "instrument/ir3/instrument.h"
#include "isa/ir3_spec.h"
#include "isa/spec/spec.h"

enum {
    DEFAULT_GPU = 630,
    LIVE_GPU = 660,
    PIXEL_BITS = 4,
    FIRST_GPU = 600,
    LAST_GPU = 799,
    DEFAULT_ROOM = 16 << 20,
    PAGE = 4096
};

/** What Mesa calls stages; by the number of the word of --stage. */
static const char *const stages[][2] = {{NULL}, {" VERT "}, {" FRAG "}, {" CL ", " COMP "}};
static const char *const short_stages[] = {NULL, "VS", "FS", "CS"};

static const uint64_t default_buffer = 0x6a88000;

struct args {
    const char *file, *out, *into, *shader, *regex, *group, *pixel;
    unsigned stage; ///< In stages; 0: all.
    uint64_t room, slice;
    bool outputs, capture; ///< capture: FILE is one.
    unsigned insn_first, insn_last;
    unsigned nwhere; ///< Of --where; --group and --pixel add to them.
    int64_t private_bytes;
    struct lull_ir3_instrument how;
    bool *chosen;   ///< Owned: how.chosen.
    char **program; ///< Whose shaders; NULL: FILE has them.
    size_t made;    ///< Shaders.
    bool quiet;     ///< What is made for the program does not stay.
};

/** "A-B" or "A". */
static bool range(const char *value, uint32_t *first, uint32_t *last)
{
    char *end = NULL;
    const bool digit = *value >= '0' && *value <= '9';
    const unsigned long long a = strtoull(value, &end, 0);
    unsigned long long b = a;
    if (*end == '-' && end[1] >= '0' && end[1] <= '9') {
        b = strtoull(end + 1, &end, 0);
    }
    *first = (uint32_t)a;
    *last = (uint32_t)b;
    return digit && *end == '\0' && a <= b && b <= UINT32_MAX;
}

LULL_MUST_USE static struct lull_error *bad(const struct lull_opt *o, const char *value,
                                            const char *what)
{
    return lull_error_new(LULL_ERR_INVALID, "%s: '%s' is not %s", o->name, value, what);
}

LULL_MUST_USE static struct lull_error *instructions(void *base, const struct lull_opt *o,
                                                     const char *value)
{
    struct args *a = base;
    uint32_t first = 0, last = 0;
    const bool ok = range(value, &first, &last);
    a->insn_first = first;
    a->insn_last = last;
    return ok ? NULL : bad(o, value, "N or N-M");
}

LULL_MUST_USE static struct lull_error *invocations(void *base, const struct lull_opt *o,
                                                    const char *value)
{
    struct args *a = base;
    a->how.some = true;
    return range(value, &a->how.first, &a->how.last) ? NULL : bad(o, value, "N or N-M");
}

LULL_MUST_USE static struct lull_error *every(void *base, const struct lull_opt *o,
                                              const char *value)
{
    struct args *a = base;
    uint32_t last = 0;
    a->how.some = true;
    return range(value, &a->how.every, &last) && a->how.every == last && last != 0
               ? NULL
               : bad(o, value, "a number from 1 on");
}

LULL_MUST_USE static struct lull_error *add_where(struct args *a, struct lull_ir3_where w)
{
    if (a->how.nwhere == LULL_IR3_WHERE) {
        return lull_error_new(LULL_ERR_INVALID,
                              "more than %d registers for --where, --group and --pixel",
                              LULL_IR3_WHERE);
    }
    a->how.some = true;
    a->how.where[a->how.nwhere++] = w;
    return NULL;
}

/** "r48.x=3" */
LULL_MUST_USE static struct lull_error *where(void *base, const struct lull_opt *o,
                                              const char *value)
{
    const char *at = value + (*value == 'h'), *equals = strchr(value, '=');
    char *end = NULL;
    struct lull_ir3_where w = {.half = *value == 'h'};
    const unsigned long n = *at == 'r' && at[1] != '-' ? strtoul(at + 1, &end, 10) : 64;
    const char *component =
        end != NULL && *end == '.' && end[1] != '\0' ? strchr("xyzw", end[1]) : NULL;
    uint32_t last = 0;
    if (n > 55 || component == NULL || end + 2 != equals || !range(equals + 1, &w.value, &last) ||
        last != w.value) {
        return bad(o, value, "rN.x=V or hrN.x=V");
    }
    w.reg = (unsigned)n * 4 + (unsigned)(component - "xyzw");
    return add_where(base, w);
}

/** "gpr,pred" */
LULL_MUST_USE static struct lull_error *values(void *base, const struct lull_opt *o,
                                               const char *value)
{
    static const char *const names[] = {"gpr", "shared", "const", "pred", "addr"};
    struct args *a = base;
    a->how.kinds = 0;
    while (*value != '\0') {
        const size_t size = strcspn(value, ",");
        unsigned i = 0;
        while (i < 5 && (strlen(names[i]) != size || memcmp(names[i], value, size) != 0)) {
            i++;
        }
        if (i == 5) {
            return bad(o, value, "of gpr, shared, const, pred and addr");
        }
        a->how.kinds |= 1u << i;
        value += size + (value[size] == ',');
    }
    return a->how.kinds != 0 ? NULL : bad(o, value, "of gpr, shared, const, pred and addr");
}

LULL_MUST_USE static struct lull_error *private_memory(void *base, const struct lull_opt *o,
                                                       const char *value)
{
    struct args *a = base;
    uint32_t first = 0, last = 0;
    const bool ok = range(value, &first, &last) && first == last;
    a->private_bytes = first;
    return ok ? NULL : bad(o, value, "a number");
}

static const struct lull_opt opts[] = {
    {"--gpu", NULL, "N",
     "630 (default), 660, 740: encodings and waits differ; a capture names its own",
     LULL_OPT_NUMBER, LULL_OPT_AT(struct args, how.gen), .min = FIRST_GPU, .max = LAST_GPU},
    {"--shader", NULL, "S",
     "of a file with many listings this one: its number, from 0, or the start of its sha1 or\n"
     "of the hash of its code, as `lull rd show` has it; of a capture, its number or hash",
     LULL_OPT_TEXT, LULL_OPT_AT(struct args, shader)},
    {"--regex", NULL, "PATTERN", "instructions whose text has this (PCRE2); all if not given",
     LULL_OPT_TEXT, LULL_OPT_AT(struct args, regex)},
    {"--instructions", NULL, "N[-M]", "instructions with these numbers, from 0", LULL_OPT_CALL,
     .call = instructions},
    {"--values", NULL, "KINDS", "of gpr, shared, const, pred and addr, apart by commas; all",
     LULL_OPT_CALL, .call = values},
    {"--invocations", NULL, "N[-M]",
     "those that begin as these, from 0; others run the shader as it was, if all of their wave do",
     LULL_OPT_CALL, .call = invocations},
    {"--every", NULL, "N", "each Nth invocation", LULL_OPT_CALL, .call = every},
    {"--where", NULL, "REG=V",
     "invocations in which a register begins with this: rN.x, hrN.x, r48.x on", LULL_OPT_CALL,
     .call = where, .flags = LULL_OPT_MANY},
    {"--group", NULL, "X,Y,Z",
     "invocations of this workgroup; a listing needs @wgid, or Mesa's lines behind it",
     LULL_OPT_TEXT, LULL_OPT_AT(struct args, group)},
    {"--pixel", NULL, "X,Y",
     "invocations of this pixel, of a fragment shader that reads gl_FragCoord; a log says so,\nand "
     "a capture",
     LULL_OPT_TEXT, LULL_OPT_AT(struct args, pixel)},
    {"--buffer", NULL, "ADDRESS",
     "where the records go; 0x6a88000 if not given, in a\ncapture where nothing is",
     LULL_OPT_NUMBER, LULL_OPT_AT(struct args, how.buffer)},
    {"--room", NULL, "BYTES", "for records in it; 16777216 if not given", LULL_OPT_NUMBER,
     LULL_OPT_AT(struct args, room), .min = 16, .max = UINT32_MAX - (1 << 16)},
    {"--slice", NULL, "BYTES",
     "each invocation has a part of its own for so many bytes of records, without one cursor "
     "for all; what does not fit is lost, and counted",
     LULL_OPT_NUMBER, LULL_OPT_AT(struct args, slice), .min = 16, .max = UINT32_MAX / 2},
    {"--private", NULL, "BYTES", "private memory that the shader has, if no @pvtmem says it",
     LULL_OPT_CALL, .call = private_memory},
    {"--all-outputs", NULL, NULL, "any register may be an output; else those of @out",
     LULL_OPT_FLAG, LULL_OPT_AT(struct args, outputs)},
    {"--stage", NULL, "vs|fs|cs", "shaders of this stage alone", LULL_OPT_CHOICE,
     LULL_OPT_AT(struct args, stage), .min = 1},
    {"-o", NULL, "FILE", "the listing, or the capture; the manifest is FILE.records", LULL_OPT_OUT,
     LULL_OPT_AT(struct args, out)},
    {"--into", NULL, "DIR",
     "all shaders of a log, as DIR/SHA1.asm for IR3_SHADER_OVERRIDE_PATH, with SHA1.records for\n"
     "`lull exec --records DIR`; each has a buffer of its own",
     LULL_OPT_TEXT, LULL_OPT_AT(struct args, into)},
    {"FILE", .kind = LULL_OPT_IN, LULL_OPT_AT(struct args, file)},
    {"PROGRAM", .kind = LULL_OPT_REST, LULL_OPT_AT(struct args, program)},
    {0},
};

static const struct lull_opt_group groups[] = {{NULL, opts, 0}, {0}};

/** Which instructions have the text that --regex wants; @p chosen has room for all. */
LULL_MUST_USE static struct lull_error *choose(const struct args *a,
                                               const struct lull_ir3_shader *s, bool *chosen)
{
    const struct lull_spec_options print = {.gen = a->how.gen};
    int code = 0;
    PCRE2_SIZE at = 0;
    pcre2_code *re = pcre2_compile((PCRE2_SPTR)(a->regex != NULL ? a->regex : ""),
                                   PCRE2_ZERO_TERMINATED, 0, &code, &at, NULL);
    if (re == NULL) {
        PCRE2_UCHAR why[128] = "";
        (void)pcre2_get_error_message(code, why, sizeof why);
        return lull_error_new(LULL_ERR_INVALID, "--regex: column %zu: %s", (size_t)at + 1,
                              (const char *)why);
    }
    struct lull_error *err = NULL;
    pcre2_match_data *found = pcre2_match_data_create_from_pattern(re, NULL);
    for (size_t i = 0; err == NULL && i < s->n; i++) {
        struct lull_str text = {0};
        (void)lull_spec_print(&lull_spec_ir3, &print, s->words[i], &text);
        err = text.err;
        const int n =
            pcre2_match(re, (PCRE2_SPTR)lull_str_text(&text), text.size, 0, 0, found, NULL);
        chosen[i] = n >= 0 && i >= a->insn_first && i <= a->insn_last;
        if (err == NULL && n < PCRE2_ERROR_NOMATCH) {
            err = lull_error_new(LULL_ERR_INVALID, "--regex: it takes too long on '%s'",
                                 lull_str_text(&text));
        }
        lull_str_free(&text);
    }
    pcre2_match_data_free(found);
    pcre2_code_free(re);
    return err;
}

static const struct lull_ir3_header *header(const struct lull_ir3_shader *s, const char *name)
{
    const struct lull_ir3_header *ret = NULL;
    for (size_t i = 0; i < s->nheaders; i++) {
        ret = strcmp(s->headers[i].name, name) == 0 ? &s->headers[i] : ret;
    }
    return ret;
}

/** --group: the workgroup's id, by @wgid, by Mesa's line behind the code, or by the capture. */
LULL_MUST_USE static struct lull_error *group(struct args *a, const struct lull_ir3_shader *s)
{
    const struct lull_ir3_header *h = header(s, "wgid");
    const unsigned reg = h != NULL && h->kind == LULL_IR3_GPR ? h->reg + 1 : s->group_reg;
    uint32_t at[3] = {0};
    char end = 0;
    if (a->group == NULL) {
        return NULL;
    }
    if (reg == 0) {
        return lull_error_new(LULL_ERR_INVALID,
                              "--group: %s has no @wgid(rN.x); --where can name the registers",
                              a->file);
    }
    if (sscanf(a->group, "%" SCNu32 ",%" SCNu32 ",%" SCNu32 "%c", &at[0], &at[1], &at[2], &end) !=
        3) {
        return lull_error_new(LULL_ERR_INVALID, "--group: '%s' is not X,Y,Z", a->group);
    }
    struct lull_error *err = NULL;
    for (unsigned i = 0; err == NULL && i < 3; i++) {
        err = add_where(a, (struct lull_ir3_where){.reg = reg - 1 + i, .value = at[i]});
    }
    return err;
}

/** --pixel: its place, in sixteenths. */
LULL_MUST_USE static struct lull_error *pixel(struct args *a, const struct lull_ir3_shader *s)
{
    uint32_t at[2] = {0};
    char end = 0;
    if (a->pixel == NULL) {
        return NULL;
    }
    if (s->pixel_reg == 0) {
        return lull_error_new(LULL_ERR_INVALID,
                              "--pixel: no register of the shader has its pixel (gl_FragCoord)");
    }
    if (sscanf(a->pixel, "%" SCNu32 ",%" SCNu32 "%c", &at[0], &at[1], &end) != 2) {
        return lull_error_new(LULL_ERR_INVALID, "--pixel: '%s' is not X,Y", a->pixel);
    }
    struct lull_error *err = NULL;
    for (unsigned i = 0; err == NULL && i < 2; i++) {
        err = add_where(a, (struct lull_ir3_where){
                               .reg = s->pixel_reg - 1 + i, .shift = PIXEL_BITS, .value = at[i]});
    }
    return err;
}

/** Bytes of private memory of the shader; negative: it is not known. */
static int64_t private_of(const struct args *a, const struct lull_ir3_shader *s)
{
    const struct lull_ir3_header *h = header(s, "pvtmem");
    bool uses = false;
    for (size_t i = 0; i < s->n; i++) {
        struct lull_ir3_insn in;
        uses = uses || (lull_ir3_decode(s->words[i], a->how.gen, &in) &&
                        (in.op == LULL_IR3_OP_LDP || in.op == LULL_IR3_OP_STP));
    }
    return a->private_bytes >= 0 ? a->private_bytes
           : h != NULL           ? (int64_t)h->values[0]
           : uses                ? -1
                                 : 0;
}

/** Headers as they were, private memory aside, and the code. @p consts: with @const, which Turnip
 * 25.0.7 adds behind those that it has: its own copy of a shader keeps them. */
static void print_listing(const struct lull_ir3_shader *s, const struct lull_ir3_instrumented *r,
                          bool consts, struct lull_str *out)
{
    const struct lull_ir3_options o = {.gen = r->manifest.gen};
    lull_str_addf(out, "; records what its instructions read and write: lull ir3 instrument\n");
    if (s->title != NULL) {
        lull_str_addf(out, "; %s\n", s->title);
    }
    for (size_t i = 0; i < s->nheaders; i++) {
        const char *name = s->headers[i].name;
        if ((r->private_bytes == 0 || strcmp(name, "pvtmem") != 0) &&
            (consts || strcmp(name, "const") != 0)) {
            lull_str_addf(out, "%s\n", s->headers[i].text);
        }
    }
    if (r->private_bytes != 0) {
        lull_str_addf(out, "@pvtmem %u\n", r->private_bytes);
    }
    lull_ir3_disasm(r->words, r->n, &o, out);
}

/** The listing as @p path, the manifest as @p beside. */
LULL_MUST_USE static struct lull_error *write_both(const char *path, const char *beside,
                                                   const struct lull_ir3_shader *s,
                                                   const struct lull_ir3_instrumented *r,
                                                   bool consts)
{
    struct lull_str listing = {0}, manifest = {0};
    struct lull_output out[2] = {{0}, {0}};
    print_listing(s, r, consts, &listing);
    lull_manifest_print(&r->manifest, &manifest);
    struct lull_error *err = listing.err != NULL ? listing.err : manifest.err;
    err = err != NULL ? err : lull_output_open(&out[0], path);
    err = err != NULL ? err : lull_output_open(&out[1], beside);
    err = err != NULL ? err : lull_output_put(&out[0], listing.text, listing.size);
    err = err != NULL ? err : lull_output_put(&out[1], manifest.text, manifest.size);
    err = err != NULL ? err : lull_output_keep(&out[1]);
    err = err != NULL ? err : lull_output_keep(&out[0]);
    lull_output_done(&out[0]);
    lull_output_done(&out[1]);
    lull_str_free(&listing);
    lull_str_free(&manifest);
    return err;
}

/** What is recorded of shader @p s: in a->how. */
LULL_MUST_USE static struct lull_error *selection(struct args *a, const struct lull_ir3_shader *s)
{
    a->chosen = calloc(s->n + 1, sizeof *a->chosen);
    struct lull_error *err = a->chosen != NULL ? choose(a, s, a->chosen) : &lull_enomem;
    a->how.nwhere = a->nwhere;
    err = err != NULL ? err : group(a, s);
    err = err != NULL ? err : pixel(a, s);
    a->how.chosen = a->chosen;
    return err;
}

/** Its title in the manifest, with the hash of its code. */
LULL_MUST_USE static struct lull_error *entitle(struct lull_manifest *m,
                                                const struct lull_ir3_shader *s)
{
    struct lull_str title = {0};
    lull_str_addf(&title, "%s%scode %016" PRIx64, s->title != NULL ? s->title : "",
                  s->title != NULL ? ", " : "", lull_ir3_text_hash(s, m->gen));
    struct lull_error *err = title.err;
    char *copy = err == NULL ? strdup(lull_str_text(&title)) : NULL;
    lull_str_free(&title);
    free(m->shader);
    m->shader = copy;
    return err != NULL || copy != NULL ? err : &lull_enomem;
}

/** The shader @p s, as files @p path and @p beside. */
LULL_MUST_USE static struct lull_error *instrument(struct args *a, const struct lull_ir3_shader *s,
                                                   const char *path, const char *beside)
{
    struct lull_ir3_instrumented r = {0};
    struct lull_error *err = selection(a, s);
    a->how.all_outputs = a->outputs;
    a->how.private_bytes = private_of(a, s);
    err = err != NULL ? err : lull_error_in(lull_ir3_instrument(s, &a->how, &r), "%s", a->file);
    err = err != NULL ? err : entitle(&r.manifest, s);
    if (err == NULL) {
        fprintf(stderr, "%s", lull_str_text(&r.notes));
        err = write_both(path, beside, s, &r, a->into == NULL);
    }
    if (err == NULL) {
        if (!a->quiet) { // What a program's shaders give on standard output is records.
            fprintf(a->program != NULL ? stderr : stdout,
                    "%s: %zu instructions recorded; %zu instructions instead of %zu\n"
                    "buffer at 0x%" PRIx64 ", %u bytes of zeros\n",
                    path, r.manifest.n, r.n, s->n, r.manifest.buffer, r.manifest.bytes);
            lull_ir3_text_slices(&r.manifest, a->program != NULL ? stderr : stdout);
        }
        a->how.buffer += ((uint64_t)r.manifest.bytes + PAGE - 1) / PAGE * PAGE;
        a->made++;
    }
    lull_ir3_instrumented_done(&r);
    free(a->chosen);
    a->chosen = NULL;
    return err;
}

/** "Native code for unnamed CL shader (null) with sha1 4507...": from the sha1 on; NULL: none. */
static const char *sha1_of(const struct lull_ir3_shader *s)
{
    const char *at = s->title != NULL ? strstr(s->title, " with sha1 ") : NULL;
    at = at != NULL ? at + strlen(" with sha1 ") : NULL;
    return at != NULL && *at != '\0' && at[strspn(at, "0123456789abcdef")] == '\0' ? at : NULL;
}

static bool of_stage(const struct args *a, const struct lull_ir3_shader *s)
{
    bool is = a->stage == 0;
    for (unsigned i = 0; !is && s->title != NULL && i < 2; i++) {
        is = stages[a->stage][i] != NULL && strstr(s->title, stages[a->stage][i]) != NULL;
    }
    return is;
}

/** Is the shader @p at there with other code, too? Mesa would give both the same file. *first: it
 * is the first with its sha1. */
static bool ambiguous(const struct lull_ir3_shaders *all, size_t at, bool *first)
{
    const struct lull_ir3_shader *s = &all->all[at];
    bool ret = false;
    *first = true;
    for (size_t i = 0; i < all->n; i++) {
        const struct lull_ir3_shader *o = &all->all[i];
        if (i != at && sha1_of(o) != NULL && strcmp(sha1_of(o), sha1_of(s)) == 0) {
            *first = *first && i > at;
            ret = ret || o->n != s->n || memcmp(o->words, s->words, s->n * sizeof *s->words) != 0;
        }
    }
    return ret;
}

LULL_MUST_USE static struct lull_error *check_options(const struct args *a)
{
    if ((a->file == NULL) == (a->program == NULL)) {
        return lull_error_new(LULL_ERR_INVALID, a->file == NULL ? "no FILE given, and no PROGRAM "
                                                                  "behind --"
                                                                : "FILE or PROGRAM, not both");
    }
    if (a->program != NULL && a->out != NULL) {
        return lull_error_new(LULL_ERR_INVALID, "-o is for a FILE; --into keeps what is made for a "
                                                "PROGRAM");
    }
    if (a->program == NULL && (a->out == NULL) == (a->into == NULL)) {
        return lull_error_new(LULL_ERR_INVALID, "one of -o and --into is needed");
    }
    if (a->capture && a->into != NULL) {
        return lull_error_new(LULL_ERR_INVALID, "--into is for listings, and %s is a capture",
                              a->file);
    }
    if (a->stage != 0 && a->into == NULL && !a->capture && a->program == NULL) {
        return lull_error_new(LULL_ERR_INVALID, "--stage needs --into");
    }
    const struct lull_manifest m = {.room = a->how.room, .slice = a->how.slice};
    if (m.slice != 0 && lull_manifest_slices(&m) == 0) {
        return lull_error_new(LULL_ERR_INVALID,
                              "--slice: %u bytes, and %d for each slice, fit into --room %u less "
                              "than twice; one is for invocations that get none",
                              m.slice, LULL_RECORDS_SLICE, m.room);
    }
    return NULL;
}

/** The buffer of the next shader. */
LULL_MUST_USE static struct lull_error *check(const struct args *a)
{
    const int page = a->out == NULL || a->capture ? PAGE : 8;
    if (a->how.buffer % page != 0 ||
        (a->how.buffer & UINT32_MAX) + a->room + LULL_IR3_SLACK > UINT32_MAX) {
        return lull_error_new(LULL_ERR_INVALID,
                              "--buffer: 0x%" PRIx64 " with %" PRIu64
                              " bytes: it must be a multiple of %d, and not lie across 4 GiB",
                              a->how.buffer, a->room, page);
    }
    return NULL;
}

/** One of --into. */
LULL_MUST_USE static struct lull_error *one_into(struct args *a, const struct lull_ir3_shader *s)
{
    struct lull_str path = {0}, beside = {0};
    lull_str_addf(&path, "%s/%s.asm", a->into, sha1_of(s));
    lull_str_addf(&beside, "%s/%s.records", a->into, sha1_of(s));
    struct lull_error *err = path.err != NULL ? path.err : beside.err;
    err = err != NULL ? err : check(a); // The buffer goes on behind that of the one before.
    err = err != NULL ? err : instrument(a, s, lull_str_text(&path), lull_str_text(&beside));
    if (err != NULL && lull_error_code(err) == LULL_ERR_UNSUPPORTED) {
        fprintf(stderr, "lull ir3: %s: %s\n", sha1_of(s), lull_error_message(err));
        lull_error_free(err);
        err = NULL;
    }
    lull_str_free(&path);
    lull_str_free(&beside);
    return err;
}

LULL_MUST_USE static struct lull_error *into(struct args *a, const struct lull_ir3_shaders *chosen)
{
    struct lull_error *err = NULL;
    if (mkdir(a->into, 0777) != 0 && errno != EEXIST) {
        return lull_error_os(errno, "%s", a->into);
    }
    for (size_t i = 0; err == NULL && i < chosen->n; i++) {
        const struct lull_ir3_shader *s = &chosen->all[i];
        bool first = true;
        if (sha1_of(s) == NULL || s->n == 0 || !of_stage(a, s)) {
            continue;
        }
        const bool many = ambiguous(chosen, i, &first);
        if (many && first) {
            fprintf(stderr, "lull ir3: %s: it is there with other code, too, and is left out\n",
                    sha1_of(s));
        } else if (first && s->constant_bytes != 0) { // It frees them, and copies them again.
            fprintf(stderr,
                    "lull ir3: %s: it has tables of constants, with which Turnip 25.0.7 crashes "
                    "when it reads a listing, and is left out\n",
                    sha1_of(s));
        } else if (first && !many) {
            err = one_into(a, s);
        }
    }
    return err;
}

LULL_MUST_USE static struct lull_error *one(struct args *a, const struct lull_ir3_shaders *chosen)
{
    if (chosen->n != 1 || chosen->all[0].n == 0) {
        return lull_error_new(LULL_ERR_INVALID, "%s has %zu shaders: choose one with --shader%s",
                              a->file, chosen->n, chosen->n == 1 ? "; this one has no code" : "");
    }
    struct lull_str beside = {0};
    lull_ir3_text_notes(a->file, &chosen->all[0]);
    lull_str_addf(&beside, "%s.records", a->out);
    struct lull_error *err = beside.err;
    err = err != NULL ? err : instrument(a, &chosen->all[0], a->out, lull_str_text(&beside));
    lull_str_free(&beside);
    return err;
}

LULL_MUST_USE static struct lull_error *of_capture(void *ctx, const struct lull_ir3_shader *s,
                                                   struct lull_ir3_instrument *how)
{
    struct args *a = ctx;
    how->private_bytes = a->private_bytes >= 0 ? a->private_bytes : how->private_bytes;
    how->all_outputs = how->all_outputs || a->outputs;
    a->how = *how;
    struct lull_error *err = selection(a, s);
    *how = a->how;
    return err;
}

LULL_MUST_USE static struct lull_error *in_capture(struct args *a)
{
    const struct lull_ir3_in_capture c = {.file = a->file,
                                          .out = a->out,
                                          .shader = a->shader,
                                          .stage = short_stages[a->stage],
                                          .how = a->how,
                                          .prepare = of_capture,
                                          .ctx = a};
    struct lull_error *err = lull_ir3_in_capture(&c);
    free(a->chosen);
    return err;
}

LULL_MUST_USE static struct lull_error *in_text(struct args *a)
{
    struct lull_ir3_shaders all = {0}, chosen = {0};
    a->how.gen = a->how.gen != 0 ? a->how.gen : DEFAULT_GPU;
    a->how.buffer = a->how.buffer != 0 ? a->how.buffer : default_buffer;
    struct lull_error *err = check(a);
    err = err != NULL ? err : lull_ir3_text_read(a->file, a->how.gen, a->shader, &all, &chosen);
    err = err != NULL ? err : a->into != NULL ? into(a, &chosen) : one(a, &chosen);
    lull_ir3_shaders_done(&all);
    return err;
}

/** The listings of a program, @p log. */
LULL_MUST_USE static struct lull_error *listings(void *ctx, const char *log, const char *dir)
{
    struct args *a = ctx;
    a->file = log;
    a->into = dir;
    struct lull_error *err = in_text(a);
    if (err == NULL && a->made == 0) {
        err = lull_error_new(LULL_ERR_INVALID,
                             "%s has no shader that is meant and can be "
                             "instrumented",
                             a->program[0]);
    }
    return err;
}

LULL_MUST_USE static struct lull_error *live(struct args *a, int *status)
{
    a->how.gen = a->how.gen != 0 ? a->how.gen : LIVE_GPU;
    a->quiet = a->into == NULL;
    const struct lull_ir3_live l = {
        .gen = a->how.gen, .program = a->program, .dir = a->into, .instrument = listings, .ctx = a};
    if (a->how.gen != 630 && a->how.gen != 660 && a->how.gen != 740) {
        return lull_error_new(LULL_ERR_INVALID, "--gpu %u: a PROGRAM sees 630, 660 or 740",
                              a->how.gen);
    }
    return lull_ir3_live(&l, status);
}

LULL_MUST_USE static struct lull_error *run(const struct lull_form *form, int argc, char **argv,
                                            int *status)
{
    struct args a = {.room = DEFAULT_ROOM,
                     .insn_last = UINT32_MAX,
                     .private_bytes = -1,
                     .how = {.kinds = LULL_IR3_VALUES_ALL, .last = UINT32_MAX}};
    struct lull_error *err = lull_opt_parse(form, &a, argc, argv);
    a.nwhere = a.how.nwhere;
    a.how.room = (uint32_t)a.room / 4 * 4;
    a.how.slice = (uint32_t)a.slice / 4 * 4;
    a.capture = err == NULL && a.file != NULL && lull_ir3_is_capture(a.file);
    err = err != NULL ? err : check_options(&a);
    err = err != NULL ? err : check(&a);
    return err != NULL         ? err
           : a.program != NULL ? live(&a, status)
           : a.capture         ? in_capture(&a)
                               : in_text(&a);
}

const struct lull_form lull_ir3_instrument_form = {
    .word = "instrument",
    .usage = "[OPTIONS] FILE | [OPTIONS] -- PROGRAM [ARGUMENTS]",
    .about = "instrument rewrites a listing of an a6xx or a7xx, or a shader of an rd capture, so "
             "that each of its instructions writes what it reads and writes into a buffer; records "
             "reads that. PROGRAM runs twice under `lull exec`, for its listings and instrumented; "
             "then its records are printed.",
    .groups = groups,
    .after = "Exit status with PROGRAM: its own.",
    .run = run,
};
