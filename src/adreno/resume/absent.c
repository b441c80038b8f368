// SPDX-License-Identifier: MIT
// What a dump does not hold, by name.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/resume/parts.h"

struct lull_error *lull_resume_find_absent(struct lull_resumed *r, const struct lull_page *p,
                                           bool zeros)
{
    const struct lull_store *store = p->k->store;
    struct lull_error *err = NULL;
    r->absent = calloc(store->nbos + 1, sizeof *r->absent);
    if (r->absent == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; err == NULL && i < store->nbos; i++) {
        const struct lull_store_bo *b = &store->bos[i];
        if (b->has_data || b->size == 0) {
            continue;
        }
        struct lull_resume_absent *a = &r->absent[r->nabsent++];
        *a = (struct lull_resume_absent){.address = b->iova, .size = b->size};
        memcpy(a->name, b->name, sizeof a->name);
        if (zeros && b->size <= UINT32_MAX) {
            const struct lull_rp_buffer all = {.address = b->iova, .size = (uint32_t)b->size};
            err = lull_rp_submit_add(&r->submit, &all);
        }
    }
    return err;
}

const struct lull_resume_absent *lull_resume_absent_at(const struct lull_resumed *r,
                                                       uint64_t address)
{
    for (size_t i = 0; i < r->nabsent; i++) {
        if (address >= r->absent[i].address && address - r->absent[i].address < r->absent[i].size) {
            return &r->absent[i];
        }
    }
    return NULL;
}

static void buffers(struct lull_resumed *r, bool zeros)
{
    for (size_t i = 0; i < r->nabsent; i++) {
        const struct lull_resume_absent *a = &r->absent[i];
        lull_str_addf(&r->missing,
                      "contents of the buffer 0x%" PRIx64 "%s%s, %" PRIu64 " bytes: %s\n",
                      a->address, a->name[0] != '\0' ? " " : "", a->name, a->size,
                      zeros ? "taken as zeros" : "not dumped, or nothing but zeros");
    }
}

static void registers(struct lull_resumed *r, const struct lull_resume_state *st)
{
    lull_str_addf(&r->missing,
                  "registers: %" PRIu32 " are as the command stream had set them, %" PRIu32
                  " as the dump's registers say, all others are 0\n",
                  st->from_stream, st->from_dump);
    if (st->context_regs != 0) {
        lull_str_addf(&r->missing,
                      "which context of registers was meant: of context %s %" PRIu32 " of %" PRIu32
                      " are as the command stream had set them\n",
                      st->context, st->context_same, st->context_regs);
    }
}

void lull_resume_missing(struct lull_resumed *r, const struct lull_resume_state *st, bool zeros)
{
    buffers(r, zeros);
    registers(r, st);
    if (st->full) {
        lull_str_addf(&r->missing, "state that packets had loaded: the first %zu of them count\n",
                      st->npackets);
    }
    if (st->s.nframes != 0 && st->s.frames[st->s.nframes - 1].kind != LULL_AS_IB) {
        lull_str_addf(&r->missing,
                      "how far a loop over buffers was: it begins again at its packet\n");
    }
    lull_str_addf(&r->missing,
                  "what packets had loaded and set before the oldest one that the ring still has\n"
                  "the state of waves, their registers, shared and private memory: the work of the "
                  "packet that it was in begins again\n"
                  "GMEM: it is zeros\n"
                  "the kernel's memory: what the ring's own packets do is the kernel's again\n");
}
