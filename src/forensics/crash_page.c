// SPDX-License-Identifier: MIT
// The first page of a crash dump: what the GPU was doing.
#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "cmd/adreno_pm4.h"
#include "forensics/crash_walk.h"
#include "isa/afuc/afuc.h"

const char *const lull_crash_texts[LULL_CRASH_TEXTS] = {"kernel",  "time",     "comm",
                                                        "cmdline", "revision", "module"};

enum { KERNEL, TIME, COMM, CMDLINE, REVISION, SIGNATURE_STEPS = 3, AROUND = 2 };

static const char *const programs[LULL_CFF_PROGRAMS] = {"VS", "HS", "DS", "GS", "FS", "CS"};

/** What is written: text, JSON or one line. */
struct page {
    const struct lull_crash *k;
    const struct lull_afuc *firmware;
    const struct lull_cff_moment *m;
    struct lull_str *out;
    struct lull_json j;
};

/** Name of the unit that bit @p bit of RBBM_STATUS stands for; NULL: no unit, or not known. */
static const char *unit(const struct lull_crash *k, unsigned bit, int *ret_size)
{
    static const char busy[] = "_BUSY";
    uint32_t at = 0;
    if (k->cff->index == NULL || !lull_dom_find(k->cff->index, "RBBM_STATUS", &at)) {
        return NULL;
    }
    const struct lull_dom_hit hit = lull_dom_lookup(k->cff->index, at);
    for (unsigned i = 0; hit.reg != NULL && i < hit.reg->nfields; i++) {
        const struct lull_dom_field *f = &hit.reg->fields[i];
        const size_t n = strlen(f->name);
        if (f->lo == bit && n >= sizeof busy && strncmp(f->name, "GPU_", 4) != 0 &&
            strcmp(f->name + n - (sizeof busy - 1), busy) == 0) {
            *ret_size = (int)(n - (sizeof busy - 1));
            return f->name;
        }
    }
    return NULL;
}

/** "CP VFD": what is busy. @return How many. */
static unsigned units(const struct lull_crash *k, const char *between, struct lull_str *out)
{
    unsigned n = 0;
    for (unsigned bit = 0; k->seen.has_status && bit < 32; bit++) {
        int size = 0;
        const char *name = k->seen.status >> bit & 1 ? unit(k, bit, &size) : NULL;
        if (name != NULL) {
            lull_str_addf(out, "%s%.*s", n++ != 0 ? between : "", size, name);
        }
    }
    return n;
}

static void packet(const struct lull_crash *k, uint32_t header, struct lull_str *out)
{
    const struct lull_apkt p = lull_apkt_header(k->cff->gen, header);
    if (p.type == LULL_APKT_WRITE) {
        const struct lull_dom_hit hit = lull_dom_lookup(k->cff->index, p.what);
        lull_str_addf(out, "write ");
        lull_cff_reg_name(&hit, p.what, out);
        return;
    }
    const char *name =
        p.type == LULL_APKT_OP
            ? lull_cff_enum(k->cff, LULL_ADRENO_ENUM_adreno_pm4_type3_packets, p.what)
            : NULL;
    if (name != NULL) {
        lull_str_addf(out, "%s", name);
    } else if (p.type == LULL_APKT_OP) {
        lull_str_addf(out, "opcode 0x%02" PRIx32, p.what);
    } else {
        lull_str_addf(out, "no packet");
    }
}

static bool is_packet(const struct lull_crash *k, uint32_t header)
{
    return lull_apkt_header(k->cff->gen, header).type != LULL_APKT_BAD;
}

/** Step @p back before the last; NULL: there was none. */
static const struct lull_cff_step *step(const struct lull_cff_moment *m, uint64_t back)
{
    return back < m->nsteps && back < LULL_CFF_STEPS
               ? &m->steps[(m->nsteps - 1 - back) % LULL_CFF_STEPS]
               : NULL;
}

/** How sure the place is, in words. */
static const char *sure(const struct lull_crash *k)
{
    const struct lull_cff_mark *m = k->cff->marks;
    if (k->cff->index == NULL) {
        return "unknown: nothing is known of this GPU";
    }
    if (!k->seen.has_ring) {
        return "unknown: the ring that CP_RB_BASE names is not in the dump";
    }
    if (!k->seen.trail.marked) {
        return m[1].base == 0 ? "unknown: the GPU was in no indirect buffer"
                              : "unknown: what was left of the ring does not call this buffer";
    }
    if (k->cff->gen < 6) {
        return "roughly: before a6xx only the buffer is known";
    }
    return m[1].found || m[2].found
               ? "likely: the rest counted back over the calls of the ring ends in this buffer"
               : "perhaps: the buffer is the one that was fetched last, the calls before it are "
                 "not known";
}

static void kv(struct page *p, const char *key, const char *value)
{
    if (value[0] != '\0') {
        lull_str_addf(p->out, "%-9s %s\n", key, value);
    }
}

