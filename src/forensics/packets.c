// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/adreno_pm4.h"
#include "forensics/walk.h"

enum { MESG = 0x4d455347, BEGN = 0x4245474e, END = 0x454e4400, INDIRECT_DWORDS = 16 };
enum { MOST_DRAWS = 0x10000, SOME_DRAWS = 0x100 };
enum { DIRTY = 1, DISABLE = 2, DISABLE_ALL = 4, LOAD_IMMED = 8 };
enum { BINNING = 1, GMEM = 2, SYSMEM = 4, ALL_MODES = 7 };

static const struct lull_dom *domain_of(const char *name)
{
    for (unsigned i = 0; i < lull_dom_adreno.ndomains; i++) {
        if (strcmp(lull_dom_adreno.domains[i].name, name) == 0) {
            return &lull_dom_adreno.domains[i];
        }
    }
    return NULL;
}

/** Fields dword by dword, a 64-bit one as a whole. */
static void show_domain(struct lull_cff *c, const struct lull_dom *d, struct lull_cff_words w,
                        unsigned level)
{
    const char *tabs = lull_cff_tabs(level);
    if (lull_cff_quiet(c, 2)) {
        return;
    }
    for (uint32_t i = 0; i < w.n; i++) {
        const struct lull_dom_hit hit = lull_dom_at(&lull_dom_adreno, &c->dom, d, i);
        struct lull_str *s = &c->text; // right into the output
        uint64_t value = w.words[i];
        if (hit.reg == NULL) {
            break;
        }
        if (hit.reg->width == 64 && i + 1 < w.n) {
            value |= (uint64_t)w.words[++i] << 32;
        }
        lull_str_add(s, tabs, strlen(tabs));
        if (hit.reg->kind == LULL_DOM_FIELDS || hit.reg->kind == LULL_DOM_BITSET) {
            lull_dom_show(&lull_dom_adreno, &c->dom, hit.reg, value, s);
        } else {
            lull_str_add(s, "{ ", 2);
            lull_str_add(s, hit.reg->name, strlen(hit.reg->name));
            lull_str_add(s, " = ", 3);
            lull_dom_show(&lull_dom_adreno, &c->dom, hit.reg, value, s);
            lull_str_add(s, " }", 2);
        }
        lull_cff_text(c, 2, "\n", 1);
    }
}

bool lull_cff_fields(struct lull_cff *c, const char *name, struct lull_cff_words body,
                     unsigned level)
{
    if (strncmp(name, "CP_LOAD_STATE6_", 15) == 0) {
        name = "CP_LOAD_STATE6";
    }
    const struct lull_dom *d = domain_of(name);
    if (d != NULL) {
        show_domain(c, d, body, level);
    }
    return d != NULL;
}

void lull_cff_domain(struct lull_cff *c, unsigned domain, struct lull_cff_words w, unsigned level)
{
    show_domain(c, &lull_dom_adreno.domains[domain], w, level);
}

static uint64_t address_at(const struct lull_cff *c, struct lull_cff_words body, uint32_t at)
{
    const uint64_t lo = at < body.n ? body.words[at] : 0;
    return c->gen >= 5 && at + 1 < body.n ? lo | (uint64_t)body.words[at + 1] << 32 : lo;
}

static void indirect_buffer(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    const uint32_t address_dwords = c->gen >= 5 ? 2 : 1;
    if (body.n < address_dwords + 1) {
        return;
    }
    const uint64_t address = address_at(c, body, 0);
    const uint32_t n = body.words[address_dwords];
    lull_cff_say(c, 3, c->gen >= 5 ? "%sibaddr:%016" PRIx64 "\n" : "%sibaddr:%08" PRIx64 "\n",
                 lull_cff_tabs(level), address);
    lull_cff_say(c, 3, "%sibsize:%08x\n", lull_cff_tabs(level), n);
    struct lull_cff_bo *bo = (struct lull_cff_bo *)lull_cff_bo_at(c, address);
    const struct lull_cff_words w = lull_cff_memory(c, address, n);
    for (struct lull_cff_seen *s = bo != NULL && c->o.once ? bo->seen : NULL; s != NULL;
         s = s->next) {
        if (s->offset == address - bo->address && (s->mask & c->enable_mask) == c->enable_mask) {
            return;
        }
    }
    struct lull_cff_seen *seen = bo != NULL ? calloc(1, sizeof *seen) : NULL;
    if (seen != NULL) {
        *seen = (struct lull_cff_seen){bo->seen, address - bo->address, c->enable_mask};
        bo->seen = seen;
    }
    if (w.n == 0 && n != 0) {
        fprintf(c->log, "could not find: %" PRIx64 " (%u)\n", address, n);
        return;
    }
    // The GPU is behind the call while it is in the buffer: what it hangs in is not the caller.
    lull_cff_reached(c, body.address + (address_dwords + 1) * 4ull);
    lull_cff_commands(c, w, level);
}

