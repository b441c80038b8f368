// SPDX-License-Identifier: MIT
// The first page of a crash dump: what the GPU was doing. And the one line of it.
#include "adreno/crash/crash_page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *const lull_crash_texts[LULL_CRASH_TEXTS] = {"kernel",  "time",     "comm",
                                                        "cmdline", "revision", "module"};
const char *const lull_crash_faults[LULL_CRASH_FAULTS] = {"type", "dir", "source", "ttbr0"};

enum { KERNEL, TIME, COMM, CMDLINE, REVISION, AROUND = 2 };
/** UCODE_TABLE: dword of CP_UCODE_DBG_DATA where the table of handlers is. */
enum { MOST_HANDLED = 16, UCODE_TABLE = 0x4000 };
enum { TYPE, DIR, SOURCE };

static void kv(struct lull_page *p, const char *key, const char *value)
{
    if (value[0] != '\0') {
        lull_str_addf(p->out, "%-9s %s\n", key, value);
    }
}

static void rings_text(struct lull_page *p)
{
    for (size_t i = 0; i < LULL_CRASH_RINGS; i++) {
        const struct lull_crash_ring *r = &p->k->rings[i];
        if (!r->is_there) {
            continue;
        }
        lull_str_addf(p->out,
                      "ring %zu    0x%" PRIx64 "%s: rptr %" PRIu64 ", wptr %" PRIu64 " of %" PRIu64
                      " dwords, %" PRIu64 " not fetched; fence %" PRIu64 " of %" PRIu64 " done\n",
                      i, r->iova, r->iova == p->k->seen.rb_base ? ", the current one" : "", r->rptr,
                      r->wptr, r->bytes / 4, lull_page_unfetched(r), r->retired_fence,
                      r->last_fence);
    }
}

static void level_text(struct lull_page *p, unsigned n)
{
    const struct lull_crash_level *l = &p->k->seen.levels[n];
    const struct lull_cff_mark *m = &p->k->cff->marks[n];
    if (l->base == 0) {
        return;
    }
    lull_str_addf(p->out, "IB%u       0x%" PRIx64, n, l->base);
    if (p->k->cff->gen >= 6) {
        lull_str_addf(p->out, ": %u dwords not fetched, %u in the ROQ", l->size, l->roq);
        if (m->base != l->base) {
            lull_str_addf(p->out, "; that was fetched ahead, from 0x%" PRIx64, m->base);
        }
        lull_str_addf(p->out, "; %u dwords to do", m->rem);
    } else {
        lull_str_addf(p->out, ": %u dwords not fetched", l->size);
    }
    if (m->size != 0 && m->rem <= m->size) {
        lull_str_addf(p->out, ", so at dword %u of %u", m->size - m->rem, m->size);
    }
    lull_str_addf(p->out, "\n");
}

static void fault_text(struct lull_page *p)
{
    const struct lull_crash_seen *s = &p->k->seen;
    const uint64_t at = p->k->fault;
    if (!p->k->has_fault) {
        return;
    }
    lull_str_addf(p->out, "fault     0x%" PRIx64 ": ", at);
    if (s->has_inside) {
        lull_str_addf(p->out, "byte 0x%" PRIx64 " of the buffer 0x%" PRIx64 ", %" PRIu64 " bytes\n",
                      at - s->inside.iova, s->inside.iova, s->inside.size);
    } else {
        lull_str_addf(p->out, "in no buffer of the dump");
        if (s->has_below) {
            lull_str_addf(p->out, "; 0x%" PRIx64 " bytes behind the end of 0x%" PRIx64,
                          at - s->below.iova - s->below.size, s->below.iova);
        }
        if (s->has_above) {
            lull_str_addf(p->out, "; 0x%" PRIx64 " bytes before 0x%" PRIx64, s->above.iova - at,
                          s->above.iova);
        }
        lull_str_addf(p->out, "\n");
    }
    if (s->fault[TYPE][0] != '\0' || s->fault[SOURCE][0] != '\0') {
        lull_str_addf(p->out, "          %s %s by %s\n",
                      s->fault[TYPE][0] != '\0' ? s->fault[TYPE] : "fault",
                      s->fault[DIR][0] != '\0' ? s->fault[DIR] : "access",
                      s->fault[SOURCE][0] != '\0' ? s->fault[SOURCE] : "an unknown unit");
    }
}

