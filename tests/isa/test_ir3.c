// SPDX-License-Identifier: MIT
// ir3 words to text, against Mesa's text for them (tests/isa/ir3.vec).
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

/** Text without errors must give a word with the same text; the same word, if no bit is hidden. */
static void assemble(const struct vector *v, unsigned *same)
{
    const struct lull_spec_options o = {.gen = v->gen};
    uint64_t word = 0;
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

int main(int argc, char **argv)
{
    FILE *f = argc == 2 ? fopen(argv[1], "r") : NULL;
    char line[2048];
    unsigned rows = 0, same = 0;
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
        if (strchr(v.text, '\t') == NULL) {
            assemble(&v, &same);
        }
    }
    printf("# %u words came back bit by bit\n", same);
    if (f != NULL) {
        fclose(f);
    }
    test_case(rows > 1000, "vectors read", "%u rows", rows);
    return test_end();
}