static void load_group(struct lull_cff *c, unsigned i, unsigned level)
{
    const struct lull_cff_group g = c->groups[i];
    if (g.count == 0) {
        return;
    }
    const char *tabs = lull_cff_tabs(level);
    lull_cff_say(c, 2, "%sgroup_id: %u\n", tabs, i);
    lull_cff_say(c, 2, "%scount: %u\n", tabs, g.count);
    lull_cff_say(c, 2, "%saddr: %016" PRIx64 "\n", tabs, g.address);
    lull_cff_say(c, 2, "%sflags: %x\n", tabs, g.flags);
    if (c->gen >= 6) {
        lull_cff_say(c, 2, "%senable_mask: 0x%x\n", tabs, g.mask);
        if ((g.mask & c->enable_mask) == 0) {
            lull_cff_say(c, 2, "%s\tskipped!\n\n", tabs);
            return;
        }
    }
    const struct lull_cff_words w = lull_cff_memory(c, g.address, g.count);
    if (w.n > 0) {
        lull_cff_hex(c, w, level + 1);
        lull_cff_commands(c, w, level + 1);
    }
}

static void load_groups(struct lull_cff *c, unsigned level)
{
    if (c->in_groups) {
        lull_cff_say(c, 0,
                     "ERROR: nothing in draw state should trigger recursively loading "
                     "groups!\n");
        return;
    }
    c->in_groups = true;
    for (unsigned i = 0; i < LULL_CFF_GROUPS; i++) {
        load_group(c, i, level);
    }
    c->in_groups = false;
    memset(c->groups, 0, sizeof c->groups); // only what is new shows at the next draw
}

static void set_draw_state(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    const uint32_t step = c->gen >= 5 ? 3 : 2;
    for (uint32_t i = 0; i + step <= body.n; i += step) {
        const uint32_t head = body.words[i];
        const unsigned id = head >> 24 & 31, flags = head >> 16 & 15;
        struct lull_cff_group *g = &c->groups[id];
        if ((flags & DISABLE_ALL) != 0) {
            memset(c->groups, 0, sizeof c->groups);
            continue;
        }
        if ((flags & DISABLE) != 0) {
            *g = (struct lull_cff_group){0};
            continue;
        }
        *g = (struct lull_cff_group){
            .address = address_at(c, body, i + 1),
            .count = head & 0xffff,
            .flags = flags,
            .mask = head >> 20 & 15,
        };
        if ((flags & LOAD_IMMED) != 0) {
            load_group(c, id, level);
            *g = (struct lull_cff_group){0};
        }
    }
}

static void mode(struct lull_cff *c, unsigned level)
{
    if (c->gen >= 5) {
        lull_cff_say(c, 2, "%smode: %s%s%s\n", lull_cff_tabs(level),
                     c->render_mode != NULL ? c->render_mode : "(null)",
                     c->thread != NULL ? ":" : "", c->thread != NULL ? c->thread : "");
        lull_cff_say(c, 2, "%sskip_ib2: g=%d, l=%d\n", lull_cff_tabs(level), c->skip_global,
                     c->skip_local);
    }
}

static uint32_t word(struct lull_cff_words body, uint32_t at)
{
    return at < body.n ? body.words[at] : 0;
}

