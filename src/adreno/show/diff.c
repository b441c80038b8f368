// SPDX-License-Identifier: MIT
#include "adreno/show/diff.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/show/align.h"
#include "adreno/show/walk.h"
#include "adreno/show/words.h"
#include "base/json.h"
#include "hw/adreno_chip.h"
#include "isa/ir3/ir3.h"

enum { FLUSH_AT = 1 << 16, LOADS = 64, CODE_MOST = 1 << 18 };

/** State of one side, up to the draw that is compared. */
struct side {
    const char *name;
    struct lull_rec rec;
    size_t next; ///< Draw.
    uint32_t vals[LULL_CAP_REGS];
    uint8_t state[LULL_CAP_REGS]; ///< As of struct lull_cap_value.
    struct lull_rec_draw draw;
    size_t npackets, packets_room;
    struct lull_rec_packet *packets; ///< Since the draw that was compared last.
    unsigned nloads;
    struct {
        struct lull_rec_load of;
        uint32_t *words;
    } loads[LOADS]; ///< Since the draw that was compared last; the newest of a kind and place.
    struct lull_rec_shader shaders[LULL_CAP_STAGES];
};

struct diff {
    struct lull_diff_options o;
    FILE *out;
    struct side side[2];
    struct lull_dom_index *index;
    struct lull_dom_state dom;
    struct lull_str text;
    struct lull_json j;
    struct lull_error *err;
    uint32_t told[2][LULL_CAP_REGS]; ///< Values when the register was last said to differ.
    uint8_t is_told[LULL_CAP_REGS];
    uint8_t touched[LULL_CAP_REGS]; ///< Written since the draws that were compared last.
    uint32_t ntouched, list[LULL_CAP_REGS];
    size_t same, differ, only[2];
    bool open;         ///< The draw that is compared has a difference.
    const char *array; ///< JSON: its list that is open.
};

static void failed(struct diff *d, struct lull_error *err)
{
    if (d->err == NULL) {
        d->err = err;
    } else {
        lull_error_free(err);
    }
}

static void get(struct diff *d, FILE *f, void *data, size_t size)
{
    if (size != 0 && d->err == NULL && fread(data, size, 1, f) != 1) {
        memset(data, 0, size);
        failed(d, lull_error_new(LULL_ERR_OS, "cannot read a temporary file"));
    }
}

static void flush(struct diff *d, bool now)
{
    if (d->text.size > FLUSH_AT || (now && d->text.size != 0)) {
        if (fwrite(d->text.text, 1, d->text.size, d->out) != d->text.size) {
            failed(d, lull_error_new(LULL_ERR_OS, "cannot write the output"));
        }
        d->text.size = 0;
    }
}

static void add(struct diff *d, const char *text)
{
    lull_str_add(&d->text, text, strlen(text));
}

static void touch(struct diff *d, uint32_t reg)
{
    if (d->touched[reg] == 0) {
        d->touched[reg] = 1;
        d->list[d->ntouched++] = reg;
    }
}

static bool same_place(const struct lull_rec_load *a, const struct lull_rec_load *b)
{
    return a->of.block == b->of.block && a->of.type == b->of.type && a->of.what == b->of.what &&
           a->of.offset == b->of.offset && a->of.units == b->of.units && a->set == b->set;
}

static void read_load(struct diff *d, struct side *s)
{
    struct lull_rec_load of = {0};
    get(d, s->rec.f, &of, sizeof of);
    uint32_t *words = of.n != 0 && d->err == NULL ? malloc(of.n * sizeof *words) : NULL;
    if (of.n != 0 && words == NULL) {
        failed(d, &lull_enomem);
        return;
    }
    if (words != NULL) {
        get(d, s->rec.f, words, of.n * sizeof *words);
    }
    unsigned at = 0;
    while (at < s->nloads && !same_place(&s->loads[at].of, &of)) {
        at++;
    }
    at = at == LOADS ? LOADS - 1 : at;
    if (at < s->nloads) {
        free(s->loads[at].words);
    } else {
        s->nloads++;
    }
    s->loads[at].of = of;
    s->loads[at].words = words;
}

