// SPDX-License-Identifier: MIT
// Packets that draw, copy or compute.
#include <inttypes.h>
#include <string.h>

#include "adreno/cffdump/walk.h"
#include "hw/adreno_pkts.h"

enum { INDIRECT_DWORDS = 16, MOST_DRAWS = 0x10000, SOME_DRAWS = 0x100 };

static const uint64_t address_mask = UINT64_C(0x1ffffffffffff);

static const char *or_null(const char *name)
{
    return name != NULL ? name : "(null)";
}

static const char *primitive(struct lull_cff *c, struct lull_cff_words body)
{
    const struct lull_apkt_args p = lull_cff_args(c, body);
    return lull_cff_enum(c, LULL_ADRENO_ENUM_pc_di_primtype, lull_mesa_cp_draw__prim_type(&p));
}

static void mode(struct lull_cff *c, unsigned level)
{
    if (c->gen >= 5) {
        lull_cff_say(c, 2, "%smode: %s%s%s\n", lull_cff_tabs(level), or_null(c->render_mode),
                     c->thread != NULL ? ":" : "", c->thread != NULL ? c->thread : "");
        lull_cff_say(c, 2, "%sskip_ib2: g=%d, l=%d\n", lull_cff_tabs(level), c->skip_global,
                     c->skip_local);
    }
}

/** What is asked for, and in which mode it is drawn. */
static void begin(struct lull_cff *c, const char *what, uint32_t indices, unsigned level)
{
    lull_cff_query(c, what, indices);
    mode(c, level);
}

static void end(struct lull_cff *c, bool compute, unsigned level)
{
    lull_cff_bindless(c, compute, level);
    lull_cff_summary(c, level);
}

void lull_cff_event(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    const struct lull_apkt_args p = lull_cff_args(c, body);
    const char *name =
        lull_cff_enum(c, LULL_ADRENO_ENUM_vgt_event_type, lull_cp_event_write__event(&p));
    lull_cff_say(c, 2, "%sevent %s\n", lull_cff_tabs(level), or_null(name));
    if (c->gen > 5 && name != NULL &&
        (strcmp(name, "BLIT") == 0 || strcmp(name, "LRZ_CLEAR") == 0)) {
        char what[64] = "";
        (void)snprintf(what, sizeof what, "EVENT:%s", name);
        begin(c, what, 0, level);
        lull_cff_summary(c, level);
    }
}

void lull_cff_blit(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    begin(c, lull_cff_enum(c, LULL_ADRENO_ENUM_cp_blit_cmd, lull_cff_word(c, body, 0)), 0, level);
    lull_cff_summary(c, level);
}

void lull_cff_run_opencl(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    (void)body;
    lull_cff_query(c, "COMPUTE", 1);
    lull_cff_summary(c, level);
}

/** Parameters of an indirect draw or dispatch, in memory. */
static void parameters(struct lull_cff *c, uint64_t address, unsigned level)
{
    lull_cff_hex(c, lull_cff_memory(c, address, INDIRECT_DWORDS), level + 1);
}

void lull_cff_exec_cs(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    (void)body;
    lull_cff_query(c, "compute", 0);
    end(c, true, level);
}

void lull_cff_exec_cs_indirect(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    const uint64_t address =
        c->gen >= 5 ? lull_cff_pair(c, body, 1) & address_mask : lull_cff_word(c, body, 1);
    lull_cff_say(c, 3, "%saddr: %016" PRIx64 "\n", lull_cff_tabs(level), address);
    parameters(c, address, level);
    lull_cff_query(c, "compute", 0);
    end(c, true, level);
}

void lull_cff_draw_indx_offset(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    const uint32_t count = lull_cff_word(c, body, 2);
    begin(c, primitive(c, body), count, level);
    if (count > 0) {
        end(c, false, level);
    }
}

void lull_cff_draw_indirect(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    begin(c, primitive(c, body), 0, level);
    parameters(c, lull_cff_pair(c, body, 1) & address_mask, level);
    end(c, false, level);
}

void lull_cff_draw_indx_indirect(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    const bool wide = c->gen >= 5;
    begin(c, primitive(c, body), 0, level);
    parameters(c, wide ? lull_cff_pair(c, body, 1) & address_mask : lull_cff_word(c, body, 1),
               level);
    parameters(c, wide ? lull_cff_pair(c, body, 4) & address_mask : lull_cff_word(c, body, 3),
               level);
    end(c, false, level);
}

void lull_cff_draw_auto(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    begin(c, primitive(c, body), 0, level);
    end(c, false, level);
}

/** Dword of the packet's field, in the variant that was shown last; 0: it has none. */
static uint32_t place(const struct lull_cff *c, const struct lull_dom *d, const char *name)
{
    for (unsigned i = 0; d != NULL && i < d->n; i++) {
        if (strcmp(d->regs[i].name, name) == 0 &&
            lull_dom_holds(&lull_dom_adreno, &c->dom, d->regs[i].cond)) {
            return d->regs[i].offset;
        }
    }
    return 0;
}