static void indirect_multi(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    const uint32_t opcode = body.n > 1 ? body.words[1] & 15 : 0;
    const char *kind = lull_cff_enum(c, LULL_ADRENO_ENUM_a6xx_draw_indirect_opcode, opcode);
    const bool indexed = kind != NULL && strstr(kind, "INDEXED") != NULL;
    const bool counted = kind != NULL && strstr(kind, "COUNT") != NULL;
    const uint32_t at = indexed ? 6 : 3;
    uint32_t count = word(body, 2), stride_at = at + 2, most = UINT32_MAX;
    if (counted) {
        // A count that cannot be true is not believed: then no more than a few draws are shown.
        const struct lull_cff_words w = lull_cff_memory(c, address_at(c, body, at + 2), 1);
        const uint32_t said = word(w, 0);
        stride_at = at + 4;
        most = said == 0 || said > MOST_DRAWS ? SOME_DRAWS : said;
        if (w.n == 1) {
            lull_cff_say(c, 2, "%sindirect count: %u\n", lull_cff_tabs(level), said);
        }
    }
    count = count < most ? count : most;
    const uint64_t base = address_at(c, body, at);
    const uint32_t stride = stride_at < body.n ? body.words[stride_at] : 0;
    for (uint32_t i = 0; i < count && lull_cff_work(c, 1); i++) {
        const struct lull_cff_words w =
            lull_cff_memory(c, base + (uint64_t)i * stride, INDIRECT_DWORDS);
        if (w.n == 0) {
            break;
        }
        lull_cff_say(c, 2, "%sdraw %u:\n", lull_cff_tabs(level), i);
        lull_cff_hex(c, w, level + 1);
    }
}

static void marker(struct lull_cff *c, struct lull_cff_words body)
{
    const uint32_t value = word(body, 0);
    if ((value & 0x100) != 0) {
        return;
    }
    const char *name = lull_cff_enum(c, LULL_ADRENO_ENUM_a6xx_marker, value & 15);
    c->render_mode = name;
    if (name == NULL) {
        (void)snprintf(c->unknown_mode, sizeof c->unknown_mode, "0x%x", value & 15);
        c->render_mode = c->unknown_mode;
        return;
    }
    if (strcmp(name, "RM6_BIN_VISIBILITY") == 0) {
        c->enable_mask = BINNING;
    } else if (strcmp(name, "RM6_BIN_RENDER_START") == 0) {
        c->enable_mask = GMEM;
    } else if (strcmp(name, "RM6_DIRECT_RENDER") == 0) {
        c->enable_mask = SYSMEM;
    }
}

static void nop_text(struct lull_cff *c, struct lull_cff_words body)
{
    const uint32_t first = body.n > 0 ? body.words[0] : 0;
    if (first != MESG && first != BEGN && first != END) {
        return;
    }
    char text[512] = "";
    const size_t size = (body.n - 1) * 4ull;
    memcpy(text, body.words + 1, size < sizeof text - 1 ? size : sizeof text - 1);
    if (first == MESG) {
        lull_cff_say(c, 3, "### %s\n", text);
    } else {
        lull_cff_say(c, 3, "%s #%d: %s\n", first == BEGN ? ">>>" : "<<<",
                     first == BEGN ? ++c->scope : c->scope--, text);
    }
}

static void event(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    const char *name =
        lull_cff_enum(c, LULL_ADRENO_ENUM_vgt_event_type, body.n > 0 ? body.words[0] & 0xff : 0);
    lull_cff_say(c, 2, "%sevent %s\n", lull_cff_tabs(level), name != NULL ? name : "(null)");
    if (c->gen > 5 && name != NULL &&
        (strcmp(name, "BLIT") == 0 || strcmp(name, "LRZ_CLEAR") == 0)) {
        char what[64] = "";
        (void)snprintf(what, sizeof what, "EVENT:%s", name);
        lull_cff_query(c, what, 0);
        mode(c, level);
        lull_cff_summary(c, level);
    }
}

static void bunch(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    const bool unfolded = c->unfolded;
    c->unfolded = true; // even in summaries
    for (uint32_t i = 0; i + 1 < body.n; i += 2) {
        const struct lull_dom_hit hit = lull_dom_lookup(c->index, body.words[i]);
        if (hit.reg != NULL && hit.reg->width == 64 && hit.dword == 0 && i + 3 < body.n) {
            const uint32_t pair[] = {body.words[i + 1], body.words[i + 3]};
            lull_cff_write(c, body.words[i], pair, 2, level + 1);
            i += 2;
        } else {
            lull_cff_write(c, body.words[i], &body.words[i + 1], 1, level + 1);
        }
    }
    c->unfolded = unfolded;
}