static void read_packet(struct diff *d, struct side *s)
{
    if (s->npackets == s->packets_room) {
        const size_t room = s->packets_room != 0 ? s->packets_room * 2 : 64;
        struct lull_rec_packet *grown = realloc(s->packets, room * sizeof *grown);
        if (grown == NULL) {
            failed(d, &lull_enomem);
            return;
        }
        s->packets = grown;
        s->packets_room = room;
    }
    get(d, s->rec.f, &s->packets[s->npackets++], sizeof *s->packets);
}

/** State of draw number s->next. */
static void advance(struct diff *d, struct side *s)
{
    if (fseek(s->rec.f, s->rec.entries[s->next++].at, SEEK_SET) != 0) {
        failed(d, lull_error_new(LULL_ERR_OS, "cannot read a temporary file"));
    }
    get(d, s->rec.f, &s->draw, sizeof s->draw);
    for (uint32_t i = 0; i < s->draw.nregs && d->err == NULL; i++) {
        struct lull_rec_reg r = {0};
        get(d, s->rec.f, &r, sizeof r);
        s->vals[r.reg % LULL_CAP_REGS] = r.value;
        s->state[r.reg % LULL_CAP_REGS] = r.known != 0 ? LULL_CAP_KNOWN : LULL_CAP_UNKNOWN;
        touch(d, r.reg % LULL_CAP_REGS);
    }
    for (uint32_t i = 0; i < s->draw.nloads && d->err == NULL; i++) {
        read_load(d, s);
    }
    for (uint32_t i = 0; i < s->draw.npackets && d->err == NULL; i++) {
        read_packet(d, s);
    }
    for (uint32_t i = 0; i < s->draw.nshaders && d->err == NULL; i++) {
        get(d, s->rec.f, &s->shaders[i], sizeof s->shaders[i]);
    }
}

static void forget_loads(struct side *s)
{
    for (unsigned i = 0; i < s->nloads; i++) {
        free(s->loads[i].words);
    }
    s->nloads = 0;
}

/* What is told of a pair of draws. */

static void close_array(struct diff *d)
{
    if (d->array != NULL) {
        lull_json_close(&d->j, ']');
        d->array = NULL;
    }
}

static const char *kind_name(const struct lull_rec_draw *a)
{
    return a->kind == LULL_REC_END ? "end" : lull_cap_draw_kind((enum lull_cap_draw_kind)a->kind);
}

/** A difference of the pair: its head line before the first. */
static void begin(struct diff *d, const char *array)
{
    const struct lull_rec_draw *a = &d->side[0].draw, *b = &d->side[1].draw;
    if (!d->open && d->o.json) {
        lull_json_open(&d->j, '{');
        lull_json_put_str(&d->j, "kind", "differ");
        lull_json_put_u64(&d->j, "a", a->number);
        lull_json_put_u64(&d->j, "b", b->number);
        lull_json_put_str(&d->j, "type", kind_name(a));
        lull_json_put_str(&d->j, "what", a->what);
    } else if (!d->open && a->kind == LULL_REC_END) {
        lull_str_addf(&d->text, "after the last draw\n");
    } else if (!d->open) {
        lull_str_addf(&d->text, "%s %" PRIu32, lull_cap_draw_kind((enum lull_cap_draw_kind)a->kind),
                      a->number);
        if (a->number != b->number) {
            lull_str_addf(&d->text, " and %" PRIu32, b->number);
        }
        lull_str_addf(&d->text, ": %s\n", a->what);
    }
    d->open = true;
    if (d->o.json && (d->array == NULL || strcmp(d->array, array) != 0)) {
        close_array(d);
        lull_json_key(&d->j, array);
        lull_json_open(&d->j, '[');
        d->array = array;
    }
}

/** Two texts for one thing. */
static void two(struct diff *d, const char *array, const char *name, const char *a, const char *b)
{
    begin(d, array);
    if (d->o.json) {
        lull_json_open(&d->j, '{');
        lull_json_put_str(&d->j, "name", name);
        lull_json_put_str(&d->j, "a", a);
        lull_json_put_str(&d->j, "b", b);
        lull_json_close(&d->j, '}');
    } else {
        lull_str_addf(&d->text, "  - %s = ", name);
        add(d, a);
        lull_str_addf(&d->text, "\n  + %s = ", name);
        add(d, b);
        add(d, "\n");
    }
    flush(d, false);
}

