// SPDX-License-Identifier: MIT
// What a packet does, by its name.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/cffdump/script.h"
#include "adreno/cffdump/walk.h"
#include "hw/adreno_chip.h"
#include "hw/adreno_pkts.h"

enum { MESG = 0x4d455347, BEGN = 0x4245474e, END = 0x454e4400 };

uint32_t lull_cff_word(const struct lull_cff *c, struct lull_cff_words w, uint32_t at)
{
    if (at < w.n) {
        return w.words[at];
    }
    const struct lull_cff_words m = lull_cff_memory(c, w.nowhere ? 0 : w.address + at * 4ull, 1);
    return m.n > 0 ? m.words[0] : 0;
}

uint64_t lull_cff_pair(const struct lull_cff *c, struct lull_cff_words w, uint32_t at)
{
    return lull_cff_word(c, w, at) | (uint64_t)lull_cff_word(c, w, at + 1) << 32;
}

struct lull_apkt_args lull_cff_args(const struct lull_cff *c, struct lull_cff_words body)
{
    enum { BEYOND = 8 };
    const struct lull_cff_words m = body.nowhere
                                        ? (struct lull_cff_words){0}
                                        : lull_cff_memory(c, body.address, body.n + BEYOND);
    const bool more = m.n > body.n;
    return (struct lull_apkt_args){.words = more ? m.words : body.words,
                                   .n = body.n,
                                   .there = more ? m.n : body.n,
                                   .gen = c->gen};
}

/** A value without fields, as the only one of a set. */
static void single(struct lull_cff *c, const struct lull_dom_hit *hit, uint64_t value)
{
    struct lull_str *s = &c->text;
    const char *const *colors = c->dom.colors;
    const char *color = colors != NULL ? colors[LULL_DOM_COLOR_NAME] : "";
    const char *reset = colors != NULL ? colors[LULL_DOM_COLOR_RESET] : "";
    lull_str_add(s, "{ ", 2);
    lull_str_add(s, color, strlen(color));
    lull_dom_name_in(colors, hit, s); // in its colour once more, as in Mesa
    lull_str_add(s, reset, strlen(reset));
    lull_str_add(s, " = ", 3);
    lull_dom_show(&lull_dom_adreno, &c->dom, hit->reg, value, s);
    lull_str_add(s, " }", 2);
}

void lull_cff_fields(struct lull_cff *c, const struct lull_dom *d, struct lull_cff_words w,
                     unsigned level)
{
    const char *tabs = lull_cff_tabs(level);
    if (c->o.script != NULL && c->err == NULL) {
        c->err = lull_cff_script_packet(c->o.script, d, w.words, w.n);
    }
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
            single(c, &hit, value);
        }
        lull_cff_text(c, 2, "\n", 1);
    }
}

void lull_cff_domain(struct lull_cff *c, unsigned domain, struct lull_cff_words w, unsigned level)
{
    lull_cff_fields(c, &lull_dom_adreno.domains[domain], w, level);
}

bool lull_cff_seen(struct lull_cff *c, uint64_t address, unsigned mask)
{
    struct lull_cff_bo *bo = (struct lull_cff_bo *)lull_cff_bo_at(c, address);
    if (bo == NULL || bo->data == NULL) {
        return false;
    }
    struct lull_cff_seen *s = bo->seen;
    while (s != NULL && s->offset != address - bo->address) {
        s = s->next;
    }
    if (s == NULL) {
        s = calloc(1, sizeof *s);
        if (s == NULL) {
            return false;
        }
        *s = (struct lull_cff_seen){bo->seen, address - bo->address, 0};
        bo->seen = s;
    }
    const bool seen = (s->mask & mask) == mask;
    s->mask |= mask;
    return seen;
}

static void marker(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    const struct lull_apkt_args a = lull_cff_args(c, body);
    const uint32_t value = lull_mesa_cp_set_marker__mode(&a);
    (void)level;
    c->render_mode = lull_cff_enum(c, LULL_ADRENO_ENUM_a6xx_marker, value);
    if (c->render_mode == NULL) {
        (void)snprintf(c->unknown_mode, sizeof c->unknown_mode, "0x%x", value);
        c->render_mode = c->unknown_mode;
    }
}

static void render_mode(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    enum { MODE_DUMP = 64 };
    c->render_mode = lull_cff_enum(c, LULL_ADRENO_ENUM_render_mode_cmd, lull_cff_word(c, body, 0));
    if (body.n != 1 && !lull_cff_quiet(c, 3)) {
        lull_cff_hex(c, lull_cff_memory(c, lull_cff_pair(c, body, 1), MODE_DUMP), level + 2);
    }
}

