// SPDX-License-Identifier: MIT
// A file of lines whose code is text of ir3 (docs/formats/lines.md, version 2): what a change
// alters, in dwords. Words of nop, (rpt1)nop and end: Mesa ir3-cat0.xml.
#include <string.h>

#include "base/str.h"
#include "debug/lines/code.h"
#include "debug/lines/file.h"
#include "layer/lines/format.h"
#include "test.h"

static void put_text(struct lull_str *s, const char *text)
{
    lull_str_le32(s, (uint32_t)strlen(text));
    lull_str_add(s, text, strlen(text));
}

int main(void)
{
    struct lull_str s = {0};
    struct lull_lines_file f = {0};
    const uint32_t head[] = {LULL_LINES_MAGIC, LULL_LINES_TEXT_VERSION};
    const uint32_t change[] = {LULL_LINES_CHANGE, 7, 1, 1}, end[] = {LULL_LINES_END, 1, 0};
    for (unsigned i = 0; i < TEST_ROWS(head); i++) {
        lull_str_le32(&s, head[i]);
    }
    put_text(&s, "; a comment\nnop\nnop\nend\n");
    lull_str_le32(&s, LULL_LINES_FILE);
    put_text(&s, "a.comp");
    for (unsigned i = 0; i < TEST_ROWS(change); i++) {
        lull_str_le32(&s, change[i]);
    }
    put_text(&s, "nop\n(rpt1)nop\nend\n");
    for (unsigned i = 0; i < TEST_ROWS(end); i++) {
        lull_str_le32(&s, end[i]);
    }
    struct lull_error *err = lull_lines_file_read(s.text, s.size, 0, &f);
    test_case(err != NULL, "not of gfx1100", "it was read");
    lull_error_free(err);
    err = lull_lines_file_read(s.text, s.size, 630, &f);
    test_case(err == NULL && f.ncode == 6 && f.code[5] == 0x03000000, "the code", "%s, %zu dwords",
              err != NULL ? lull_error_message(err) : "read", f.ncode);
    const struct lull_lines_change *c = err == NULL && f.nchanges == 1 ? f.changes : NULL;
    test_case(c != NULL && c->at.line == 7 && c->front == 3 && c->n == 1 && c->back == 2 &&
                  c->words[0] == 0x100,
              "one dword is another", "%u, %u, %u", c != NULL ? c->front : 0, c != NULL ? c->n : 0,
              c != NULL ? c->back : 0);
    lull_error_free(err);
    lull_lines_file_done(&f);
    static const uint64_t two[] = {0x4210000400040004,
                                   0x4210000800080008}; // add.u r1.x, r1.x, r1.x; of r2.x
    struct lull_arena a = {0};
    struct lull_lines_code code = {0};
    err = lull_lines_code((const uint32_t *)(const void *)two, 4, 630, &a, &code);
    test_case(err == NULL && code.n == 2 && code.insns[0].key == code.insns[1].key &&
                  code.insns[0].full != code.insns[1].full,
              "numbers of registers do not count", "%zu instructions", code.n);
    lull_error_free(err);
    lull_arena_done(&a);
    lull_str_free(&s);
    return test_end();
}