static void step_text(struct lull_page *p, const char *title, const struct lull_crash_step *s,
                      bool fields)
{
    lull_str_addf(p->out, "%-9s ", title);
    if (s->ib == 0) {
        lull_str_addf(p->out, "ring  ");
    } else {
        lull_str_addf(p->out, "IB%u   0x%" PRIx64 "  ", s->ib, s->address);
    }
    lull_page_packet(p->k, s->header, p->out);
    if (!lull_page_is_packet(p->k, s->header)) {
        lull_str_addf(p->out, ": 0x%08" PRIx32, s->header);
    } else if (fields) {
        struct lull_str text = {0};
        lull_page_fields(p->k, s, &text);
        lull_str_addf(p->out, "%s%s", text.size != 0 ? "  " : "", lull_str_text(&text));
        lull_str_free(&text);
    }
    lull_str_addf(p->out, "\n");
}

/** Does this line of the firmware's text begin section @p name (NULL: the first)? */
static bool begins(const char *line, const char *name)
{
    static const char section[] = ".section ";
    return name != NULL && strncmp(line, section, sizeof section - 1) == 0 &&
           strncmp(line + sizeof section - 1, name, strlen(name)) == 0;
}

/** The firmware around @p pc in section @p which, below the last label before it. */
static void firmware_text(struct lull_page *p, unsigned which, uint32_t pc)
{
    const struct lull_afuc *fw = p->look->firmware;
    struct lull_str code = {0};
    if (fw == NULL) {
        return;
    }
    // What is called BV and LPAC stands where the names do, not at the same number in each
    // firmware.
    const char *name = which == 0 ? NULL : which == 1 ? "BV" : "LPAC";
    lull_afuc_disasm(fw, true, &code);
    const char *label = "", *end = NULL;
    int label_size = 0;
    bool found = false, here = name == NULL;
    enum { PLACE = 17 }; // address and word, before each line
    for (const char *at = lull_str_text(&code); (end = strchr(at, '\n')) != NULL; at = end + 1) {
        unsigned number = 0;
        if (strncmp(at, ".section", strlen(".section")) == 0) {
            here = begins(at, name);
            label_size = 0;
        } else if (here && *at == '\t' && end > at + PLACE && end[-1] == ':') {
            label = at + PLACE;
            label_size = (int)(end - label);
        } else if (here && *at == '\t' && end > at + PLACE &&
                   sscanf(at + 1, "%4x:", &number) == 1 && number + AROUND >= pc &&
                   number <= pc + AROUND) {
            if (label_size > 0) {
                lull_str_addf(p->out, "          %.*s\n", label_size, label);
                label_size = 0;
            }
            found |= number == pc;
            lull_str_addf(p->out, "%9s %.*s\n", number == pc ? "->" : "", (int)(end - at - 1),
                          at + 1);
        }
    }
    lull_str_free(&code);
    if (!found) {
        lull_str_addf(p->out, "          the firmware has no instruction there%s%s\n",
                      name != NULL ? ", in section " : "", name != NULL ? name : "");
    }
}

/** The packets whose handler begins at @p at. One that many have is for opcodes that this firmware
 * does not know. */
static void handled(const struct lull_page *p, const uint32_t *table, uint32_t at,
                    struct lull_str *out)
{
    unsigned n = 0;
    for (unsigned i = 0; i < LULL_AFUC_TABLE; i++) {
        n += table[i] == at;
    }
    if (n > MOST_HANDLED) {
        lull_str_addf(out, "of what this firmware has no handler for, as of %u opcodes", n);
        return;
    }
    n = 0;
    for (unsigned i = 0; i < LULL_AFUC_TABLE; i++) {
        const char *name = lull_cff_enum(p->k->cff, LULL_ADRENO_ENUM_adreno_pm4_type3_packets, i);
        if (table[i] == at) {
            lull_str_addf(out, n++ != 0 ? ", " : "of ");
            if (name != NULL) {
                lull_str_addf(out, "%s", name);
            } else {
                lull_str_addf(out, "opcode 0x%02x", i);
            }
        }
    }
}