static void values(struct diff *d)
{
    for (unsigned i = 0; i < 16; i++) {
        const uint64_t a = d->side[0].draw.values[i], b = d->side[1].draw.values[i];
        char at[20] = "", bt[20] = "";
        if (a == b || (d->o.ignore_addresses && lull_rec_is_address(i))) {
            continue;
        }
        const char *form = lull_rec_is_address(i) ? "0x%" PRIx64 : "%" PRIu64;
        (void)snprintf(at, sizeof at, form, a);
        (void)snprintf(bt, sizeof bt, form, b);
        two(d, "draw", lull_rec_names[i], i == 10 || i == 11 ? "one rectangle" : at,
            i == 10 || i == 11 ? "another" : bt);
    }
}

static bool has_address(const struct lull_dom_reg *r)
{
    const struct lull_dom_field *f = NULL;
    const unsigned n = lull_dom_fields(&lull_dom_adreno, r, &f);
    const size_t size = strlen(r->name);
    bool is = r->kind == LULL_DOM_ADDRESS || r->kind == LULL_DOM_WADDRESS;
    is |= size > 3 &&
          (strcmp(r->name + size - 3, "_LO") == 0 || strcmp(r->name + size - 3, "_HI") == 0);
    for (unsigned i = 0; i < n; i++) {
        is |= f[i].kind == LULL_DOM_ADDRESS || f[i].kind == LULL_DOM_WADDRESS ||
              strcmp(f[i].name, "ADDR") == 0;
    }
    return is;
}

static void show(struct diff *d, const struct lull_dom_hit *hit, struct lull_cap_value of,
                 struct lull_str *out)
{
    const uint64_t value = of.v;
    if (of.state != LULL_CAP_KNOWN) {
        lull_str_addf(out, of.state == LULL_CAP_NEVER ? "never written" : "unknown");
    } else if (hit->reg == NULL || hit->reg->kind == LULL_DOM_NONE) {
        lull_str_addf(out, "0x%" PRIx64, value);
    } else {
        lull_dom_show(&lull_dom_adreno, &d->dom, hit->reg, value, out);
    }
}

static struct lull_cap_value value_of(const struct side *s, uint32_t reg, bool wide)
{
    const uint32_t high = wide ? (reg + 1) % LULL_CAP_REGS : reg;
    const uint8_t a = s->state[reg], b = s->state[high];
    return (struct lull_cap_value){.v = s->vals[reg] | (wide ? (uint64_t)s->vals[high] << 32 : 0),
                                   .state = a > b ? a : b}; // unknown, known, never
}

/** A number for a value and its state. */
static uint32_t fold(struct lull_cap_value v)
{
    return (uint32_t)(v.v ^ v.v >> 32) ^ (uint32_t)v.state << 30;
}

static void compare_register(struct diff *d, uint32_t reg)
{
    struct lull_dom_hit hit = lull_dom_lookup(d->index, reg);
    const bool wide = hit.reg != NULL && hit.reg->width == 64;
    const uint32_t base = wide ? reg - hit.dword : reg;
    const struct lull_cap_value a = value_of(&d->side[0], base, wide);
    const struct lull_cap_value b = value_of(&d->side[1], base, wide);
    if (wide && hit.dword == 1 && d->touched[base] != 0) {
        return; // with the lower half
    }
    const bool differs = a.v != b.v || a.state != b.state;
    const bool again =
        d->is_told[base] != 0 && d->told[0][base] == fold(a) && d->told[1][base] == fold(b);
    d->is_told[base] = differs;
    d->told[0][base] = fold(a);
    d->told[1][base] = fold(b);
    if (!differs || again || (d->o.ignore_addresses && hit.reg != NULL && has_address(hit.reg))) {
        return;
    }
    struct lull_str name = {0}, at = {0}, bt = {0};
    hit.dword = 0;
    lull_cap_name(&hit, base, &name);
    show(d, &hit, a, &at);
    show(d, &hit, b, &bt);
    two(d, "registers", lull_str_text(&name), lull_str_text(&at), lull_str_text(&bt));
    lull_str_free(&name);
    lull_str_free(&at);
    lull_str_free(&bt);
}

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void registers(struct diff *d)
{
    qsort(d->list, d->ntouched, sizeof d->list[0], by_number);
    for (uint32_t i = 0; i < d->ntouched && d->index != NULL; i++) {
        compare_register(d, d->list[i]);
    }
    for (uint32_t i = 0; i < d->ntouched; i++) {
        d->touched[d->list[i]] = 0;
    }
    d->ntouched = 0;
}