static void bin(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    (void)level;
    lull_cff_set_bin(c, (const uint32_t[]){lull_cff_word(c, body, 1), lull_cff_word(c, body, 2)});
}

/** Text up to its NUL, without what is not ASCII. */
static void nop_text(struct lull_cff *c, struct lull_cff_words text)
{
    for (uint32_t i = 0; i < text.n * 4; i++) {
        const char byte = (char)(text.words[i / 4] >> i % 4 * 8 & 0xff);
        if (byte == '\0') {
            break;
        }
        if ((byte & 0x80) == 0) {
            lull_str_add(&c->text, &byte, 1);
        }
    }
    lull_cff_text(c, 3, "\n", 1);
}

static void nop(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    (void)level;
    const uint32_t first = lull_cff_word(c, body, 0);
    if (lull_cff_quiet(c, 3)) {
        return;
    }
    if (first != MESG && first != BEGN && first != END) {
        if (c->o.markers) {
            nop_text(c, body);
        }
        return;
    }
    if (first == MESG) {
        lull_cff_say(c, 3, "### ");
    } else {
        lull_cff_say(c, 3, "%s #%d: ", first == BEGN ? ">>>" : "<<<",
                     first == BEGN ? ++c->scope : c->scope--);
    }
    if (body.n > 1) {
        nop_text(c, lull_cff_part(body, 1, UINT32_MAX));
    }
}

/** Registers and values in turn; shown even in summaries. */
static void bunch(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    const bool unfolded = c->unfolded;
    struct lull_cff_acc a = {0};
    c->unfolded = true;
    for (uint32_t i = 0; i < body.n; i += 2) {
        lull_cff_show_and_set(c, &a, body.words[i], lull_cff_word(c, body, i + 1), level + 1);
    }
    c->unfolded = unfolded;
}

static void bunch2(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    bunch(c, lull_cff_part(body, 2, UINT32_MAX), level);
}

static void reg_write(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    const struct lull_apkt_args p = lull_cff_args(c, body);
    struct lull_cff_acc a = {0};
    lull_cff_show_and_set(c, &a, lull_mesa_cp_reg_write__reg(&p), lull_mesa_cp_reg_write__value(&p),
                          level + 1);
}

static void wide_reg_write(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    const struct lull_apkt_args p = lull_cff_args(c, body);
    struct lull_cff_acc a = {0};
    const uint32_t reg = lull_mesa_cp_wide_reg_write__reg(&p);
    for (uint32_t i = 1; i < body.n; i++) {
        lull_cff_show_and_set(c, &a, reg + i - 1, body.words[i], level + 1);
    }
}

static void mem_write(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    const bool wide = c->gen >= 5;
    const struct lull_cff_words data = lull_cff_part(body, wide ? 2 : 1, UINT32_MAX);
    if (lull_cff_quiet(c, 2)) {
        return;
    }
    if (!wide) {
        lull_cff_say(c, 2, "%sgpuaddr:%08x\n", lull_cff_tabs(level), lull_cff_word(c, body, 0));
        lull_cff_floats(c, 2, data, level + 1);
        return;
    }
    lull_cff_say(c, 2, "%sgpuaddr:%016" PRIx64 "\n", lull_cff_tabs(level),
                 lull_cff_pair(c, body, 0));
    lull_cff_hex(c, data, level + 1);
}

static void reg_name(struct lull_cff *c, uint32_t reg, struct lull_str *out)
{
    const struct lull_dom_hit hit = lull_dom_lookup(c->index, reg);
    lull_cff_name(c->dom.colors, &hit, reg, out);
}

static void rmw(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    const struct lull_apkt_args p = lull_cff_args(c, body);
    const uint32_t reg = lull_mesa_cp_reg_rmw__reg(&p);
    const uint32_t and_with = lull_cff_word(c, body, 1), or_with = lull_cff_word(c, body, 2);
    struct lull_str name = {0};
    reg_name(c, reg, &name);
    lull_cff_say(c, 3, "%srmw (%s & 0x%08x) | 0x%08x)\n", lull_cff_tabs(level),
                 lull_str_text(&name), and_with, or_with);
    if (c->needs_wfi) {
        lull_cff_say(c, 2, "NEEDS WFI: rmw (%s & 0x%08x) | 0x%08x)\n", lull_str_text(&name),
                     and_with, or_with);
    }
    lull_str_free(&name);
    lull_cff_set(c, reg, (c->vals[reg] & and_with) | or_with);
}