/** Behind which packet's handler @p pc is, by the table in the dump. Its copy of instructions is a
 * cache, and says of none which address it has. */
static void handler_text(struct lull_page *p, uint32_t pc)
{
    const struct lull_store_block *b =
        lull_page_block(p->k, LULL_STORE_INDEXED, "CP_UCODE_DBG_DATA");
    const uint32_t *table =
        b != NULL && b->n >= UCODE_TABLE + LULL_AFUC_TABLE && p->k->cff->gen >= 6
            ? b->words + UCODE_TABLE
            : NULL;
    uint32_t at = 0;
    for (unsigned i = 0; table != NULL && i < LULL_AFUC_TABLE; i++) {
        at = table[i] <= pc && table[i] > at ? table[i] : at;
    }
    if (at != 0) {
        struct lull_str names = {0};
        handled(p, table, at, &names);
        lull_str_addf(p->out,
                      "          %" PRIu32 " instructions behind 0x%04" PRIx32
                      ", where the handler begins %s\n",
                      pc - at, at, lull_str_text(&names));
        lull_str_free(&names);
    }
}

void lull_page_sqe(struct lull_page *p)
{
    static const char *const titles[] = {"SQE", "SQE BV", "SQE LPAC"};
    const struct lull_store *store = p->k->store;
    for (size_t i = 0; store != NULL && i < store->nblocks; i++) {
        const struct lull_store_block *b = &store->blocks[i];
        const int which = b->kind == LULL_STORE_INDEXED ? lull_page_processor(b->name) : -1;
        if (which < 0 || b->words == NULL || b->n < 2) {
            continue;
        }
        struct lull_str name = {0};
        lull_page_packet(p->k, b->words[1], &name);
        lull_str_addf(p->out, "%-9s PC 0x%04" PRIx32 ", $01 0x%08" PRIx32, titles[which],
                      b->words[0], b->words[1]);
        if (lull_page_is_packet(p->k, b->words[1])) {
            lull_str_addf(p->out, ": %s\n", lull_str_text(&name));
        } else {
            lull_str_addf(p->out, p->k->cff->index != NULL ? ", which begins no packet\n" : "\n");
        }
        lull_str_free(&name);
        if (which == 0) {
            handler_text(p, b->words[0]);
        }
        firmware_text(p, (unsigned)which, b->words[0]);
    }
}

static void shaders_text(struct lull_page *p)
{
    for (size_t i = 0; i < LULL_CRASH_PROGRAMS; i++) {
        const struct lull_crash_program *program = &p->m->programs[i];
        uint64_t hash = 0;
        if (program->address == 0) {
            continue;
        }
        lull_str_addf(p->out, "shader    %s at 0x%" PRIx64, lull_page_stages[i], program->address);
        if (program->bytes != 0) {
            lull_str_addf(p->out, ", %" PRIu32 " bytes", program->bytes);
        }
        if (lull_page_hash(p->k, program, &hash)) {
            lull_str_addf(p->out, ", code %016" PRIx64, hash);
        } else if (lull_cff_bo_at(p->k->cff, program->address) == NULL) {
            lull_str_addf(p->out, ", in no buffer of the dump");
        }
        lull_str_addf(p->out, "\n");
    }
}

