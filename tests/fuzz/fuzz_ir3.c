// SPDX-License-Identifier: MIT
// Any 64-bit words as ir3 on every generation: no crash; a word that has a text without warnings is
// assembled to a word with that text again. Any text to the assembler: no crash. Seeds:
// corpus/ir3/.
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "isa/ir3/decode.h"
#include "isa/ir3/ir3.h"
#include "isa/ir3_spec.h"

static void decode(uint64_t word, unsigned gen)
{
    struct lull_ir3_insn in;
    struct lull_str out = {0};
    struct lull_json j = {.out = &out};
    const bool ok = lull_ir3_decode(word, gen, &in);
    lull_ir3_insn_json(&in, &j);
    if (ok != (in.op != LULL_IR3_OP_NONE) || in.ndst > LULL_IR3_MAX_DST ||
        in.nsrc > LULL_IR3_MAX_SRC) {
        abort();
    }
    lull_str_free(&out);
}

static void word_and_back(uint64_t word, unsigned gen)
{
    const struct lull_spec_options o = {.gen = gen, .errors = true};
    struct lull_str text = {0}, again = {0};
    uint64_t made = 0;
    const int errors = lull_spec_print(&lull_spec_ir3, &o, word, &text);
    // Numbers that print as "nan", "inf" or rounded do not come back.
    if (errors == 0 && strchr(lull_str_text(&text), '.') != NULL &&
        strstr(lull_str_text(&text), "n)") == NULL) {
        struct lull_error *err =
            lull_spec_assemble(&lull_spec_ir3, &o, lull_str_text(&text), &made);
        if (err == NULL) {
            (void)lull_spec_print(&lull_spec_ir3, &o, made, &again);
            if (strcmp(lull_str_text(&text), lull_str_text(&again)) != 0 &&
                strstr(lull_str_text(&text), "(") == NULL) {
                abort();
            }
        }
        lull_error_free(err);
    }
    lull_str_free(&text);
    lull_str_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const unsigned gens[] = {300, 420, 540, 630, 740};
    uint64_t word = 0;
    if (size == 0 || size > 512) {
        return 0;
    }
    const unsigned gen = gens[data[0] % 5];
    for (size_t at = 1; at + sizeof word <= size; at += sizeof word) {
        memcpy(&word, data + at, sizeof word);
        decode(word, gen);
        word_and_back(word, gen);
    }
    char text[513];
    memcpy(text, data, size);
    text[size] = '\0';
    const struct lull_spec_options o = {.gen = gen};
    struct lull_error *err = lull_spec_assemble(&lull_spec_ir3, &o, text, &word);
    lull_error_free(err);
    struct lull_ir3_shaders shaders = {0};
    err = lull_ir3_assemble(text, gen, &shaders);
    lull_error_free(err);
    lull_ir3_shaders_done(&shaders);
    return 0;
}
