// SPDX-License-Identifier: MIT
/** @file
 * Changes of modules for libFuzzer: whole instructions and operands, so that most of a module stays
 * one. For the one file of a fuzz target.
 */
#ifndef LULL_FUZZ_SPIRV_CHANGES_H
#define LULL_FUZZ_SPIRV_CHANGES_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_WORDS = 5, MAX_STARTS = 4096 };

/** Where instructions begin, in words. */
struct starts {
    size_t n, at[MAX_STARTS];
};

static uint32_t next(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void find_starts(const uint32_t *w, size_t nwords, struct starts *ret)
{
    ret->n = 0;
    for (size_t at = HEADER_WORDS; at < nwords && ret->n < MAX_STARTS;) {
        const size_t n = w[at] >> 16;
        ret->at[ret->n++] = at;
        at += n != 0 ? n : 1;
    }
}

/** Words of an instruction, as far as there are any. */
static size_t length(const uint32_t *w, size_t nwords, size_t at)
{
    const size_t n = w[at] >> 16;
    return n == 0 ? 1 : n < nwords - at ? n : nwords - at;
}

/** A copy of the instruction at @p from in front of the one at @p to, if there is room. */
static size_t copy(uint32_t *w, size_t nwords, size_t room, size_t from, size_t to)
{
    const size_t n = length(w, nwords, from);
    if (n > room - nwords) {
        return nwords;
    }
    memmove(w + to + n, w + to, (nwords - to) * sizeof *w);
    memmove(w + to, w + (from < to ? from : from + n), n * sizeof *w);
    return nwords + n;
}

/** One change: @return words. */
static size_t change(uint32_t *w, size_t nwords, size_t room, uint32_t *state)
{
    struct starts s;
    find_starts(w, nwords, &s);
    const size_t at = s.at[next(state) % s.n], other = s.at[next(state) % s.n];
    const size_t n = length(w, nwords, at);
    uint32_t *operand = w + at + (n > 1 ? 1 + next(state) % (n - 1) : 0);
    switch (next(state) % 6) {
    case 0: // the instruction goes
        memmove(w + at, w + at + n, (nwords - at - n) * sizeof *w);
        return nwords - n;
    case 1:
        return copy(w, nwords, room, at, other);
    case 2: // another id of the module
        *operand = w[HEADER_WORDS + next(state) % (nwords - HEADER_WORDS)];
        break;
    case 3: // any id
        *operand = next(state) % (w[3] % 65536 + 1);
        break;
    case 4: // another literal
        *operand ^= 1u << next(state) % 32;
        break;
    default: // another instruction with these operands
        w[at] = (w[at] & 0xffff0000u) | (w[other] & 0xffff);
        break;
    }
    return nwords;
}

/** libFuzzer calls it, if it is there. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    uint32_t state = seed, *w = malloc(max + sizeof *w);
    size_t nwords = size / sizeof *w;
    if (w == NULL || nwords <= HEADER_WORDS) {
        free(w);
        memset(data, (int)seed, max < sizeof *w ? max : sizeof *w);
        return max < sizeof *w ? max : sizeof *w;
    }
    memcpy(w, data, size);
    for (unsigned i = 1 + next(&state) % 4; i != 0 && nwords > HEADER_WORDS; i--) {
        nwords = change(w, nwords, max / sizeof *w, &state);
    }
    memcpy(data, w, nwords * sizeof *w);
    free(w);
    return nwords * sizeof *w;
}

#endif