/** Packets between a register and memory. */
static void reg_and_mem(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    const struct lull_apkt_args p = lull_cff_args(c, body);
    const uint64_t address = lull_mesa_cp_reg_to_mem__addr(&p);
    const uint32_t count = lull_mesa_cp_reg_to_mem__cnt(&p);
    struct lull_str name = {0};
    reg_name(c, lull_mesa_cp_reg_to_mem__reg(&p), &name);
    lull_cff_say(c, 3, "%sbase register: %s\n", lull_cff_tabs(level), lull_str_text(&name));
    lull_cff_say(c, 2, "%sgpuaddr:%016" PRIx64 "\n", lull_cff_tabs(level), address);
    lull_str_free(&name);
    lull_cff_hex(c, lull_cff_memory(c, address, count), level + 1);
}

static void wait_for_idle(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    (void)body;
    (void)level;
    c->needs_wfi = false;
}

static void thread_control(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    const struct lull_apkt_args a = lull_cff_args(c, body);
    (void)level;
    c->thread = lull_cff_enum(c, LULL_ADRENO_ENUM_cp_thread, lull_cp_thread_control__thread(&a));
}

static void skip_global(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    (void)level;
    c->skip_global = lull_cff_word(c, body, 0) != 0;
}

static void skip_local(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    (void)level;
    c->skip_local = lull_cff_word(c, body, 0) != 0;
}

/** Packets by name; what is not here has fields at most. */
static const struct {
    const char *name;
    void (*run)(struct lull_cff *c, struct lull_cff_words body, unsigned level);
} rows[] = {
    {"CP_NOP", nop},
    {"CP_WAIT_FOR_IDLE", wait_for_idle},
    {"CP_REG_RMW", rmw},
    {"CP_REG_TO_MEM", reg_and_mem},
    {"CP_MEM_TO_REG", reg_and_mem},
    {"CP_MEM_WRITE", mem_write},
    {"CP_EVENT_WRITE", lull_cff_event},
    {"CP_EVENT_WRITE7", lull_cff_event},
    {"CP_RUN_OPENCL", lull_cff_run_opencl},
    {"CP_DRAW_INDX", lull_cff_draw_indx},
    {"CP_DRAW_INDX_2", lull_cff_draw_indx_2},
    {"CP_DRAW_INDX_OFFSET", lull_cff_draw_indx_offset},
    {"CP_DRAW_INDIRECT", lull_cff_draw_indirect},
    {"CP_DRAW_INDX_INDIRECT", lull_cff_draw_indx_indirect},
    {"CP_DRAW_INDIRECT_MULTI", lull_cff_draw_indirect_multi},
    {"CP_DRAW_AUTO", lull_cff_draw_auto},
    {"CP_EXEC_CS", lull_cff_exec_cs},
    {"CP_EXEC_CS_INDIRECT", lull_cff_exec_cs_indirect},
    {"CP_BLIT", lull_cff_blit},
    {"CP_SET_CONSTANT", lull_cff_set_constant},
    {"CP_IM_LOAD_IMMEDIATE", lull_cff_im_load},
    {"CP_WIDE_REG_WRITE", wide_reg_write},
    {"CP_LOAD_STATE", lull_cff_load_state},
    {"CP_LOAD_STATE4", lull_cff_load_state},
    {"CP_LOAD_STATE6", lull_cff_load_state},
    {"CP_LOAD_STATE6_GEOM", lull_cff_load_state},
    {"CP_LOAD_STATE6_FRAG", lull_cff_load_state},
    {"CP_SET_BIN", bin},
    {"CP_SET_RENDER_MODE", render_mode},
    {"CP_CONTEXT_REG_BUNCH", bunch},
    {"CP_CONTEXT_REG_BUNCH2", bunch2},
    {"CP_SKIP_IB2_ENABLE_GLOBAL", skip_global},
    {"CP_SKIP_IB2_ENABLE_LOCAL", skip_local},
    {"CP_SET_MARKER", marker},
    {"CP_REG_WRITE", reg_write},
    {"CP_THREAD_CONTROL", thread_control},
};

void lull_cff_set_ops(struct lull_cff *c)
{
    for (unsigned i = 0; i < LULL_CFF_OPS; i++) {
        struct lull_cff_op *op = &c->ops[i];
        *op = (struct lull_cff_op){
            .name = lull_cff_enum(c, LULL_ADRENO_ENUM_adreno_pm4_type3_packets, i),
        };
        op->dom = lull_adreno_packet(op->name);
        for (size_t j = 0; op->name != NULL && j < sizeof rows / sizeof rows[0]; j++) {
            if (strcmp(op->name, rows[j].name) == 0) {
                op->run = rows[j].run;
            }
        }
    }
}
