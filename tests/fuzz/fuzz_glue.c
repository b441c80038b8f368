// SPDX-License-Identifier: MIT
// lull_link_glue_make() on any objects and layouts: an error with words, no part, or LLVM IR whose
// names are made of letters and digits. Input: a 32-bit little-endian size, so many bytes of
// layout, then one object. Seeds: tests/fuzz/corpus/glue/.
#include "fuzz.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "link/glue.h"

static void check(const struct lull_link_glue_text *text)
{
    const char *ir = lull_str_text(&text->ir);
    char target[64] = "";
    snprintf(target, sizeof target, "\"target-cpu\"=\"%s\"", text->cpu);
    if (strlen(ir) != text->ir.size || strncmp(text->cpu, "gfx", 3) != 0 ||
        strstr(ir, target) == NULL) {
        abort();
    }
    for (const char *p = strstr(ir, "@lull."); p != NULL; p = strstr(p, "@lull.")) {
        for (p++; *p != '('; p++) {
            if (!isalnum((unsigned char)*p) && *p != '.') {
                abort();
            }
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 4) {
        return 0;
    }
    const uint32_t head = (uint32_t)data[0] | (uint32_t)data[1] << 8 | (uint32_t)data[2] << 16 |
                          (uint32_t)data[3] << 24;
    const size_t text = head & 0xffff;
    if (text > size - 4) {
        return 0;
    }
    struct lull_layout layout = {.num_samples = 1, .shadow_table = UINT32_MAX};
    lull_error_free(lull_layout_read((const char *)data + 4, text, &layout));
    const struct lull_link_input in = {
        .name = "a.elf", .data = data + 4 + text, .size = size - 4 - text};
    for (enum lull_link_glue which = LULL_LINK_FETCH; which <= LULL_LINK_EXPORT; which++) {
        struct lull_link_glue_text ret = {0};
        struct lull_error *err = lull_link_glue_make(&in, &layout, which, &ret);
        if (err == NULL && ret.ir.size != 0) {
            check(&ret);
        } else if (err != NULL && lull_error_message(err)[0] == '\0') {
            abort();
        }
        lull_error_free(err);
        lull_str_free(&ret.ir);
    }
    lull_layout_done(&layout);
    return 0;
}
