// SPDX-License-Identifier: MIT
// lull_link() on any objects and layouts: no crash, no leak; a result can be parsed, and written
// again it is the same. Input: a 32-bit little-endian size, so many bytes of layout, then one
// object, twice if the top bit of the size is set. Seeds: tests/fuzz/corpus/link/.
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "file/elf.h"
#include "link/link.h"

static void check(const struct lull_str *image)
{
    struct lull_elf elf = {0};
    struct lull_str again = {0};
    struct lull_error *err = lull_elf_parse(image->text, image->size, &elf);
    if (err != NULL) {
        abort();
    }
    err = lull_elf_write(&elf, &again);
    if (err != NULL || again.size != image->size ||
        memcmp(again.text, image->text, again.size) != 0) {
        abort();
    }
    lull_str_free(&again);
    lull_elf_done(&elf);
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
    const struct lull_link_input inputs[2] = {
        {.name = "a/vs.elf", .data = data + 4 + text, .size = size - 4 - text},
        {.name = "b/ps.elf", .data = data + 4 + text, .size = size - 4 - text},
    };
    const struct lull_link_options options = {.explain = (head >> 30 & 1) != 0};
    struct lull_link_result result = {0};
    struct lull_error *err = lull_link(inputs, head >> 31 != 0 ? 2 : 1, &layout, &options, &result);
    if (err == NULL) {
        check(&result.image);
    } else if (result.image.text != NULL || lull_error_message(err)[0] == '\0') {
        abort();
    }
    lull_error_free(err);
    lull_link_done(&result);
    lull_layout_done(&layout);
    return 0;
}