static void reg_write(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    if (body.n >= 3) {
        lull_cff_write(c, body.words[1] & 0x3ffff, &body.words[2], 1, level + 1);
    }
}

/** Parameters of an indirect draw or dispatch, in memory. */
static void parameters(struct lull_cff *c, uint64_t address, unsigned level)
{
    lull_cff_hex(c, lull_cff_memory(c, address & UINT64_C(0x1ffffffffffff), INDIRECT_DWORDS),
                 level + 1);
}

static void draw_packet(struct lull_cff *c, uint32_t opcode, struct lull_cff_words body,
                        unsigned level)
{
    const char *prim = lull_cff_enum(c, LULL_ADRENO_ENUM_pc_di_primtype, word(body, 0) & 0x1f);
    const bool offset = opcode == LULL_PKT_CP_DRAW_INDX_OFFSET;
    lull_cff_query(c, prim, offset ? word(body, 2) : 0);
    mode(c, level);
    if (opcode == LULL_PKT_CP_DRAW_INDIRECT_MULTI) {
        indirect_multi(c, body, level);
    } else if (opcode == LULL_PKT_CP_DRAW_INDIRECT) {
        parameters(c, address_at(c, body, 1), level);
    } else if (opcode == LULL_PKT_CP_DRAW_INDX_INDIRECT) {
        parameters(c, address_at(c, body, 1), level);
        parameters(c, address_at(c, body, c->gen >= 5 ? 4 : 3), level);
    }
    if (!offset || word(body, 2) > 0) {
        lull_cff_summary(c, level);
    }
}

static void dispatch(struct lull_cff *c, uint32_t opcode, struct lull_cff_words body,
                     unsigned level)
{
    if (opcode == LULL_PKT_CP_EXEC_CS_INDIRECT) {
        const uint64_t address = address_at(c, body, 1) & UINT64_C(0x1ffffffffffff);
        lull_cff_say(c, 3, "%saddr: %016" PRIx64 "\n", lull_cff_tabs(level), address);
        parameters(c, address, level);
    }
    lull_cff_query(c, "compute", 0);
    lull_cff_summary(c, level);
}

static void mem_write(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    const bool wide = c->gen >= 5;
    const struct lull_cff_words data = lull_cff_part(body, wide ? 2 : 1, UINT32_MAX);
    if (lull_cff_quiet(c, 2)) {
        return;
    }
    lull_cff_say(c, 2, wide ? "%sgpuaddr:%016" PRIx64 "\n" : "%sgpuaddr:%08" PRIx64 "\n",
                 lull_cff_tabs(level), address_at(c, body, 0));
    if (!wide) {
        lull_cff_floats(c, data, level + 1);
        return;
    }
    lull_cff_hex(c, data, level + 1);
    if (data.n > 0 && lull_apkt_header(c->gen, data.words[0]).type != LULL_APKT_BAD) {
        lull_cff_inline(c, data, level + 1);
    }
}

static void rmw(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    if (body.n < 3) {
        return;
    }
    const uint32_t reg = body.words[0] & (c->gen >= 5 ? 0x3ffff : 0x7fff);
    const struct lull_dom_hit hit = lull_dom_lookup(c->index, reg);
    struct lull_str name = {0};
    lull_cff_reg_name(&hit, reg, &name);
    lull_cff_say(c, 3, "%srmw (%s & 0x%08x) | 0x%08x)\n", lull_cff_tabs(level),
                 lull_str_text(&name), body.words[1], body.words[2]);
    if (c->needs_wfi) {
        lull_cff_say(c, 2, "NEEDS WFI: rmw (%s & 0x%08x) | 0x%08x)\n", lull_str_text(&name),
                     body.words[1], body.words[2]);
    }
    lull_str_free(&name);
    lull_cff_set(c, reg, (c->vals[reg] & body.words[1]) | body.words[2]);
}

/** Indices of @p bytes bytes each, and their dump. */
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
    lull_cff_hex(c, lull_cff_part(w, 0, (uint32_t)((uint64_t)n * bytes / 4)), level + 1);
}