void lull_cff_draw_indirect_multi(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    const struct lull_dom *d = &lull_dom_adreno.domains[LULL_ADRENO_DOM_CP_DRAW_INDIRECT_MULTI];
    const uint32_t count_at = place(c, d, "INDIRECT_COUNT"), at = place(c, d, "INDIRECT");
    const uint32_t stride_at = place(c, d, "STRIDE");
    uint32_t count = lull_cff_word(c, body, 2), most = SOME_DRAWS;
    begin(c, primitive(c, body), 0, level);
    if (count_at != 0) {
        // A count that cannot be true is not believed: then no more than a few draws are shown.
        const struct lull_cff_words w = lull_cff_memory(c, lull_cff_pair(c, body, count_at), 1);
        if (w.n == 1) {
            lull_cff_say(c, 0, "%sindirect count: %u\n", lull_cff_tabs(level), w.words[0]);
            most = w.words[0] == 0 || w.words[0] > MOST_DRAWS ? SOME_DRAWS : w.words[0];
        }
        count = count < most ? count : most;
    }
    count = at != 0 && stride_at != 0 ? count : 0;
    for (uint32_t i = 0; i < count && lull_cff_work(c, 1); i++) {
        const uint64_t step = (uint64_t)i * lull_cff_word(c, body, stride_at);
        lull_cff_say(c, 0, "%sdraw %d:\n", lull_cff_tabs(level), (int)i);
        parameters(c, lull_cff_pair(c, body, at) + step, level);
    }
    end(c, false, level);
}

/** Indices of @p bytes bytes each. */
static void indices(struct lull_cff *c, struct lull_cff_words w, uint32_t n, uint32_t bytes,
                    unsigned level)
{
    const uint8_t *data = (const uint8_t *)w.words;
    lull_cff_say(c, 2, "%sidxs:         ", lull_cff_tabs(level));
    for (uint32_t i = 0; i < n && (i + 1ull) * bytes <= w.n * 4ull && lull_cff_work(c, 1); i++) {
        uint32_t v = 0;
        for (uint32_t j = bytes; j-- > 0;) { // little-endian
            v = v << 8 | data[i * bytes + j];
        }
        lull_cff_say(c, 2, " %u", v);
    }
    lull_cff_say(c, 2, "\n");
}

/** What draws of a2xx to a4xx say of themselves; the number of indices. */
static uint32_t describe(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    const char *tabs = lull_cff_tabs(level);
    const struct lull_apkt_args p = lull_cff_args(c, body);
    const uint32_t type = lull_mesa_cp_draw__old_prim_type(&p);
    const uint32_t source = lull_mesa_cp_draw__old_source_select(&p);
    const uint32_t count = lull_cff_word(c, body, 2);
    const char *name = lull_cff_enum(c, LULL_ADRENO_ENUM_pc_di_primtype, type);
    lull_cff_query(c, name, count);
    lull_cff_say(c, 2, "%sdraw:          %u\n", tabs, c->draws_in[c->depth]++);
    lull_cff_say(c, 2, "%sprim_type:     %s (%u)\n", tabs, or_null(name), type);
    lull_cff_say(c, 2, "%ssource_select: %s (%u)\n", tabs,
                 or_null(lull_cff_enum(c, LULL_ADRENO_ENUM_pc_di_src_sel, source)), source);
    lull_cff_say(c, 2, "%snum_indices:   %d\n", tabs, (int)count);
    return count;
}

/** Bytes of an index; 0: nobody knows. */
static uint32_t index_size(const struct lull_cff *c, struct lull_cff_words body)
{
    static const uint8_t sizes[] = {2, 4, 1, 0};
    const struct lull_apkt_args p = lull_cff_args(c, body);
    return sizes[lull_cp_draw_indx__index_size(&p) | lull_cp_draw_indx__small_index(&p) << 1];
}

void lull_cff_draw_indx(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    const uint32_t count = describe(c, body, level);
    if (body.n == 5) {
        const uint32_t size = body.words[4], bytes = index_size(c, body);
        const struct lull_cff_words w = lull_cff_memory(c, body.words[3], size / 4 + 1);
        lull_cff_say(c, 2, "%sgpuaddr:       %08x\n", lull_cff_tabs(level), body.words[3]);
        lull_cff_say(c, 2, "%sidx_size:      %d\n", lull_cff_tabs(level), (int)size);
        if (w.n > 0 && !lull_cff_quiet(c, 2)) {
            indices(c, w, bytes != 0 ? size / bytes : 0, bytes, level);
            lull_cff_hex(c, lull_cff_part(w, 0, size / 4), level + 1);
        }
    }
    if (count > 0) {
        end(c, false, level);
    }
    c->needs_wfi = true;
}

void lull_cff_draw_indx_2(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    const uint32_t count = describe(c, body, level);
    const uint32_t bytes = index_size(c, body);
    const uint64_t size = (uint64_t)count * bytes / 4;
    if (!lull_cff_quiet(c, 2)) {
        const struct lull_cff_words w = lull_cff_part(body, 3, UINT32_MAX);
        indices(c, w, bytes != 0 ? count : 0, bytes, level);
        lull_cff_hex(c, lull_cff_part(w, 0, size < w.n ? (uint32_t)size : w.n), level + 1);
    }
    if (count > 0) {
        end(c, false, level);
    }
}