/* Shaders */

/** The words of a shader; NULL: none. free(). */
static uint64_t *code_of(struct diff *d, struct side *s, const struct lull_rec_shader *sh)
{
    uint64_t *code =
        sh->code >= 0 && sh->n != 0 && sh->n < CODE_MOST ? calloc(sh->n, sizeof *code) : NULL;
    if (code == NULL || fseek(s->rec.f, sh->code, SEEK_SET) != 0) {
        free(code);
        return NULL;
    }
    get(d, s->rec.f, code, sh->n * sizeof *code);
    return code;
}

static void instruction(const struct diff *d, const uint64_t *code, uint32_t n, uint32_t i,
                        struct lull_str *out)
{
    const struct lull_ir3_options o = {.gen = d->dom.chip * 100 + 30};
    if (i >= n) {
        lull_str_addf(out, "(end)");
        return;
    }
    lull_ir3_disasm(&code[i], 1, &o, out);
    out->size -= out->size > 0; // the end of its line
    if (out->text != NULL) {
        out->text[out->size] = '\0';
    }
}

/** Where two shaders part. */
static void part(struct diff *d, const struct lull_rec_shader *a, const struct lull_rec_shader *b)
{
    uint64_t *x = code_of(d, &d->side[0], a), *y = code_of(d, &d->side[1], b);
    uint32_t i = 0;
    while (x != NULL && y != NULL && i < a->n && i < b->n && x[i] == y[i]) {
        i++;
    }
    if (x != NULL && y != NULL) {
        struct lull_str at = {0}, bt = {0};
        char name[48] = "";
        (void)snprintf(name, sizeof name, "%s instruction %" PRIu32,
                       lull_cap_stage_name((int)a->stage), i);
        instruction(d, x, a->n, i, &at);
        instruction(d, y, b->n, i, &bt);
        two(d, "shaders", name, lull_str_text(&at), lull_str_text(&bt));
        lull_str_free(&at);
        lull_str_free(&bt);
    }
    free(x);
    free(y);
}

static const struct lull_rec_shader *shader_of(const struct side *s, uint32_t stage)
{
    for (uint32_t i = 0; i < s->draw.nshaders; i++) {
        if (s->shaders[i].stage == stage) {
            return &s->shaders[i];
        }
    }
    return NULL;
}

static void shader_text(const struct lull_rec_shader *s, char *buf, size_t size)
{
    if (s == NULL) {
        (void)snprintf(buf, size, "none");
    } else if (s->hash == 0) {
        (void)snprintf(buf, size, "not in the capture");
    } else {
        (void)snprintf(buf, size, "%016" PRIx64 ", %" PRIu32 " instructions", s->hash, s->n);
    }
}

static void shaders(struct diff *d)
{
    for (uint32_t stage = 0; stage < LULL_CAP_STAGES; stage++) {
        const struct lull_rec_shader *a = shader_of(&d->side[0], stage);
        const struct lull_rec_shader *b = shader_of(&d->side[1], stage);
        char at[64] = "", bt[64] = "";
        if ((a != NULL ? a->hash : 1) == (b != NULL ? b->hash : 1) && (a == NULL) == (b == NULL)) {
            continue;
        }
        shader_text(a, at, sizeof at);
        shader_text(b, bt, sizeof bt);
        two(d, "shaders", lull_cap_stage_name((int)stage), at, bt);
        if (a != NULL && b != NULL && a->hash != 0 && b->hash != 0) {
            part(d, a, b);
        }
    }
}

/* State loads */

/** Unit @p i of a load in words. */
static void unit(const struct diff *d, const struct lull_rec_load *l, const uint32_t *words,
                 uint32_t i, struct lull_str *out)
{
    const int domain = lull_load_domain(d->dom.chip, l->of.what);
    for (uint32_t k = i * l->apart; k < i * l->apart + l->each && k < l->n; k++) {
        struct lull_dom_state s = d->dom;
        const struct lull_dom_hit hit =
            domain >= 0 ? lull_dom_at(&lull_dom_adreno, &s, &lull_dom_adreno.domains[domain],
                                      k - i * l->apart)
                        : (struct lull_dom_hit){0};
        lull_str_add(out, " ", out->size != 0);
        if (l->of.what == LULL_LOAD_CONSTANTS) {
            lull_cap_float(words[k], out);
        } else if (hit.reg != NULL && hit.reg->width == 32) {
            lull_dom_show(&lull_dom_adreno, &s, hit.reg, words[k], out);
        } else {
            lull_str_hex(out, words[k], 8);
        }
    }
}