/** Draws of a2xx to a4xx that say what they draw. */
static void draw_indx(struct lull_cff *c, uint32_t opcode, struct lull_cff_words body,
                      unsigned level)
{
    static const uint8_t sizes[] = {2, 4, 1, 0};
    const char *tabs = lull_cff_tabs(level);
    const uint32_t what = word(body, 1), count = word(body, 2);
    const uint32_t prim = what & 0x3f, source = what >> 6 & 3;
    const uint32_t bytes = sizes[(what >> 11 & 1) | (what >> 12 & 2)];
    const char *name = lull_cff_enum(c, LULL_ADRENO_ENUM_pc_di_primtype, prim);
    const char *from = lull_cff_enum(c, LULL_ADRENO_ENUM_pc_di_src_sel, source);
    lull_cff_query(c, name, count);
    lull_cff_say(c, 2, "%sdraw:          %u\n", tabs, c->draws_in[c->depth]++);
    lull_cff_say(c, 2, "%sprim_type:     %s (%u)\n", tabs, name != NULL ? name : "(null)", prim);
    lull_cff_say(c, 2, "%ssource_select: %s (%u)\n", tabs, from != NULL ? from : "(null)", source);
    lull_cff_say(c, 2, "%snum_indices:   %u\n", tabs, count);
    if (opcode == LULL_PKT_CP_DRAW_INDX && body.n == 5) {
        const uint32_t size = word(body, 4);
        const struct lull_cff_words w = lull_cff_memory(c, word(body, 3), size / 4 + 1);
        lull_cff_say(c, 2, "%sgpuaddr:       %08x\n", tabs, word(body, 3));
        lull_cff_say(c, 2, "%sidx_size:      %u\n", tabs, size);
        if (w.n > 0 && !lull_cff_quiet(c, 2)) {
            indices(c, w, bytes != 0 ? size / bytes : 0, bytes, level);
        }
    } else if (opcode == LULL_PKT_CP_DRAW_INDX_2 && !lull_cff_quiet(c, 2)) {
        indices(c, lull_cff_part(body, 3, UINT32_MAX), bytes != 0 ? count : 0, bytes, level);
    }
    if (count > 0) {
        lull_cff_summary(c, level);
    }
    c->needs_wfi |= opcode == LULL_PKT_CP_DRAW_INDX;
}

/** Packets between a register and memory: both in words. */
static void reg_and_mem(struct lull_cff *c, struct lull_cff_words body, unsigned level, bool dump)
{
    const uint32_t reg = body.n > 0 ? body.words[0] & (c->gen >= 5 ? 0x3ffff : 0x7fff) : 0;
    const struct lull_dom_hit hit = lull_dom_lookup(c->index, reg);
    struct lull_str name = {0};
    lull_cff_reg_name(&hit, reg, &name);
    if (hit.reg != NULL) {
        lull_cff_say(c, 3, "%sbase register: %s\n", lull_cff_tabs(level), lull_str_text(&name));
    }
    lull_cff_say(c, 2, c->gen >= 5 ? "%sgpuaddr:%016" PRIx64 "\n" : "%sgpuaddr:%08" PRIx64 "\n",
                 lull_cff_tabs(level), address_at(c, body, 1));
    lull_str_free(&name);
    if (dump) {
        const uint32_t count = body.n > 0 ? body.words[0] >> 18 & 0xfff : 0;
        lull_cff_hex(c, lull_cff_memory(c, address_at(c, body, 1), count), level + 1);
    }
}

void lull_cff_before(struct lull_cff *c, uint32_t opcode, unsigned level)
{
    switch (opcode) {
    case LULL_PKT_CP_DRAW_INDX_2: // a6xx: LOAD_STATE6
        if (c->gen >= 5) {
            break;
        }
        load_groups(c, level);
        break;
    case LULL_PKT_CP_DRAW_INDX:
    case LULL_PKT_CP_DRAW_INDX_OFFSET:
    case LULL_PKT_CP_DRAW_INDIRECT:
    case LULL_PKT_CP_DRAW_INDX_INDIRECT:
    case LULL_PKT_CP_DRAW_INDIRECT_MULTI:
    case LULL_PKT_CP_DRAW_AUTO:
    case LULL_PKT_CP_EXEC_CS:
    case LULL_PKT_CP_EXEC_CS_INDIRECT:
        load_groups(c, level);
        break;
    default:
        break;
    }
}

