// SPDX-License-Identifier: MIT
#include "adreno/show/packet.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/show/walk.h"
#include "adreno/show/words.h"

_Static_assert((int)LULL_PACKET_WORDS_REGS == (int)LULL_CAP_REGS, "addresses of registers");

/** Of a walk through a capture what it knows of the chip. */
struct lull_packet_words {
    struct lull_cap cap;
};

struct lull_error *lull_packet_words_new(unsigned gen, struct lull_packet_words **ret)
{
    struct lull_packet_words *w = calloc(1, sizeof *w);
    struct lull_error *err = w == NULL ? &lull_enomem : lull_cap_set_gpu(&w->cap, gen);
    if (err != NULL) {
        lull_packet_words_free(w);
        return err;
    }
    *ret = w;
    return NULL;
}

void lull_packet_words_free(struct lull_packet_words *w)
{
    if (w != NULL) {
        lull_cap_drop_buffers(&w->cap);
        free(w->cap.buffers);
        lull_dom_index_free(w->cap.index);
        free(w);
    }
}

struct lull_error *lull_packet_words_buffer(struct lull_packet_words *w, uint64_t address,
                                            uint64_t size)
{
    const struct lull_rd_range r = {.address = address,
                                    .size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX};
    return lull_cap_add_buffer(&w->cap, &r);
}

void lull_packet_words_forget(struct lull_packet_words *w)
{
    lull_cap_drop_buffers(&w->cap);
}

// Registers from @p reg on.
static void writes(struct lull_packet_words *w, uint32_t reg, const uint32_t *values, uint32_t n,
                   struct lull_str *out)
{
    const struct lull_dom_hit hit = lull_dom_lookup(w->cap.index, reg);
    const bool wide = hit.reg != NULL && hit.reg->width == 64 && hit.dword == 0 && n == 2;
    if (n != 1 && !wide) {
        lull_str_addf(out, "write %" PRIu32 " registers from ", n);
        lull_cap_name(&hit, reg, out);
        return;
    }
    lull_cap_name(&hit, reg, out);
    lull_str_addf(out, " = ");
    memset(w->cap.dom.has_chosen, 0, sizeof w->cap.dom.has_chosen);
    lull_cap_value(&w->cap, &hit, values[0] | (wide ? (uint64_t)values[1] << 32 : 0), true, out);
}

void lull_packet_words_show(struct lull_packet_words *w, const uint32_t *words, uint32_t n,
                            struct lull_str *out)
{
    const struct lull_apkt a =
        n != 0 ? lull_apkt_header(w->cap.gen, words[0]) : (struct lull_apkt){.type = LULL_APKT_BAD};
    if (a.type == LULL_APKT_BAD) {
        lull_str_addf(out, n != 0 ? "no packet: 0x%08" PRIx32 : "nothing is there",
                      n != 0 ? words[0] : 0);
        return;
    }
    const uint32_t there = a.count < n - 1 ? a.count : n - 1;
    if (a.type == LULL_APKT_NOP) {
        lull_str_addf(out, "nop");
        return;
    }
    if (a.type == LULL_APKT_WRITE && there != 0) {
        writes(w, a.what, words + 1, there, out);
        return;
    }
    const char *name = w->cap.s.op_names[a.what % LULL_AS_OPCODES];
    const struct lull_dom *d = w->cap.s.op_doms[a.what % LULL_AS_OPCODES];
    if (name == NULL) {
        lull_str_addf(out, "opcode 0x%02" PRIx32 ", %" PRIu32 " dwords", a.what, a.count);
        return;
    }
    lull_str_addf(out, "%s", name);
    if (d != NULL && there != 0) {
        const struct lull_cap_words body = {words + 1, 0, there};
        lull_str_addf(out, "  ");
        lull_cap_fields_line(&w->cap, d, body, out);
    }
}

uint32_t lull_packet_words_size(const struct lull_packet_words *w, uint32_t header)
{
    const struct lull_apkt a = lull_apkt_header(w->cap.gen, header);
    return a.type == LULL_APKT_BAD ? 0 : a.count + 1;
}