static void compare_load(struct diff *d, unsigned x, unsigned y)
{
    const struct lull_rec_load *a = &d->side[0].loads[x].of, *b = &d->side[1].loads[y].of;
    const uint32_t *p = d->side[0].loads[x].words, *q = d->side[1].loads[y].words;
    const bool address = lull_load_domain(d->dom.chip, a->of.what) >= 0;
    if (a->apart == 0 || (d->o.ignore_addresses && address)) {
        return;
    }
    for (uint32_t i = 0; i * a->apart < a->n || i * a->apart < b->n; i++) {
        const uint32_t from = i * a->apart;
        const uint32_t na = from < a->n ? (a->n - from < a->each ? a->n - from : a->each) : 0;
        const uint32_t nb = from < b->n ? (b->n - from < a->each ? b->n - from : a->each) : 0;
        if (na == nb && (na == 0 || memcmp(p + from, q + from, na * sizeof *p) == 0)) {
            continue;
        }
        struct lull_str at = {0}, bt = {0};
        char name[64] = "";
        (void)snprintf(name, sizeof name, "%s %s %" PRIu32, lull_cap_stage_name(a->stage),
                       lull_cap_load_name(a->of.what), a->of.offset + i);
        unit(d, a, p, i, &at);
        unit(d, b, q, i, &bt);
        two(d, "loads", name, na != 0 ? lull_str_text(&at) : "none",
            nb != 0 ? lull_str_text(&bt) : "none");
        lull_str_free(&at);
        lull_str_free(&bt);
    }
}

static void only_load(struct diff *d, const struct lull_rec_load *l, bool in_a)
{
    char name[96] = "";
    (void)snprintf(name, sizeof name, "%s %s %" PRIu32 "..%" PRIu32, lull_cap_stage_name(l->stage),
                   lull_cap_load_name(l->of.what), l->of.offset,
                   l->of.offset + l->of.units - (l->of.units != 0));
    two(d, "loads", name, in_a ? "loaded" : "not loaded", in_a ? "not loaded" : "loaded");
}

static void loads(struct diff *d)
{
    struct side *a = &d->side[0], *b = &d->side[1];
    bool matched[LOADS] = {false};
    for (unsigned i = 0; i < a->nloads; i++) {
        unsigned k = 0;
        while (k < b->nloads && (matched[k] || !same_place(&a->loads[i].of, &b->loads[k].of))) {
            k++;
        }
        if (k == b->nloads) {
            only_load(d, &a->loads[i].of, true);
        } else {
            matched[k] = true;
            compare_load(d, i, k);
        }
    }
    for (unsigned k = 0; k < b->nloads; k++) {
        if (!matched[k]) {
            only_load(d, &b->loads[k].of, false);
        }
    }
    forget_loads(a);
    forget_loads(b);
}

/* Packets */

/** A packet, or several in a row that are the same, of one side only. */
static void one_sided(struct diff *d, unsigned which, const char *text, size_t times)
{
    begin(d, "packets");
    if (d->o.json) {
        lull_json_open(&d->j, '{');
        lull_json_put_str(&d->j, which == 0 ? "a" : "b", text);
        lull_json_put_u64(&d->j, "times", times);
        lull_json_close(&d->j, '}');
    } else {
        lull_str_addf(&d->text, "  %c packet ", which == 0 ? '-' : '+');
        add(d, text);
        if (times > 1) {
            lull_str_addf(&d->text, "  (%zu times)", times);
        }
        add(d, "\n");
    }
    flush(d, false);
}

/** Those from @p from to @p to are of one side only. */
static void packets_alone(struct diff *d, unsigned which, size_t from, size_t to)
{
    const struct lull_rec_packet *p = d->side[which].packets;
    while (from < to) {
        size_t n = 1;
        while (from + n < to && strcmp(p[from + n].text, p[from].text) == 0) {
            n++;
        }
        one_sided(d, which, p[from].text, n);
        from += n;
    }
}