/** Register writes on their way. */
static void queues_text(struct lull_page *p)
{
    const struct lull_store_block *b = lull_page_block(p->k, LULL_STORE_INDEXED, "CP_MEMPOOL");
    unsigned n = 0;
    for (unsigned q = 0; b != NULL && lull_pool_fits(b->n) && q < lull_pool_queues(p->k->cff->gen);
         q++) {
        const uint32_t length = lull_pool_length(b->words, q);
        if (length != 0) {
            lull_str_addf(p->out, "%s%s %" PRIu32, n++ == 0 ? "on way    register writes: " : ", ",
                          lull_pool_name(p->k->cff->gen, q), length);
        }
    }
    lull_str_addf(p->out, n != 0 ? " chunks\n" : "");
}

/** The last message each way. */
static void hfi_text(struct lull_page *p)
{
    struct lull_hfi h = {0};
    if (!lull_page_hfi(p->k, &h)) {
        return;
    }
    for (unsigned i = 0; i < lull_hfi_queues(&h); i++) {
        struct lull_hfi_queue q = {0};
        struct lull_hfi_message m = {0};
        (void)lull_hfi_queue(&h, i, &q);
        uint32_t at = (uint32_t)q.start;
        if (q.ring == NULL || q.start < 0 || at == q.write_index) {
            continue;
        }
        for (uint32_t n = 0; at != q.write_index && n < q.size; n++) {
            at = lull_hfi_message(&h, &q, at, &m);
        }
        lull_str_addf(p->out, "GMU       last message in queue %u: %s, number %u\n", i,
                      m.name != NULL ? m.name : "unknown", m.seqnum);
    }
}

static void contents_text(struct lull_page *p)
{
    static const char *const names[] = {
        [LULL_STORE_REGISTERS] = NULL,      [LULL_STORE_CLUSTER] = "clusters",
        [LULL_STORE_INDEXED] = "indexed",   [LULL_STORE_SHADER] = "shader blocks",
        [LULL_STORE_DEBUGBUS] = "debugbus", [LULL_STORE_GMU] = "of the GMU",
    };
    const struct lull_store *s = p->k->store;
    size_t counts[LULL_STORE_GMU + 1] = {0}, with_data = 0, regs = 0;
    if (s == NULL) {
        return;
    }
    for (size_t i = 0; i < s->nblocks; i++) {
        counts[s->blocks[i].kind]++;
        regs += s->blocks[i].kind == LULL_STORE_REGISTERS ? s->blocks[i].nregs : 0;
    }
    for (size_t i = 0; i < s->nbos; i++) {
        with_data += s->bos[i].has_data;
    }
    lull_str_addf(p->out, "dump has  buffers %zu (%zu with data), registers %zu", s->nbos,
                  with_data, regs);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i] != NULL && counts[i] != 0) {
            lull_str_addf(p->out, ", %s %zu", names[i], counts[i]);
        }
    }
    if (p->k->seen.missing != 0) {
        lull_str_addf(p->out, ", not in it %" PRIu64 " things that the stream leads to",
                      p->k->seen.missing);
    }
    lull_str_addf(p->out, "%s\n", s->full ? "; not all, there was no memory" : "");
}

static void head_text(struct lull_page *p)
{
    const struct lull_crash_seen *s = &p->k->seen;
    struct lull_str busy = {0}, waits = {0};
    uint32_t status = 0;
    char date[64];
    lull_page_date(p->k, date, sizeof date);
    kv(p, "GPU", s->texts[REVISION]);
    kv(p, "process", s->texts[COMM]);
    kv(p, "command", s->texts[CMDLINE]);
    kv(p, "kernel", s->texts[KERNEL]);
    if (s->texts[TIME][0] != '\0') {
        lull_str_addf(p->out, "time      %s%s%s\n", s->texts[TIME], date[0] != '\0' ? ", " : "",
                      date);
    }
    if (lull_page_status(p->k, &status)) {
        kv(p, "busy",
           lull_page_units(p->k, " ", NULL, &busy) > 0 ? lull_str_text(&busy) : "nothing");
    }
    fault_text(p);
    if (p->k->cff->index != NULL) {
        lull_page_waits(p, &waits);
        kv(p, "waits", lull_str_text(&waits));
    }
    lull_str_free(&busy);
    lull_str_free(&waits);
}

