// SPDX-License-Identifier: MIT
// Contents of buffers to arrays: runs of words; zeros are left out, and patterns are repeated.
#include <inttypes.h>
#include <string.h>

#include "adreno/decompile/priv.h"

enum { LEAST_REPEATED = 16, LEAST_ZEROS = 8, COLUMNS = 8 };

struct source {
    const uint8_t *bytes;
    size_t n; ///< Dwords, the last one maybe in part.
    uint32_t size;
};

static uint32_t word(const struct source *s, size_t i)
{
    if ((i + 1) * 4 <= s->size) {
        return lull_dc_word(s->bytes, i);
    }
    uint8_t last[4] = {0};
    memcpy(last, s->bytes + i * 4, s->size - i * 4);
    return lull_dc_word(last, 0);
}

/** Dwords from @p at on that repeat every @p period; at least @p period. */
static size_t repeated(const struct source *s, size_t at, size_t period)
{
    size_t n = at + period;
    while (n < s->n && word(s, n) == word(s, n - period)) {
        n++;
    }
    return n - at;
}

/** Is there a pattern at @p at? @return Its length; 0: no. @p ret_n: dwords, whole patterns. */
static size_t pattern(const struct source *s, size_t at, size_t *ret_n)
{
    static const size_t periods[] = {1, 2, 3, 4, 6, 8, 16};
    for (size_t i = 0; i < sizeof periods / sizeof periods[0] && at + periods[i] < s->n; i++) {
        const size_t n = repeated(s, at, periods[i]) / periods[i] * periods[i];
        if (n >= LEAST_REPEATED && n >= 2 * periods[i]) {
            *ret_n = n;
            return periods[i];
        }
    }
    return 0;
}

/** A run: @p n dwords from @p at on, @p times times. */
static void run(const struct source *s, size_t at, size_t n, size_t times, struct lull_str *out)
{
    lull_str_addf(out, "    {0x%zx, %zu, WORDS(", at * 4, times);
    for (size_t i = 0; i < n; i++) {
        lull_str_addf(out, "%s0x", i == 0 ? "" : i % COLUMNS == 0 ? ",\n        " : ", ");
        lull_str_hex(out, word(s, at + i), 1);
    }
    lull_str_addf(out, ")},\n");
}

/** Zeros from @p at on. */
static size_t zeros(const struct source *s, size_t at)
{
    size_t n = at;
    while (n < s->n && word(s, n) == 0) {
        n++;
    }
    return n - at;
}

static void runs(const struct source *s, struct lull_str *out)
{
    size_t at = 0;
    while (at < s->n) {
        size_t n = zeros(s, at), end = 0;
        at += n;
        if (at == s->n) {
            break;
        }
        const size_t period = pattern(s, at, &n);
        if (period != 0) {
            run(s, at, period, n / period, out);
            at += n;
            continue;
        }
        for (end = at + 1; end < s->n; end++) {
            const uint32_t w = word(s, end);
            size_t unused = 0;
            if ((w == 0 && (n = zeros(s, end)) != 0 && (n >= LEAST_ZEROS || end + n == s->n)) ||
                pattern(s, end, &unused) != 0) {
                break;
            }
        }
        run(s, at, end - at, 1, out);
        at = end;
    }
}

void lull_dc_array(struct lull_dc *d, const uint8_t *bytes, uint32_t size, uint64_t address,
                   char name[LULL_DC_NAME])
{
    const struct source s = {bytes, (size + 3) / 4, size};
    const uint64_t hash = lull_dc_hash(size, bytes, size);
    unsigned same = 0;
    for (size_t i = 0; i < d->narrays; i++) {
        if (d->arrays[i].hash == hash && d->arrays[i].dwords == size &&
            memcmp(d->arrays[i].bytes, bytes, size) == 0) {
            memcpy(name, d->arrays[i].name, LULL_DC_NAME);
            return;
        }
        same += d->arrays[i].address == address;
    }
    struct lull_str text = {0};
    lull_str_addf(&text, "data_%" PRIx64, address);
    if (same != 0) {
        lull_str_addf(&text, "_%u", same + 1);
    }
    memset(name, 0, LULL_DC_NAME);
    memcpy(name, lull_str_text(&text), text.size < LULL_DC_NAME ? text.size : LULL_DC_NAME - 1);
    lull_str_free(&text);
    lull_str_addf(&d->data, "static const struct lull_rdgen_run %s[] = {\n", name);
    runs(&s, &d->data);
    lull_str_addf(&d->data, "    {0},\n};\n\n");
    if (lull_dc_grow(d, &d->arrays, d->narrays, &d->arrays_room, sizeof d->arrays[0])) {
        d->arrays[d->narrays] =
            (struct lull_dc_text){.hash = hash, .address = address, .dwords = size, .bytes = bytes};
        memcpy(d->arrays[d->narrays++].name, name, LULL_DC_NAME);
    }
}