LULL_MUST_USE static struct lull_rec_entry *entries_of(const struct diff *d, const struct side *s)
{
    struct lull_rec_entry *e = calloc(s->npackets + 1, sizeof *e);
    for (size_t i = 0; e != NULL && i < s->npackets; i++) {
        const struct lull_rec_packet *p = &s->packets[i];
        e[i].strong = d->o.ignore_addresses ? p->but_addresses : p->all;
        e[i].weak = p->name;
    }
    return e;
}

static void packets(struct diff *d)
{
    struct side *a = &d->side[0], *b = &d->side[1];
    struct lull_rec_entry *ea = entries_of(d, a), *eb = entries_of(d, b);
    size_t *pairs = NULL, j = 0, from = 0;
    struct lull_error *err = ea == NULL || eb == NULL
                                 ? &lull_enomem
                                 : lull_align(ea, a->npackets, eb, b->npackets, &pairs);
    for (size_t i = 0; err == NULL && i < a->npackets; i++) {
        if (pairs[i] == SIZE_MAX) {
            continue;
        }
        packets_alone(d, 0, from, i);
        packets_alone(d, 1, j, pairs[i]);
        if (ea[i].strong != eb[pairs[i]].strong) {
            packets_alone(d, 0, i, i + 1);
            packets_alone(d, 1, pairs[i], pairs[i] + 1);
        }
        from = i + 1;
        j = pairs[i] + 1;
    }
    if (err == NULL) {
        packets_alone(d, 0, from, a->npackets);
        packets_alone(d, 1, j, b->npackets);
    } else {
        failed(d, err);
    }
    a->npackets = b->npackets = 0;
    free(pairs);
    free(ea);
    free(eb);
}

static void compare(struct diff *d)
{
    d->open = false;
    if (strcmp(d->side[0].draw.what, d->side[1].draw.what) != 0) {
        two(d, "draw", "what", d->side[0].draw.what, d->side[1].draw.what);
    }
    const bool end = d->side[0].draw.kind == LULL_REC_END;
    packets(d);
    if (!end) {
        values(d);
        shaders(d);
        registers(d);
        loads(d);
    }
    if (d->open && d->o.json) {
        close_array(d);
        lull_json_close(&d->j, '}');
    }
    d->differ += d->open;
    d->same += !d->open && !end;
    d->open = false;
}

/** A draw of one side that the other does not have. Its state goes on to count. */
static void alone(struct diff *d, unsigned which)
{
    struct side *s = &d->side[which];
    advance(d, s);
    d->only[which]++;
    if (d->o.json) {
        lull_json_open(&d->j, '{');
        lull_json_put_str(&d->j, "kind", which == 0 ? "only_a" : "only_b");
        lull_json_put_u64(&d->j, which == 0 ? "a" : "b", s->draw.number);
        lull_json_put_str(&d->j, "type", lull_cap_draw_kind((enum lull_cap_draw_kind)s->draw.kind));
        lull_json_put_str(&d->j, "what", s->draw.what);
        lull_json_close(&d->j, '}');
    } else {
        lull_str_addf(&d->text, "%c %s %" PRIu32 " only in %s: %s\n", which == 0 ? '-' : '+',
                      lull_cap_draw_kind((enum lull_cap_draw_kind)s->draw.kind), s->draw.number,
                      s->name, s->draw.what);
    }
    flush(d, false);
}

static void head(struct diff *d)
{
    if (d->o.json) {
        lull_json_open(&d->j, '{');
        lull_json_put_str(&d->j, "a", d->side[0].name);
        lull_json_put_str(&d->j, "b", d->side[1].name);
        lull_json_key(&d->j, "differences");
        lull_json_open(&d->j, '[');
    } else {
        lull_str_addf(&d->text, "--- %s\n+++ %s\n", d->side[0].name, d->side[1].name);
    }
}

/** Both name their GPU, and it is not the same generation. */
static bool other_gpu(const struct diff *d)
{
    const unsigned a = d->side[0].rec.gen, b = d->side[1].rec.gen;
    return a != 0 && b != 0 && a != b;
}

