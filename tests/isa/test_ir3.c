// SPDX-License-Identifier: MIT
// ir3 words to text and back, against Mesa's text for them (tests/isa/ir3.vec); headers.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "isa/ir3/decode.h"
#include "isa/ir3/ir3.h"
#include "isa/ir3_spec.h"
#include "test.h"

struct vector {
    unsigned gen;
    uint64_t word;
    char text[1024];
};

/** "GEN\tWORD\tTEXT[\tERRORS]": TEXT and ERRORS as they are printed. */
static bool parse(char *line, struct vector *v)
{
    char *end = line + strcspn(line, "\n");
    *end = '\0';
    char *at = NULL;
    v->gen = (unsigned)strtoul(line, &at, 10);
    v->word = strtoull(at, &at, 16);
    if (v->gen == 0 || *at != '\t') {
        return false;
    }
    at++;
    while (end > at && end[-1] == '\t') {
        *--end = '\0';
    }
    return snprintf(v->text, sizeof v->text, "%s", at) < (int)sizeof v->text;
}

/** Whether the text, whole and cut short, is the same by the index and by a look at each row. */
static bool same_by_index(const struct vector *v, const struct lull_spec_index *index)
{
    const struct lull_spec_options each = {.gen = v->gen, .errors = true};
    const struct lull_spec_options found = {.gen = v->gen, .errors = true, .index = index};
    char text[sizeof v->text];
    memcpy(text, v->text, sizeof text);
    bool same = true;
    for (int cut = 0; cut < 2; cut++) {
        uint64_t words[2] = {0};
        size_t columns[2] = {0};
        const bool first = lull_spec_match(&lull_spec_ir3, &each, text, &words[0], &columns[0]);
        const bool second = lull_spec_match(&lull_spec_ir3, &found, text, &words[1], &columns[1]);
        same = same && first == second && words[0] == words[1] && columns[0] == columns[1];
        text[strlen(text) / 2] = '\0';
    }
    return same;
}

/** Text without errors must give a word with the same text; the same word, if no bit is hidden. */
static void assemble(const struct vector *v, const struct lull_spec_index *index, unsigned *same)
{
    const struct lull_spec_options o = {.gen = v->gen, .errors = true};
    uint64_t word = 0;
    test_case(same_by_index(v, index), "the same by the index", "'%s'", v->text);
    struct lull_error *err = lull_spec_assemble(&lull_spec_ir3, &o, v->text, &word);
    struct lull_str s = {0};
    (void)lull_spec_print(&lull_spec_ir3, &o, word, &s);
    char name[64];
    (void)snprintf(name, sizeof name, "assemble %u %016" PRIx64, v->gen, v->word);
    test_case(err == NULL && strcmp(lull_str_text(&s), v->text) == 0, name,
              "%s\n# got  %016" PRIx64 " '%s'\n# want '%s'",
              err != NULL ? lull_error_message(err) : "", word, lull_str_text(&s), v->text);
    *same += word == v->word;
    lull_error_free(err);
    lull_str_free(&s);
}

/** Words with bits that the text has no name for, as Mesa wrote them. */
static const struct vector written[] = {
    {630, 0xcaaf243c31e1b1ac, // HAS_OFFSET; sampled, without a warning of Mesa's decoder
     "(jp)ldib.b.untyped.1d.u8_32.4.nonuniform.base6 r15.x, r12.y+74, r36.z"},
    // Turnip 25.0.7, captured: no SRC2_IMM_OFFSET without an offset, DST_OFF always.
    {630, 0xa0083107c0000009, "isam.base0.1d (u32)(x)r1.w, r1.x, s#0, t#0"},
    {740, 0xa00c3103c0040001, "isam.v.base0 (u32)(x)r0.w, r0.x, s#0, t#0"},
    {630, 0xc0d609060180001e, "stg.a.u32 g[r1.x+(r1.z)<<2], r3.w, 1"},
};