static void level_text(struct page *p, unsigned n)
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
    }
    lull_str_addf(p->out, "\n");
}

static void fault_text(struct page *p)
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
        return;
    }
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

static void step_text(struct page *p, const char *title, const struct lull_cff_step *s)
{
    lull_str_addf(p->out, "%-9s ", title);
    if (s->ib == 0) {
        lull_str_addf(p->out, "ring  ");
    } else {
        lull_str_addf(p->out, "IB%u   0x%" PRIx64 "  ", s->ib, s->address);
    }
    packet(p->k, s->header, p->out);
    lull_str_addf(p->out, is_packet(p->k, s->header) ? "\n" : ": 0x%08" PRIx32 "\n", s->header);
}

/** The firmware around the SQE's PC, below the last label before it. */
static void firmware_text(struct page *p)
{
    struct lull_str code = {0};
    const uint32_t pc = p->k->seen.pc;
    if (p->firmware == NULL) {
        return;
    }
    lull_afuc_disasm(p->firmware, true, &code);
    const char *label = "", *end = NULL;
    int label_size = 0;
    bool found = false;
    for (const char *at = lull_str_text(&code); (end = strchr(at, '\n')) != NULL; at = end + 1) {
        unsigned number = 0;
        if (*at != '\t' && end > at && end[-1] == ':') {
            label = at;
            label_size = (int)(end - at);
        } else if (*at == '\t' && sscanf(at + 1, "%4x:", &number) == 1 && number + AROUND >= pc &&
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
        lull_str_addf(p->out, "          the firmware has no instruction there\n");
    }
}

static void text(struct page *p)
{
    const struct lull_crash_seen *s = &p->k->seen;
    struct lull_str busy = {0};
    kv(p, "GPU", s->texts[REVISION]);
    kv(p, "process", s->texts[COMM]);
    kv(p, "command", s->texts[CMDLINE]);
    kv(p, "kernel", s->texts[KERNEL]);
    kv(p, "time", s->texts[TIME]);
    if (s->has_status) {
        kv(p, "busy", units(p->k, " ", &busy) > 0 ? lull_str_text(&busy) : "nothing");
    }
    lull_str_free(&busy);
    fault_text(p);
    if (s->has_sqe) {
        lull_str_addf(p->out, "SQE       PC 0x%04" PRIx32 ", $01 0x%08" PRIx32 "%s\n", s->pc,
                      s->word, is_packet(p->k, s->word) ? "" : ", which begins no packet");
        firmware_text(p);
    }
    level_text(p, 1);
    level_text(p, 2);
    if (s->trail.marked && step(p->m, 0) != NULL) {
        step_text(p, "at", step(p->m, 0));
    }
    kv(p, "sure", sure(p->k));
    for (uint64_t i = LULL_CFF_STEPS; i-- > 0;) {
        if (step(p->m, i) != NULL && !(i == 0 && s->trail.marked)) {
            step_text(p, "before", step(p->m, i));
        }
    }
    if (p->m->draw.header != 0) {
        step_text(p, "draw", &p->m->draw);
    }
    for (size_t i = 0; i < LULL_CFF_PROGRAMS; i++) {
        if (p->m->programs[i] != 0) {
            lull_str_addf(p->out, "shader    %s at 0x%" PRIx64 "\n", programs[i],
                          p->m->programs[i]);
        }
    }
}

static void step_json(struct page *p, const struct lull_cff_step *s)
{
    struct lull_str name = {0};
    packet(p->k, s->header, &name);
    lull_json_open(&p->j, '{');
    lull_json_put_u64(&p->j, "level", s->ib);
    if (s->ib != 0) {
        lull_json_put_hex(&p->j, "address", s->address);
    }
    lull_json_put_hex(&p->j, "header", s->header);
    lull_json_put_str(&p->j, "packet", lull_str_text(&name));
    lull_json_close(&p->j, '}');
    lull_str_free(&name);
}

static void levels_json(struct page *p)
{
    lull_json_key(&p->j, "levels");
    lull_json_open(&p->j, '[');
    for (unsigned n = 1; n <= 2; n++) {
        const struct lull_crash_level *l = &p->k->seen.levels[n];
        const struct lull_cff_mark *m = &p->k->cff->marks[n];
        lull_json_open(&p->j, '{');
        lull_json_put_hex(&p->j, "base", l->base);
        lull_json_put_u64(&p->j, "rem_size", l->size);
        lull_json_put_u64(&p->j, "roq", l->roq);
        lull_json_put_hex(&p->j, "from", m->base);
        lull_json_put_u64(&p->j, "to_do", m->rem);
        lull_json_put_bool(&p->j, "found", m->found);
        lull_json_close(&p->j, '}');
    }
    lull_json_close(&p->j, ']');
}

static void fault_json(struct page *p)
{
    const struct lull_crash_seen *s = &p->k->seen;
    if (!p->k->has_fault) {
        return;
    }
    lull_json_key(&p->j, "fault");
    lull_json_open(&p->j, '{');
    lull_json_put_hex(&p->j, "address", p->k->fault);
    if (s->has_inside) {
        lull_json_put_hex(&p->j, "buffer", s->inside.iova);
    }
    if (s->has_below) {
        lull_json_put_hex(&p->j, "below", s->below.iova);
    }
    if (s->has_above) {
        lull_json_put_hex(&p->j, "above", s->above.iova);
    }
    lull_json_close(&p->j, '}');
}

static void json(struct page *p)
{
    const struct lull_crash_seen *s = &p->k->seen;
    lull_json_open(&p->j, '{');
    for (size_t i = 0; i < LULL_CRASH_TEXTS; i++) {
        lull_json_put_str(&p->j, lull_crash_texts[i], s->texts[i]);
    }
    lull_json_key(&p->j, "busy");
    lull_json_open(&p->j, '[');
    for (unsigned bit = 0; s->has_status && bit < 32; bit++) {
        int size = 0;
        const char *name = s->status >> bit & 1 ? unit(p->k, bit, &size) : NULL;
        struct lull_str part = {0};
        if (name != NULL) {
            lull_str_add(&part, name, (size_t)size);
            lull_json_str(&p->j, lull_str_text(&part));
        }
        lull_str_free(&part);
    }
    lull_json_close(&p->j, ']');
    fault_json(p);
    if (s->has_sqe) {
        lull_json_put_u64(&p->j, "sqe_pc", s->pc);
    }
    levels_json(p);
    lull_json_put_bool(&p->j, "located", s->trail.marked);
    lull_json_put_str(&p->j, "sure", sure(p->k));
    lull_json_key(&p->j, "packets");
    lull_json_open(&p->j, '[');
    for (uint64_t i = LULL_CFF_STEPS; i-- > 0;) {
        if (step(p->m, i) != NULL) {
            step_json(p, step(p->m, i));
        }
    }
    lull_json_close(&p->j, ']');
    if (p->m->draw.header != 0) {
        lull_json_key(&p->j, "draw");
        step_json(p, &p->m->draw);
    }
    lull_json_key(&p->j, "shaders");
    lull_json_open(&p->j, '{');
    for (size_t i = 0; i < LULL_CFF_PROGRAMS; i++) {
        if (p->m->programs[i] != 0) {
            lull_json_put_hex(&p->j, programs[i], p->m->programs[i]);
        }
    }
    lull_json_close(&p->j, '}');
    lull_json_close(&p->j, '}');
    lull_str_addf(p->out, "\n");
}

/** No address and no time is in it, so that the same crash gives the same line. */
static void signature(struct page *p)
{
    const struct lull_crash_seen *s = &p->k->seen;
    const char *revision = s->texts[REVISION];
    lull_str_addf(p->out, "adreno %.*s; ", (int)strcspn(revision, " "), revision);
    lull_str_addf(p->out, "%s; busy ",
                  !p->k->has_fault ? "hang"
                  : s->has_inside  ? "fault in a buffer"
                                   : "fault outside");
    if (units(p->k, ",", p->out) == 0) {
        lull_str_addf(p->out, "-");
    }
    lull_str_addf(p->out, "; at ");
    if (!s->trail.marked || step(p->m, 0) == NULL) {
        lull_str_addf(p->out, "?\n");
        return;
    }
    lull_str_addf(p->out, "IB%u ", step(p->m, 0)->ib);
    packet(p->k, step(p->m, 0)->header, p->out);
    for (uint64_t i = 1; i <= SIGNATURE_STEPS && step(p->m, i) != NULL; i++) {
        lull_str_addf(p->out, " < ");
        packet(p->k, step(p->m, i)->header, p->out);
    }
    if (p->m->draw.header != 0) {
        lull_str_addf(p->out, "; draw ");
        packet(p->k, p->m->draw.header, p->out);
    }
    lull_str_addf(p->out, "\n");
}

struct lull_error *lull_crash_page(struct lull_stream *s, const struct lull_crash_look *look,
                                   FILE *log, struct lull_str *out)
{
    struct lull_crash k = {.log = log};
    struct lull_error *err = lull_crash_walk(&k, s, NULL);
    if (err == NULL) {
        const struct lull_cff_trail *t = &k.seen.trail;
        struct page p = {.k = &k,
                         .firmware = look->firmware,
                         .m = t->marked ? &t->mark : &t->now,
                         .out = out,
                         .j = {.out = out}};
        switch (look->style) {
        case LULL_CRASH_PAGE:
            text(&p);
            break;
        case LULL_CRASH_JSON:
            json(&p);
            break;
        case LULL_CRASH_SIGNATURE:
            signature(&p);
            break;
        }
        err = k.damage;
        k.damage = NULL;
    }
    lull_crash_done(&k);
    return err;
}