/** What the mark does not say. */
static void trigger_text(struct lull_page *p)
{
    if (p->k->seen.place.marked || p->k->has_fault) {
        lull_str_addf(
            p->out,
            "trigger   may be earlier: what hangs or faults may be work of a packet before, "
            "which still ran; with TU_DEBUG=flushall or FD_MESA_DEBUG=flush each waits\n");
    }
}

static void before_text(struct lull_page *p)
{
    const struct lull_crash_step *before[LULL_PAGE_BEFORE];
    for (unsigned n = lull_page_before(p, LULL_PAGE_BEFORE, before); n-- > 0;) {
        step_text(p, "before", before[n], true);
    }
}

/** What the stream had set there, and the counters of drivers. */
static void state_text(struct lull_page *p)
{
    const struct lull_crash_seen *s = &p->k->seen;
    const uint32_t *t = p->m->tile;
    kv(p, "mode", p->m->mode != NULL ? p->m->mode : "");
    if (p->m->has_tile) {
        lull_str_addf(p->out, "tile      %u,%u to %u,%u\n", t[0], t[1], t[2], t[3]);
    }
    if (s->has_scratch) {
        lull_str_addf(p->out, "scratch   6: 0x%" PRIx32 ", 7: 0x%" PRIx32 "\n", s->scratch[0],
                      s->scratch[1]);
    }
}

static void clusters_text(struct lull_page *p)
{
    for (unsigned q = 0; q < lull_pool_queues(p->k->cff->gen); q++) {
        struct lull_page_cluster c = {0};
        if (lull_page_cluster(p, q, &c)) {
            lull_str_addf(p->out, "cluster   %s: %u to do, first %s", c.name, c.waiting,
                          lull_str_text(&c.head));
            if (c.found) {
                lull_str_addf(p->out, ", of ");
                lull_page_packet(p->k, c.at.header, p->out);
                lull_str_addf(p->out, " at IB%u 0x%" PRIx64 ", %u draws, blits and events before",
                              c.at.ib, c.at.address, c.back);
            }
            lull_str_addf(p->out, "\n");
        }
        lull_str_free(&c.head);
    }
}

void lull_page_text(struct lull_page *p)
{
    const struct lull_crash_seen *s = &p->k->seen;
    head_text(p);
    rings_text(p);
    lull_page_sqe(p);
    level_text(p, 1);
    level_text(p, 2);
    struct lull_str how = {0};
    lull_page_how(p, &how);
    if (s->place.marked) {
        lull_str_addf(p->out, "ESTIMATED CRASH LOCATION\n");
        if (p->m->has_in) {
            step_text(p, "in", &p->m->in, true);
        }
        if (!lull_page_in_is_at(p)) {
            step_text(p, p->m->has_in ? "next" : "at", &p->m->at, true);
        }
        kv(p, "how", lull_str_text(&how));
    }
    lull_str_free(&how);
    kv(p, "sure", lull_page_sure(p));
    trigger_text(p);
    before_text(p);
    state_text(p);
    if (p->m->draw.header != 0) {
        step_text(p, "draw", &p->m->draw, true);
    }
    shaders_text(p);
    queues_text(p);
    clusters_text(p);
    hfi_text(p);
    contents_text(p);
}

static void written(struct lull_page *p)
{
    switch (p->look->style) {
    case LULL_CRASH_PAGE:
        if (!p->look->no_page) {
            lull_page_text(p);
        }
        lull_page_sections(p);
        break;
    case LULL_CRASH_JSON:
        lull_page_json(p);
        break;
    case LULL_CRASH_SIGNATURE:
        lull_page_signature(p, p->out);
        lull_str_addf(p->out, "\n");
        break;
    }
}

LULL_MUST_USE static struct lull_error *write_page(struct lull_page *p, void *ctx)
{
    (void)ctx;
    written(p);
    return NULL;
}

struct lull_error *lull_crash_page(struct lull_stream *s, const struct lull_crash_look *look,
                                   struct lull_str *out)
{
    return lull_page_run(s, look, out, write_page, NULL);
}