/** Packets that draw, copy or compute; false: it does not. */
static bool drawing(struct lull_cff *c, uint32_t opcode, struct lull_cff_words body, unsigned level)
{
    if (c->gen < 5 && (opcode == LULL_PKT_CP_DRAW_INDX || opcode == LULL_PKT_CP_DRAW_INDX_2)) {
        draw_indx(c, opcode, body, level);
        return true;
    }
    switch (opcode) {
    case LULL_PKT_CP_DRAW_INDX:
    case LULL_PKT_CP_DRAW_INDX_OFFSET:
    case LULL_PKT_CP_DRAW_INDIRECT:
    case LULL_PKT_CP_DRAW_INDX_INDIRECT:
    case LULL_PKT_CP_DRAW_INDIRECT_MULTI:
    case LULL_PKT_CP_DRAW_AUTO:
        draw_packet(c, opcode, body, level);
        break;
    case LULL_PKT_CP_EXEC_CS:
    case LULL_PKT_CP_EXEC_CS_INDIRECT:
        dispatch(c, opcode, body, level);
        break;
    case LULL_PKT_CP_BLIT:
        if (c->gen >= 5) { // a2xx: CP_IM_STORE
            lull_cff_query(c, lull_cff_enum(c, LULL_ADRENO_ENUM_cp_blit_cmd, word(body, 0)), 0);
            mode(c, level);
            lull_cff_summary(c, level);
        }
        break;
    case LULL_PKT_CP_RUN_OPENCL:
        lull_cff_query(c, "COMPUTE", 1);
        lull_cff_summary(c, level);
        break;
    default:
        return false;
    }
    return true;
}

void lull_cff_packet(struct lull_cff *c, uint32_t opcode, struct lull_cff_words body,
                     unsigned level)
{
    if (drawing(c, opcode, body, level) || lull_cff_bins(c, opcode, body, level)) {
        return;
    }
    switch (opcode) {
    case LULL_PKT_CP_WAIT_FOR_IDLE:
        c->needs_wfi = false;
        break;
    case LULL_PKT_CP_REG_RMW:
        rmw(c, body, level);
        break;
    case LULL_PKT_CP_LOAD_STATE:
        lull_cff_load_state(c, body, level + 1);
        break;
    case LULL_PKT_CP_NOP:
        nop_text(c, body);
        break;
    case LULL_PKT_CP_INDIRECT_BUFFER:
    case LULL_PKT_CP_INDIRECT_BUFFER_PFD:
        indirect_buffer(c, body, level);
        break;
    case LULL_PKT_CP_SET_DRAW_STATE:
        set_draw_state(c, body, level);
        break;
    case LULL_PKT_CP_EVENT_WRITE:
        event(c, body, level);
        break;
    case LULL_PKT_CP_SET_MARKER:
        if (c->gen >= 6) {
            marker(c, body);
        }
        break;
    case LULL_PKT_CP_REG_TO_MEM:
        reg_and_mem(c, body, level, true);
        break;
    case LULL_PKT_CP_MEM_TO_REG:
        reg_and_mem(c, body, level, false);
        break;
    case LULL_PKT_CP_MEM_WRITE:
        mem_write(c, body, level);
        break;
    case LULL_PKT_CP_THREAD_CONTROL:
        if (c->gen >= 7) {
            c->thread =
                lull_cff_enum(c, LULL_ADRENO_ENUM_cp_thread, body.n > 0 ? body.words[0] & 3 : 0);
        }
        break;
    case LULL_PKT_CP_SKIP_IB2_ENABLE_GLOBAL:
        c->skip_global = body.n > 0 && body.words[0] != 0;
        break;
    case LULL_PKT_CP_SKIP_IB2_ENABLE_LOCAL:
        c->skip_local = body.n > 0 && body.words[0] != 0;
        break;
    case LULL_PKT_CP_CONTEXT_REG_BUNCH:
        bunch(c, body, level);
        break;
    case LULL_PKT_CP_CONTEXT_REG_BUNCH2:
        if (c->gen >= 7) {
            bunch(c, lull_cff_part(body, 2, UINT32_MAX), level);
        }
        break;
    case LULL_PKT_CP_REG_WRITE:
        reg_write(c, body, level);
        break;
    case LULL_PKT_CP_LOAD_STATE6_GEOM:
    case LULL_PKT_CP_LOAD_STATE6_FRAG:
    case LULL_PKT_CP_LOAD_STATE6:
        lull_cff_load_state(c, body, level + 1);
        break;
    default:
        break;
    }
}