static void exact(void)
{
    for (size_t i = 0; i < sizeof written / sizeof written[0]; i++) {
        const struct vector *v = &written[i];
        const struct lull_spec_options o = {.gen = v->gen};
        uint64_t word = 0;
        struct lull_error *err = lull_spec_assemble(&lull_spec_ir3, &o, v->text, &word);
        test_case(err == NULL && word == v->word, v->text, "got %016" PRIx64 ", want %016" PRIx64,
                  word, v->word);
        lull_error_free(err);
    }
}

static const struct {
    const char *text, *name;
    enum lull_ir3_header_reg kind;
    unsigned reg, nvalues;
    uint32_t values[4];
} headers[] = {
    {"@localsize 32, 2, 0x4", "localsize", LULL_IR3_NO_REG, 0, 3, {32, 2, 4}},
    {"@buf 128 (c2.x) 1, -2, 1.0", "buf", LULL_IR3_CONST, 8, 4, {128, 1, 0xfffffffe, 0x3f800000}},
    {"@buf 8 (sy)nop", "buf", LULL_IR3_NO_REG, 0, 1, {8}},
    {"@const(c133.x)\t0x3ca3d70a, 0xd0d0d0d0, 0.5, 4",
     "const",
     LULL_IR3_CONST,
     532,
     4,
     {0x3ca3d70a, 0xd0d0d0d0, 0x3f000000, 4}},
    {"@wgid(r48.x)", "wgid", LULL_IR3_GPR, 192, 0, {0}},
    {"@in(hr0.y)\tin0 (wrmask=0x7)", "in", LULL_IR3_GPR, 1, 1, {7}},
    {"@out(r63.w) out1 (ss)nop", "out", LULL_IR3_GPR, 255, 0, {0}},
    {"@earlypreamble", "earlypreamble", LULL_IR3_NO_REG, 0, 0, {0}},
};

static void test_headers(void)
{
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        struct lull_ir3_shaders s = {0};
        struct lull_error *err = lull_ir3_assemble(headers[i].text, 630, &s);
        const bool one = err == NULL && s.n == 1 && s.all[0].nheaders == 1;
        const struct lull_ir3_header *h = one ? &s.all[0].headers[0] : NULL;
        bool ok = one && strcmp(h->name, headers[i].name) == 0 && h->kind == headers[i].kind &&
                  h->reg == headers[i].reg && h->nvalues == headers[i].nvalues && h->line == 1;
        for (unsigned j = 0; ok && j < headers[i].nvalues; j++) {
            ok = h->values[j] == headers[i].values[j];
        }
        test_case(ok, headers[i].text, "%s", err != NULL ? lull_error_message(err) : "not so");
        lull_ir3_shaders_done(&s);
        lull_error_free(err);
    }
}

/** Any word is decoded, and what comes out is in its ranges. */
static void any_word(void)
{
    static const unsigned gens[] = {320, 420, 540, 630, 740};
    uint64_t word = 0x243f6a8885a308d3; // a seed
    unsigned wrong = 0, decoded = 0;
    for (unsigned i = 0; i < 200000; i++) {
        word = word * 6364136223846793005 + 1442695040888963407;
        const uint64_t w = word ^ word >> 29;
        struct lull_ir3_insn in;
        const bool ok = lull_ir3_decode(w, gens[i % 5], &in);
        decoded += ok;
        wrong += ok != (in.op != LULL_IR3_OP_NONE) || in.op >= LULL_IR3_NOPS ||
                 in.ndst > LULL_IR3_MAX_DST || in.nsrc > LULL_IR3_MAX_SRC ||
                 (ok && in.category != w >> 61);
        for (unsigned k = 0; k < in.nsrc; k++) {
            wrong += in.src[k].kind >= LULL_IR3_NKINDS;
        }
        for (unsigned k = 0; k < in.ndst; k++) {
            wrong += in.dst[k].kind >= LULL_IR3_NKINDS;
        }
    }
    test_case(wrong == 0 && decoded > 50000, "any word is decoded", "%u of %u are wrong", wrong,
              decoded);
}

