// SPDX-License-Identifier: MIT
// Any text as ascii85: what was used of it comes back from the encoder, but for zeros that were
// written out. Seeds: corpus/ascii85/.
#include "fuzz.h"

#include <stdlib.h>

#include "adreno/file/ascii85.h"

enum { WORDS = 256 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint32_t words[WORDS] = {0}, again[WORDS] = {0};
    size_t n = 0, m = 0;
    const size_t used = lull_ascii85_decode((const char *)data, size, words, WORDS, &n);
    struct lull_str text = {0};
    lull_ascii85_encode(words, n, &text);
    const size_t back = lull_ascii85_decode(lull_str_text(&text), text.size, again, WORDS, &m);
    if (used > size || n > WORDS || text.size > used || back != text.size || m != n) {
        abort();
    }
    for (size_t i = 0; i < n; i++) {
        if (words[i] != again[i]) {
            abort();
        }
    }
    lull_str_free(&text);
    return 0;
}
