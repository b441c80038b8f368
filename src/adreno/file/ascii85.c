// SPDX-License-Identifier: MIT
#include "adreno/file/ascii85.h"

enum { DIGITS = 5, BASE = 85, FIRST = '!' };

size_t lull_ascii85_decode(const char *text, size_t size, uint32_t *ret, size_t n, size_t *ret_n)
{
    size_t at = 0, words = 0;
    while (at < size && words < n) {
        if (text[at] == 'z') {
            ret[words++] = 0;
            at++;
            continue;
        }
        uint64_t value = 0;
        unsigned i = 0;
        for (; i < DIGITS && i < size - at; i++) {
            const unsigned digit = (unsigned)(unsigned char)text[at + i] - FIRST;
            if (digit >= BASE) {
                break;
            }
            value = value * BASE + digit;
        }
        if (i < DIGITS || value > UINT32_MAX) {
            break;
        }
        ret[words++] = (uint32_t)value;
        at += DIGITS;
    }
    *ret_n = words;
    return at;
}

void lull_ascii85_encode(const uint32_t *words, size_t n, struct lull_str *out)
{
    for (size_t i = 0; i < n; i++) {
        char digits[DIGITS] = {0};
        uint32_t value = words[i];
        for (unsigned d = DIGITS; d-- > 0; value /= BASE) {
            digits[d] = (char)(FIRST + value % BASE);
        }
        lull_str_add(out, words[i] == 0 ? "z" : digits, words[i] == 0 ? 1 : DIGITS);
    }
}
