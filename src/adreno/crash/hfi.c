// SPDX-License-Identifier: MIT
#include "adreno/crash/hfi.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { ALIGN = 4, SEQNUMS = 0x1000, LINE = 160 };

bool lull_hfi_is_legacy(uint64_t gpu_id)
{
    const struct lull_dom_state s = {0};
    return lull_dom_enum_name(&lull_dom_adreno, &s, LULL_ADRENO_ENUM_hfi_legacy_gpu, gpu_id) !=
           NULL;
}

void lull_hfi_header(uint32_t header, struct lull_hfi_message *ret)
{
    const struct lull_dom_state s = {0};
    const struct lull_dom_reg *reg =
        &lull_dom_adreno.domains[LULL_ADRENO_DOM_HFI_HEADER].regs[LULL_HFI_HEADER_HEADER];
    static const char *const names[] = {"ID", "SIZE", "TYPE", "SEQNUM"};
    unsigned *const values[] = {&ret->id, &ret->size, &ret->type, &ret->seqnum};
    ret->header = header;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        uint64_t value = 0;
        (void)lull_dom_field(&lull_dom_adreno, &s, reg, names[i], header, &value);
        *values[i] = (unsigned)value;
    }
    ret->name = lull_dom_enum_name(&lull_dom_adreno, &s, LULL_ADRENO_ENUM_hfi_msg, ret->id);
}

unsigned lull_hfi_queues(const struct lull_hfi *h)
{
    const uint64_t room =
        h->n < LULL_HFI_TABLE_DWORDS ? 0 : (h->n - LULL_HFI_TABLE_DWORDS) / LULL_HFI_QUEUE_DWORDS;
    const uint64_t said =
        h->n > LULL_HFI_TABLE_num_queues ? h->words[LULL_HFI_TABLE_num_queues] : 0;
    const uint64_t n = said < room ? said : room;
    return n < LULL_HFI_QUEUES ? (unsigned)n : LULL_HFI_QUEUES;
}

/** Dwords of a message, with the gap behind it. */
static uint32_t whole_size(const struct lull_hfi *h, uint32_t size)
{
    return h->legacy ? size : (size + ALIGN - 1) / ALIGN * ALIGN;
}

/** Do messages follow each other from @p at up to the writer? */
static bool is_start(const struct lull_hfi *h, const struct lull_hfi_queue *q, int64_t at)
{
    const struct lull_dom_state s = {0};
    int64_t last = -1;
    if (at < 0 || at >= q->size) {
        return false;
    }
    for (uint32_t steps = 0; at != q->write_index; steps++) {
        struct lull_hfi_message m = {0};
        lull_hfi_header(q->ring[at], &m);
        const uint32_t size = whole_size(h, m.size);
        const bool follows = last < 0 || (last + 1) % SEQNUMS == m.seqnum;
        if (steps > q->size || size == 0 || m.name == NULL || !follows ||
            lull_dom_enum_name(&lull_dom_adreno, &s, LULL_ADRENO_ENUM_hfi_type, m.type) == NULL) {
            return false;
        }
        last = m.seqnum;
        at = (at + size) % q->size;
    }
    return true;
}

bool lull_hfi_queue(const struct lull_hfi *h, unsigned number, struct lull_hfi_queue *ret)
{
    if (number >= lull_hfi_queues(h)) {
        return false;
    }
    const uint32_t *header =
        h->words + LULL_HFI_TABLE_DWORDS + (size_t)number * LULL_HFI_QUEUE_DWORDS;
    *ret = (struct lull_hfi_queue){.number = number,
                                   .header = header,
                                   .size = header[LULL_HFI_QUEUE_size],
                                   .write_index = header[LULL_HFI_QUEUE_write_index],
                                   .start = -1};
    const uint64_t from = (header[LULL_HFI_QUEUE_iova] - (uint32_t)h->iova) / sizeof(uint32_t);
    if (ret->size == 0 || from > h->n || ret->size > h->n - from || ret->write_index >= ret->size) {
        return true;
    }
    ret->ring = h->words + from;
    for (unsigned i = LULL_HFI_HISTORY; number < LULL_HFI_HISTORIES && i-- > 0;) {
        if (!is_start(h, ret, h->history[number][i])) {
            break;
        }
        ret->start = h->history[number][i];
    }
    return true;
}

uint32_t lull_hfi_message(const struct lull_hfi *h, const struct lull_hfi_queue *q, uint32_t at,
                          struct lull_hfi_message *ret)
{
    *ret = (struct lull_hfi_message){0};
    lull_hfi_header(q->ring[at % q->size], ret);
    ret->n = whole_size(h, ret->size);
    ret->n = ret->n < LULL_HFI_MESSAGE_DWORDS ? ret->n : LULL_HFI_MESSAGE_DWORDS;
    for (unsigned i = 0; i < ret->n; i++) {
        ret->words[i] = q->ring[(at + i) % q->size];
    }
    return (at + (ret->n != 0 ? ret->n : 1)) % q->size;
}

/** Where values begin in a line of names: behind the longest one, its colon and a blank. */
static int column(const struct lull_dom *d)
{
    size_t most = 0;
    for (unsigned i = 0; i < d->n; i++) {
        const size_t n = d->regs[i].count == 0 ? strlen(d->regs[i].name) : 0;
        most = n > most ? n : most;
    }
    return (int)most + 2;
}

static void value(const struct lull_dom_reg *r, uint32_t word, struct lull_str *out)
{
    struct lull_hfi_message m = {0};
    if (r->nfields != 0) { // another message's header
        lull_hfi_header(word, &m);
        lull_str_addf(out, "%s  (id=%u, size=%u, type=%u, seqnum=%u)",
                      m.name != NULL ? m.name : "(null)", m.id, m.size, m.type, m.seqnum);
    } else if (r->kind == LULL_DOM_UINT) {
        lull_str_addf(out, "%" PRIu32, word);
    } else {
        lull_str_addf(out, r->kind == LULL_DOM_ADDRESS ? "0x%08" PRIx32 : "0x%" PRIx32, word);
    }
}

