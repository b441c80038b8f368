// SPDX-License-Identifier: MIT
// The power controller's part of a crash dump: its log, and the queues between it and the kernel.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/crash/crash_walk.h"

enum { DWORD = 4, MESSAGE_LEVEL = 4 };

static void text(struct lull_crash *k, struct lull_str *s)
{
    lull_cff_text(k->cff, 1, lull_str_text(s), s->size);
    lull_str_free(s);
}

static void messages(struct lull_crash *k, const struct lull_hfi *h, const struct lull_hfi_queue *q)
{
    uint32_t at = (uint32_t)q->start;
    for (uint32_t n = 0; at != q->write_index && n < q->size; n++) {
        struct lull_hfi_message m = {0};
        struct lull_str s = {0};
        at = lull_hfi_message(h, q, at, &m);
        lull_cff_say(k->cff, 1, "\t\t\t------ %s (id=%u, size=%u, type=%u, seqnum=%u)\n",
                     m.name != NULL ? m.name : "(null)", m.id, m.size, m.type, m.seqnum);
        if (m.type == 0) { // a command: what the others say is not known
            lull_hfi_show(h, &m, "\t\t\t\t", &s);
        }
        text(k, &s);
        lull_crash_hex(k, m.words, m.n, MESSAGE_LEVEL);
    }
}

static void queues(struct lull_crash *k, const struct lull_hfi *h)
{
    struct lull_str s = {0};
    lull_hfi_show_domain(LULL_ADRENO_DOM_HFI_TABLE, h->words, (uint32_t)h->n, "\t", &s);
    text(k, &s);
    for (unsigned i = 0; i < lull_hfi_queues(h); i++) {
        struct lull_hfi_queue q = {0};
        struct lull_str header = {0};
        (void)lull_hfi_queue(h, i, &q);
        lull_cff_say(k->cff, 1, "\tqueue[%u]:\n", i);
        lull_hfi_show_domain(LULL_ADRENO_DOM_HFI_QUEUE, q.header, LULL_HFI_QUEUE_DWORDS, "\t\t",
                             &header);
        text(k, &header);
        if (q.ring == NULL) {
            lull_crash_damage(k, "queue %u of gmu-hfi lies outside of it", i);
        } else if (q.start >= 0) {
            messages(k, h, &q);
        }
    }
}

void lull_crash_hfi_history(struct lull_crash *k, const struct lull_devcore_line *line)
{
    static const char name[] = "queue-history[";
    uint64_t queue = 0;
    if (strncmp(line->key, name, sizeof name - 1) != 0 ||
        !lull_devcore_number(line->key + sizeof name - 1, &queue) || queue >= LULL_HFI_HISTORIES) {
        return;
    }
    const char *at = line->value;
    for (unsigned i = 0; i < LULL_HFI_HISTORY; i++) {
        char *end = NULL;
        const long long index = strtoll(at, &end, 10);
        if (end == at) {
            lull_crash_damage(k, "%s has %u numbers, %d are wanted", line->key, i,
                              LULL_HFI_HISTORY);
            return;
        }
        k->history[queue][i] = index >= 0 && index <= UINT32_MAX ? index : -1;
        at = end;
    }
}

void lull_crash_hfi(struct lull_crash *k, const uint32_t *words, uint64_t n)
{
    struct lull_hfi h = {.words = words,
                         .n = n < UINT32_MAX ? n : UINT32_MAX,
                         .iova = k->iova,
                         .legacy = lull_hfi_is_legacy(k->gpu_id)};
    memcpy(h.history, k->history, sizeof h.history);
    if (k->o.verbose) {
        lull_crash_hex(k, words, n, 1);
    }
    queues(k, &h);
}
