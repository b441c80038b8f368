// SPDX-License-Identifier: MIT
// Firmware: words put together by hand from the encoding (fact sheet on freedreno, section 9), the
// way back, bad input, and Mesa's test firmware where it is there.
#include <stdlib.h>
#include <string.h>

#include "isa/afuc/afuc.h"
#include "test.h"

/** An a630 firmware: a loop, a call, a handler, the table. Registers $NN are NN. */
static const struct {
    uint32_t word;
    const char *text;
} code[] = {
    {0x016ee123, "[016ee123]"},
    {0x0100000b, "[#jumptbl]"},
    {0x88020005, "l2:\nmov $02, 0x5"},         // op 17 at 31:27, DST 2, immediate
    {0x98431821, "add $03, $02, $03"},         // 10011, SRC1 2, SRC2 3, DST 3, op 1
    {0xa8020101, "cwrite $02, [$00 + 0x101]"}, // 10101, bit 15 clear
    {0xc043fffd, "brne $02, 0x3, #l2"},        // 110000, immediate 3, offset -3
    {0xd4000009, "call #fxn9"},                // 110101, absolute
    {0x01000000, "nop"},
    {0xd8000000, "\nCP_NOP:\nwaitin"},       // 110110
    {0x981f0806, "\nfxn9:\nmov $01, $data"}, // or $01, $00, $1f
    {0xd0000000, "ret"},                     // 110100
};

enum { NCODE = sizeof code / sizeof code[0], NWORDS = 1 + NCODE + LULL_AFUC_TABLE, CP_NOP = 0x10 };

static void firmware(uint32_t *words)
{
    words[0] = 0;
    for (unsigned i = 0; i < NCODE; i++) {
        words[1 + i] = code[i].word & ~0xe0u; // bits 7:5 mean nothing; the assembler leaves them 0
    }
    words[2] = 0x01000000u | NCODE;
    for (unsigned i = 0; i < LULL_AFUC_TABLE; i++) {
        words[1 + NCODE + i] = i == CP_NOP ? 8 : 2;
    }
}

static void by_hand(void)
{
    uint32_t words[NWORDS], *again = NULL, n = 0;
    firmware(words);
    words[1] = code[0].word;
    words[4] = 0x98431801; // add: bits 7:5 clear
    words[5] = code[4].word;
    words[6] = code[5].word;
    struct lull_afuc fw = {0};
    struct lull_str out = {0};
    struct lull_error *err = lull_afuc_open(words + 1, NWORDS - 1, 0, &fw);
    if (err != NULL) {
        abort();
    }
    lull_afuc_disasm(&fw, false, &out);
    const char *at = lull_str_text(&out);
    for (unsigned i = 0; i < NCODE; i++) {
        const char *text = code[i].text;
        const char *found = strstr(at, text);
        test_case(found != NULL && found[strlen(text)] == '\n', text, "not in order in:\n%s",
                  lull_str_text(&out));
        at = found != NULL ? found + strlen(text) : at;
    }
    err = lull_afuc_assemble(lull_str_text(&out), &again, &n);
    test_case(err == NULL && n == NWORDS && memcmp(words, again, sizeof words) == 0, "and back",
              "%s, %u words", err != NULL ? lull_error_message(err) : "", (unsigned)n);
    lull_error_free(err);
    free(again);
    lull_str_free(&out);
}

static void refused(void)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"mov $01, 0x1\n", "line 1: the firmware's version"},
        {"[016ee001]\nfrob $01\n", "line 2: column 1: no instruction"},
        {"[016ee001]\njump #nowhere\n", "line 2: column"},
        {"[016ee001]\na:\na:\n", "line 3: label a stands twice"},
        {"[016ee001]\n.jumptbl\n", "line 2: no handler UNKN0"},
        {"[deadbeef]\n", "line 1: firmware id adb is not known"},
        {"[016ee001]\n.frob\n", "line 2: no directive '.frob'"},
        {"[016ee001\n", "line 1: ']' is missing"},
        {"", "there is no instruction"},
    };
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        uint32_t *words = NULL, n = 0;
        struct lull_error *err = lull_afuc_assemble(rows[i].text, &words, &n);
        const char *message = err != NULL ? lull_error_message(err) : "no error";
        test_case(strncmp(message, rows[i].message, strlen(rows[i].message)) == 0, rows[i].message,
                  "got '%s'", message);
        lull_error_free(err);
        free(words);
    }
    struct lull_afuc fw = {0};
    const uint32_t unknown[] = {0x01abc000, 0};
    struct lull_error *err = lull_afuc_open(unknown, 2, 0, &fw);
    test_case(err != NULL && strstr(lull_error_message(err), "abc") != NULL, "unknown id", "%s",
              err != NULL ? lull_error_message(err) : "no error");
    lull_error_free(err);
}

static char *slurp(const char *folder, const char *name, size_t *size)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/../shared/traces/%s", folder, name);
    FILE *f = fopen(path, "rb");
    char *data = f != NULL ? calloc(1, 1 << 20) : NULL;
    *size = data != NULL ? fread(data, 1, (1 << 20) - 1, f) : 0;
    if (f != NULL) {
        fclose(f);
    }
    return data;
}

static void mesa(const char *folder)
{
    size_t size = 0, text_size = 0, source_size = 0;
    char *file = slurp(folder, "afuc_test.fw", &size);
    char *text = slurp(folder, "afuc_test.disasm", &text_size);
    char *source = slurp(folder, "afuc_test.asm", &source_size);
    if (file == NULL || text == NULL || source == NULL) {
        test_skip("no test firmware of Mesa in ../shared/traces");
    } else {
        uint32_t words[4096] = {0}, *again = NULL, n = 0;
        memcpy(words, file, size);
        struct lull_afuc fw = {0};
        struct lull_str out = {0};
        struct lull_error *err = lull_afuc_open(words + 1, (uint32_t)size / 4 - 1, 0, &fw);
        lull_error_free(err);
        lull_afuc_disasm(&fw, false, &out);
        test_case(strcmp(lull_str_text(&out), text) == 0, "Mesa's text of it", "differs");
        err = lull_afuc_assemble(lull_str_text(&out), &again, &n);
        test_case(err == NULL && n * 4 == size && memcmp(again, words, size) == 0, "and back", "%s",
                  err != NULL ? lull_error_message(err) : "differs");
        lull_error_free(err);
        free(again);
        err = lull_afuc_assemble(source, &again, &n);
        test_case(err == NULL && n * 4 == size && memcmp(again, words, size) == 0, "Mesa's source",
                  "%s", err != NULL ? lull_error_message(err) : "differs");
        lull_error_free(err);
        free(again);
        lull_str_free(&out);
    }
    free(file);
    free(text);
    free(source);
}

int main(void)
{
    by_hand();
    refused();
    const char *source = getenv("LULL_SOURCE");
    mesa(source != NULL ? source : ".");
    return test_end();
}