void lull_hfi_show_domain(unsigned domain, const uint32_t *words, uint32_t n, const char *indent,
                          struct lull_str *out)
{
    const struct lull_dom *d = &lull_dom_adreno.domains[domain];
    const int width = column(d);
    for (unsigned i = 0; i < d->n; i++) {
        const struct lull_dom_reg *r = &d->regs[i];
        if (r->count == 0 && r->offset < n) {
            char name[LINE];
            (void)snprintf(name, sizeof name, "%s:", r->name);
            lull_str_addf(out, "%s%-*s", indent, width, name);
            value(r, words[r->offset], out);
            lull_str_addf(out, "\n");
        }
    }
}

/** Elements of a list with named values: "gx_vote[0]:    vote=1, freq=2". @return Rows used. */
static unsigned elements(const struct lull_dom *d, unsigned first, const uint32_t *words,
                         uint32_t n, uint32_t count, const char *indent, struct lull_str *out)
{
    unsigned rows = 1;
    while (first + rows < d->n && strcmp(d->regs[first + rows].name, d->regs[first].name) == 0) {
        rows++;
    }
    for (uint32_t e = 0; e < count && e < d->regs[first].count; e++) {
        lull_str_addf(out, "%s%s[%" PRIu32 "]:    ", indent, d->regs[first].name, e);
        for (unsigned i = 0; i < rows; i++) {
            const struct lull_dom_reg *r = &d->regs[first + i];
            const uint32_t at = r->offset + e * r->stride;
            lull_str_addf(out, "%s%s=%" PRIu32, i != 0 ? ", " : "", r->after + 1,
                          at < n ? words[at] : 0);
        }
        lull_str_addf(out, "\n");
    }
    return rows;
}

static void perf_table(unsigned domain, const uint32_t *words, uint32_t n, const char *indent,
                       struct lull_str *out)
{
    const struct lull_dom *d = &lull_dom_adreno.domains[domain];
    unsigned list = 0;
    lull_hfi_show_domain(domain, words, n, indent, out);
    for (unsigned i = 0; i < d->n;) {
        if (d->regs[i].count == 0) {
            i++;
            continue;
        }
        // The first dwords say how long the lists are, in their order.
        const uint32_t count = list < n ? words[list] : 0;
        i += elements(d, i, words, n, count, indent, out);
        list++;
    }
}

static void list(const char *name, uint32_t offset, uint32_t count, const uint32_t *words,
                 uint32_t n, struct lull_str *out)
{
    lull_str_addf(out, "%-20s", name);
    for (uint32_t i = 0; i < count; i++) {
        lull_str_addf(out, "%s%08" PRIx32, i != 0 ? " " : "",
                      offset + i < n ? words[offset + i] : 0);
    }
    lull_str_addf(out, "\n");
}

/** Lists of one line, but for the last one, whose lines are as long as the one before it. */
static void bw_table(const uint32_t *words, uint32_t n, const char *indent, struct lull_str *out)
{
    const struct lull_dom *d = &lull_dom_adreno.domains[LULL_ADRENO_DOM_H2F_MSG_BW_TABLE];
    uint32_t length = 0;
    for (unsigned i = 0; i < d->n; i++) {
        const struct lull_dom_reg *r = &d->regs[i];
        char name[LINE];
        const size_t size = strlen(r->name);
        const char last = r->name[size - 1];
        if (r->count == 0) {
            lull_str_addf(out, "%s", indent);
            (void)snprintf(name, sizeof name, "%s:", r->name);
            lull_str_addf(out, "%-20s", name);
            value(r, r->offset < n ? words[r->offset] : 0, out);
            lull_str_addf(out, "\n");
            continue;
        }
        if (i + 1 < d->n) { // "cnoc_cmds_data0" is the first list of that name
            const bool numbered = last >= '0' && last <= '9';
            (void)snprintf(name, sizeof name, numbered ? "%.*s[%c]:" : "%.*s%c:", (int)size - 1,
                           r->name, last);
            lull_str_addf(out, "%s", indent);
            list(name, r->offset, r->count, words, n, out);
            length = r->count;
            continue;
        }
        for (uint32_t e = 0; length != 0 && e < r->count / length; e++) {
            (void)snprintf(name, sizeof name, "%s[%" PRIu32 "]:%s", r->name, e,
                           e < 10 ? "" : "   ");
            lull_str_addf(out, "%s", indent);
            list(name, r->offset + e * length, length, words, n, out);
        }
    }
}

void lull_hfi_show(const struct lull_hfi *h, const struct lull_hfi_message *m, const char *indent,
                   struct lull_str *out)
{
    const uint32_t n = m->n != 0 ? m->n - 1 : 0;
    for (unsigned i = 0; m->name != NULL && i < lull_dom_adreno.ndomains; i++) {
        if (strcmp(lull_dom_adreno.domains[i].name, m->name) != 0) {
            continue;
        }
        if (i == LULL_ADRENO_DOM_H2F_MSG_PERF_TABLE) {
            perf_table(h->legacy ? LULL_ADRENO_DOM_H2F_MSG_PERF_TABLE_LEGACY : i, m->words + 1, n,
                       indent, out);
        } else if (i == LULL_ADRENO_DOM_H2F_MSG_BW_TABLE) {
            bw_table(m->words + 1, n, indent, out);
        } else {
            lull_hfi_show_domain(i, m->words + 1, n, indent, out);
        }
        return;
    }
}