bool lull_packet_words_op(const struct lull_packet_words *w, const char *name, uint32_t *ret)
{
    for (uint32_t op = 0; op < LULL_AS_OPCODES; op++) {
        if (w->cap.s.op_names[op] != NULL && strcmp(w->cap.s.op_names[op], name) == 0) {
            *ret = op;
            return true;
        }
    }
    return false;
}

bool lull_packet_words_find(const struct lull_packet_words *w, const char *name, uint32_t *ret)
{
    return lull_dom_find(w->cap.index, name, ret);
}

bool lull_packet_words_reg(const struct lull_packet_words *w, uint32_t reg, bool *ret_wide,
                           struct lull_str *name)
{
    const struct lull_dom_hit hit = lull_dom_lookup(w->cap.index, reg);
    *ret_wide = hit.reg != NULL && hit.reg->width == 64 && hit.dword == 0;
    lull_cap_name(&hit, reg, name);
    return hit.reg != NULL;
}

void lull_packet_words_value(struct lull_packet_words *w, uint32_t reg, uint64_t value,
                             struct lull_str *out)
{
    const struct lull_dom_hit hit = lull_dom_lookup(w->cap.index, reg);
    memset(w->cap.dom.has_chosen, 0, sizeof w->cap.dom.has_chosen);
    lull_cap_value(&w->cap, &hit, value, true, out);
}

struct lull_error *lull_packet_words_place(const struct lull_packet_words *w, const char *text,
                                           struct lull_packet_place *ret)
{
    struct lull_packet_place p = {.any_stream = true};
    const size_t digits = strspn(text, "0123456789");
    const bool named = digits != 0 && text[digits] == ':';
    const char *at = named ? text + digits + 1 : text;
    const bool hex = strncmp(at, "0x", 2) == 0;
    char *end = NULL;
    uint32_t found = 0;
    bool good = true;
    if (named) {
        p.any_stream = false;
        p.stream = strtoull(text, NULL, 10);
    }
    if (isdigit((unsigned char)*at)) {
        p.by = hex ? LULL_PACKET_PLACE_AT : LULL_PACKET_PLACE_NUMBER;
        p.value = strtoull(at, &end, hex ? 16 : 10);
        good = *end == '\0';
    } else if (lull_packet_words_op(w, at, &found)) {
        p.by = LULL_PACKET_PLACE_OP;
        p.value = found;
    } else {
        p.by = LULL_PACKET_PLACE_REG;
        good = lull_packet_words_find(w, at, &found);
        p.value = found;
    }
    if (!good) {
        return lull_error_new(LULL_ERR_INVALID,
                              "'%s' is not a packet: [STREAM:] and its number, its 0xADDRESS, its "
                              "name as CP_BLIT, or a register that it writes",
                              text);
    }
    *ret = p;
    return NULL;
}

void lull_packet_words_register(struct lull_packet_words *w, const struct lull_packet_reg *reg,
                                struct lull_str *out, struct lull_json *json)
{
    static const char *const states[] = {"never written", "known", "unknown"};
    struct lull_str text = {0}, name = {0};
    const bool unknown = reg->wide && reg->state[1] == LULL_PACKET_REG_UNKNOWN;
    const enum lull_packet_reg_state state = unknown ? LULL_PACKET_REG_UNKNOWN : reg->state[0];
    const uint64_t value = reg->value[0] | (reg->wide ? (uint64_t)reg->value[1] << 32 : 0);
    bool wide = false;
    (void)lull_packet_words_reg(w, reg->number, &wide, &name);
    if (state == LULL_PACKET_REG_KNOWN) {
        lull_packet_words_value(w, reg->number, value, &text);
    } else {
        lull_str_addf(&text, "%s", states[state]);
    }
    lull_str_addf(out, "%s = %s\n", lull_str_text(&name), lull_str_text(&text));
    if (json != NULL) {
        lull_json_open(json, '{');
        lull_json_put_str(json, "name", lull_str_text(&name));
        lull_json_put_hex(json, "register", reg->number);
        lull_json_put_str(json, "state", states[state]);
        if (state == LULL_PACKET_REG_KNOWN) {
            lull_json_put_hex(json, "value", value);
            lull_json_put_str(json, "text", lull_str_text(&text));
        }
        lull_json_close(json, '}');
    }
    lull_str_free(&text);
    lull_str_free(&name);
}