static void foot(struct diff *d)
{
    const bool gpus = other_gpu(d);
    if (d->o.json) {
        lull_json_close(&d->j, ']');
        lull_json_put_bool(&d->j, "same_gpu", !gpus);
        lull_json_put_u64(&d->j, "same", d->same);
        lull_json_put_u64(&d->j, "differ", d->differ);
        lull_json_put_u64(&d->j, "only_a", d->only[0]);
        lull_json_put_u64(&d->j, "only_b", d->only[1]);
        lull_json_close(&d->j, '}');
        add(d, "\n");
        return;
    }
    if (gpus) {
        lull_str_addf(&d->text, "an a%uxx and an a%uxx: registers were not compared\n",
                      d->side[0].rec.gen, d->side[1].rec.gen);
    }
    lull_str_addf(&d->text, "%zu draws are the same, %zu differ, %zu only in %s, %zu only in %s\n",
                  d->same, d->differ, d->only[0], d->side[0].name, d->only[1], d->side[1].name);
}

static void go(struct diff *d, const size_t *pairs)
{
    struct side *a = &d->side[0], *b = &d->side[1];
    for (size_t i = 0; i < a->rec.n && d->err == NULL; i++) {
        if (pairs[i] == SIZE_MAX) {
            alone(d, 0);
            continue;
        }
        while (b->next < pairs[i] && d->err == NULL) {
            alone(d, 1);
        }
        advance(d, a);
        advance(d, b);
        compare(d);
    }
    while (b->next < b->rec.n && d->err == NULL) {
        alone(d, 1);
    }
}

LULL_MUST_USE static struct lull_error *make_index(struct diff *d)
{
    const unsigned gen = d->side[0].rec.gen;
    d->dom.chip = gen;
    if (gen < 2 || gen > 7 || gen != d->side[1].rec.gen) {
        return NULL;
    }
    const struct lull_dom *doms[LULL_ADRENO_SPACES] = {0};
    const unsigned ndoms = lull_adreno_spaces(gen, doms);
    return lull_dom_index_new(&lull_dom_adreno, gen, doms, ndoms, LULL_CAP_REGS, &d->index);
}

/** Record one side; a capture that is damaged is compared as far as it goes. */
LULL_MUST_USE static struct lull_error *record(struct diff *d, unsigned which,
                                               const struct lull_diff_side *side, FILE *log,
                                               bool *wrong)
{
    struct side *s = &d->side[which];
    s->name = side->name;
    const struct lull_cap_options o = {.most_work = d->o.most_work};
    struct lull_error *err = lull_rec_make(&s->rec, side->s, side->name, &o, log);
    if (err != NULL && lull_error_code(err) == LULL_ERR_BAD_DATA && s->rec.sections != 0) {
        fprintf(log, "%s: %s\n", side->name, lull_error_message(err));
        lull_error_free(err);
        err = NULL;
        *wrong = true;
    }
    *wrong |= s->rec.problems != 0;
    return lull_error_in(err, "%s", side->name);
}

struct lull_error *lull_diff_captures(const struct lull_diff_side *a,
                                      const struct lull_diff_side *b,
                                      const struct lull_diff_options *o, FILE *out, FILE *log,
                                      bool *ret_different)
{
    struct diff *d = calloc(1, sizeof *d);
    size_t *pairs = NULL;
    bool wrong = false;
    if (d == NULL) {
        return &lull_enomem;
    }
    d->o = *o;
    d->out = out;
    d->j.out = &d->text;
    struct lull_error *err = record(d, 0, a, log, &wrong);
    err = err != NULL ? err : record(d, 1, b, log, &wrong);
    err = err != NULL ? err : make_index(d);
    if (err == NULL) {
        err = lull_align(d->side[0].rec.entries, d->side[0].rec.n, d->side[1].rec.entries,
                         d->side[1].rec.n, &pairs);
    }
    if (err == NULL) {
        head(d);
        go(d, pairs);
        foot(d);
        flush(d, true);
        err = d->err != NULL ? d->err : d->text.err;
    }
    *ret_different = wrong || d->differ != 0 || d->only[0] != 0 || d->only[1] != 0 || other_gpu(d);
    for (unsigned i = 0; i < 2; i++) {
        forget_loads(&d->side[i]);
        free(d->side[i].packets);
        lull_rec_done(&d->side[i].rec);
    }
    free(pairs);
    lull_dom_index_free(d->index);
    lull_str_free(&d->text);
    free(d);
    return err;
}