static void log_field(void *ctx, unsigned name, uint64_t value)
{
    lull_str_addf(ctx, " %u=%" PRIx64, name, value);
}

static void log_name(void *ctx, const char *mnemonic)
{
    lull_str_addf(ctx, " %s", mnemonic);
}

static bool log_branch(void *ctx, bool absolute, int64_t value, struct lull_str *out)
{
    lull_str_addf(ctx, " branch %d %" PRId64, absolute, value);
    lull_str_addf(out, "place %zu", ((struct lull_str *)ctx)->size); // another at each call
    return true;
}

/** Text of a word, and what hooks were told; @p a NULL: printed anew. */
static void print_told(struct lull_spec_again *a, unsigned gen, uint64_t word, struct lull_str *to)
{
    struct lull_str told = {0}, text = {0};
    const struct lull_spec_hooks hooks = {
        .field = log_field, .name = log_name, .branch = log_branch, .ctx = &told};
    const struct lull_spec_options o = {.gen = gen, .errors = true, .hooks = &hooks};
    const int errors = a == NULL ? lull_spec_print(&lull_spec_ir3, &o, word, &text)
                                 : lull_spec_print_again(a, &lull_spec_ir3, &o, word, &text);
    lull_str_addf(to, "%s (%d)%s\n", lull_str_text(&text), errors, lull_str_text(&told));
    lull_str_free(&told);
    lull_str_free(&text);
}

/** Each word anew, printed, and from what was printed: the same text, and hooks are told the same.
 */
static void test_again(struct lull_spec_again *a, unsigned gen, uint64_t word, unsigned *wrong)
{
    struct lull_str want = {0}, first = {0}, second = {0};
    print_told(NULL, gen, word, &want);
    print_told(a, gen, word, &first);
    print_told(a, gen, word, &second);
    if (strcmp(lull_str_text(&want), lull_str_text(&first)) != 0 ||
        strcmp(lull_str_text(&want), lull_str_text(&second)) != 0) {
        printf("# %s# then: %s", lull_str_text(&want), lull_str_text(&second));
        ++*wrong;
    }
    lull_str_free(&want);
    lull_str_free(&first);
    lull_str_free(&second);
}

int main(int argc, char **argv)
{
    FILE *f = argc == 2 ? fopen(argv[1], "r") : NULL;
    char line[2048];
    exact();
    test_headers();
    any_word();
    unsigned rows = 0, same = 0, wrong = 0;
    struct lull_spec_again *again = lull_spec_again_new();
    struct lull_spec_index *index = NULL;
    struct lull_error *err = lull_spec_index_new(&lull_spec_ir3, &index);
    test_case(err == NULL, "index", "%s", err != NULL ? lull_error_message(err) : "");
    while (f != NULL && fgets(line, sizeof line, f) != NULL) {
        struct vector v = {0};
        if (line[0] == '#' || !parse(line, &v)) {
            continue;
        }
        rows++;
        struct lull_str s = {0};
        const struct lull_spec_options o = {.gen = v.gen, .errors = true};
        (void)lull_spec_print(&lull_spec_ir3, &o, v.word, &s);
        char name[64];
        (void)snprintf(name, sizeof name, "print %u %016" PRIx64, v.gen, v.word);
        test_case(strcmp(lull_str_text(&s), v.text) == 0, name, "got  '%s'\n# want '%s'",
                  lull_str_text(&s), v.text);
        lull_str_free(&s);
        test_again(again, 420, v.word, &wrong); // reads otherwise there, or not at all
        test_again(again, v.gen, v.word, &wrong);
        if (strchr(v.text, '\t') == NULL) {
            assemble(&v, index, &same);
        }
    }
    lull_spec_index_free(index);
    lull_spec_again_free(again);
    test_case(wrong == 0, "words printed again", "%u differ", wrong);
    printf("# %u words came back bit by bit\n", same);
    if (f != NULL) {
        fclose(f);
    }
    test_case(rows > 1000, "vectors read", "%u rows", rows);
    return test_end();
}
