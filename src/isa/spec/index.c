// SPDX-License-Identifier: MIT
// Which instructions a text may be, without looking at each.
//
// A display begins with a word of letters, or names the instruction by its mnemonic. These words
// stand here by their first two characters; a text is gone through once, and what stands at each
// of its places is looked up.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "isa/spec/index.h"

enum { HEADS = 4096, NONE = -1, MEMOS = 1024 };

struct word {
    const char *text;
    size_t size;
    unsigned leaf;
    int next; ///< With the same beginning; NONE.
};

struct lull_spec_index {
    const struct lull_spec *spec;
    unsigned nleaves;
    uint16_t leaves[LULL_SPEC_INDEX_LEAVES]; ///< Bitsets, each once, in the order of root 0.
    size_t nwords, room;
    struct word *words;
    int heads[HEADS];
    /** A bit for each leaf: it has a display without such a word. */
    uint64_t always[LULL_SPEC_INDEX_LEAVES / 64];
    struct lull_spec_memo *memos; ///< MEMOS of them, by the hash of what was asked.
};

static unsigned head_of(const char *at, size_t size)
{
    const unsigned second = size > 1 ? (unsigned char)at[1] : 0;
    return ((unsigned char)at[0] * 61u + second) % HEADS;
}

LULL_MUST_USE static struct lull_error *add(struct lull_spec_index *x, const char *text,
                                            size_t size, unsigned leaf)
{
    if (size == 0) {
        x->always[leaf / 64] |= UINT64_C(1) << leaf % 64;
        return NULL;
    }
    if (x->nwords == x->room) {
        const size_t room = x->room * 2 + 256;
        struct word *words = realloc(x->words, room * sizeof *words);
        if (words == NULL) {
            return &lull_enomem;
        }
        x->words = words;
        x->room = room;
    }
    int *head = &x->heads[head_of(text, size)];
    x->words[x->nwords] = (struct word){text, size, leaf, *head};
    *head = (int)x->nwords++;
    return NULL;
}

/** The word that a text must have in it to be read by case @p c. */
LULL_MUST_USE static struct lull_error *add_case(struct lull_spec_index *x,
                                                 const struct lull_spec_case *c,
                                                 const char *mnemonic, unsigned leaf)
{
    for (unsigned i = 0; i < c->npieces; i++) {
        const struct lull_spec_piece *p = &c->pieces[i];
        if (p->text == NULL && p->field == LULL_SPEC_NAME) {
            return add(x, mnemonic, strlen(mnemonic), leaf);
        }
        const size_t size = p->text != NULL ? strcspn(p->text, " ") : 0;
        if (size != 0 && isalpha((unsigned char)p->text[0])) {
            return add(x, p->text, size, leaf);
        }
    }
    return add(x, "", 0, leaf);
}

LULL_MUST_USE static struct lull_error *add_leaf(struct lull_spec_index *x, uint16_t bitset)
{
    const struct lull_spec_bitset *const first = &x->spec->bitsets[bitset];
    const unsigned leaf = x->nleaves;
    struct lull_error *err = NULL;
    for (unsigned i = 0; i < leaf; i++) {
        if (x->leaves[i] == bitset) {
            return NULL;
        }
    }
    if (leaf == LULL_SPEC_INDEX_LEAVES) {
        return lull_error_new(LULL_ERR_INVALID, "more than %u instructions", leaf);
    }
    x->leaves[x->nleaves++] = bitset;
    for (const struct lull_spec_bitset *b = first; err == NULL && b != NULL;
         b = lull_spec_parent(x->spec, b)) {
        for (unsigned i = 0; err == NULL && i < b->ncases; i++) {
            err = b->cases[i].has_display ? add_case(x, &b->cases[i], first->mnemonic, leaf) : NULL;
        }
        for (unsigned i = 0; err == NULL && i < b->nalso; i++) {
            err = add_case(x, &b->also[i], first->mnemonic, leaf);
        }
    }
    return err;
}

struct lull_error *lull_spec_index_new(const struct lull_spec *spec, struct lull_spec_index **ret)
{
    const struct lull_spec_root *root = &spec->roots[0];
    struct lull_spec_index *x = calloc(1, sizeof *x);
    struct lull_error *err = x != NULL ? NULL : &lull_enomem;
    if (x != NULL) {
        x->spec = spec;
        memset(x->heads, NONE, sizeof x->heads);
        x->memos = calloc(MEMOS, sizeof *x->memos);
        err = x->memos != NULL ? NULL : &lull_enomem;
    }
    for (unsigned i = 0; err == NULL && i < root->first[1u << root->bits]; i++) {
        err = add_leaf(x, root->leaves[i]);
    }
    if (err != NULL) {
        lull_spec_index_free(x);
        return err;
    }
    *ret = x;
    return NULL;
}

void lull_spec_index_free(struct lull_spec_index *x)
{
    if (x != NULL) {
        free(x->words);
        free(x->memos);
    }
    free(x);
}

const struct lull_spec_bitset *lull_spec_index_leaf(const struct lull_spec_index *x, unsigned leaf)
{
    return &x->spec->bitsets[x->leaves[leaf]];
}

static void mark(const struct lull_spec_index *x, const char *at, unsigned head, uint64_t *masks)
{
    for (int i = x->heads[head]; i != NONE; i = x->words[i].next) {
        const struct word *w = &x->words[i];
        if (strncmp(at, w->text, w->size) == 0) {
            masks[w->leaf / 64] |= UINT64_C(1) << w->leaf % 64;
        }
    }
}

void lull_spec_index_find(const struct lull_spec_index *x, const char *text,
                          uint64_t masks[LULL_SPEC_INDEX_LEAVES / 64])
{
    memcpy(masks, x->always, sizeof x->always);
    for (const char *at = text; *at != '\0'; at++) {
        const unsigned one = head_of(at, 1), two = head_of(at, 2);
        mark(x, at, one, masks);
        if (two != one) {
            mark(x, at, two, masks);
        }
    }
}

struct lull_spec_memo *lull_spec_index_memo(const struct lull_spec_index *x,
                                            const struct lull_spec_asked *asked)
{
    uint64_t hash = asked->expr;
    for (unsigned i = 0; i < LULL_SPEC_MEMO_DEPTH; i++) {
        hash = (hash ^ (uintptr_t)asked->bitset[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash = (hash ^ (uintptr_t)asked->via[i]) * UINT64_C(0x9e3779b97f4a7c15);
    }
    return &x->memos[(hash >> 32) % MEMOS];
}
