// SPDX-License-Identifier: MIT
// Machine code out of a driver's text of it.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "layer/lines/lines.h"

enum {
    DIGITS = 8,
    MOST_OF_ONE = 8, ///< Dwords of an instruction.
    MOST_DWORDS = 1 << 24,
};

/** Dwords of eight digits with spaces between, from @p at to @p end: how many, 0 if there is
 * anything else. */
static size_t dwords(const char *at, const char *end, uint32_t *ret)
{
    size_t n = 0;
    while (at < end) {
        uint32_t word = 0;
        unsigned k = 0;
        for (; at < end && *at == ' '; at++) {
        }
        for (; at < end && isxdigit((unsigned char)*at) != 0 && k < DIGITS; k++, at++) {
            const char digit[2] = {*at, '\0'};
            word = word << 4 | (uint32_t)strtoul(digit, NULL, 16);
        }
        if (at == end && k == 0) {
            break;
        }
        if (k != DIGITS || (at < end && *at != ' ') || n == MOST_OF_ONE) {
            return 0;
        }
        ret[n++] = word;
    }
    return n;
}

/** How often the last instruction stands there again: ACO writes "(then repeated 2 times)". */
static unsigned long repeats(const char *line, const char *end)
{
    static const char words[] = "(then repeated ";
    const char *at = memmem(line, (size_t)(end - line), words, sizeof words - 1);
    return at != NULL ? strtoul(at + sizeof words - 1, NULL, 10) : 0;
}

/** Append @p n dwords @p times; false: no memory. */
static bool append(struct lull_ll_code *c, size_t *room, const uint32_t *words, size_t n,
                   unsigned long times)
{
    if (times > MOST_DWORDS || n * times > MOST_DWORDS - c->n) {
        return false;
    }
    if (c->n + n * times > *room) {
        const size_t more = 2 * (c->n + n * times) + 64;
        uint32_t *now = realloc(c->words, more * sizeof *now);
        if (now == NULL) {
            return false;
        }
        c->words = now;
        *room = more;
    }
    for (unsigned long i = 0; i < times; i++) {
        memcpy(c->words + c->n, words, n * sizeof *words);
        c->n += n;
    }
    return true;
}

bool lull_ll_assembly(const char *text, size_t size, struct lull_ll_code *ret)
{
    struct lull_ll_code c = {0};
    uint32_t last[MOST_OF_ONE] = {0};
    size_t room = 0, nlast = 0;
    bool good = true;
    for (const char *end = text + size, *line_end = NULL; good && text < end; text = line_end + 1) {
        line_end = memchr(text, '\n', (size_t)(end - text));
        line_end = line_end != NULL ? line_end : end;
        const char *comment = memrchr(text, ';', (size_t)(line_end - text));
        const size_t n = comment != NULL ? dwords(comment + 1, line_end, last) : 0;
        nlast = n != 0 ? n : nlast;
        good = append(&c, &room, last, nlast, n != 0 ? 1 : repeats(text, line_end));
        if (line_end == end) {
            break;
        }
    }
    if (!good || c.n == 0) {
        free(c.words);
        return false;
    }
    *ret = c;
    return true;
}
