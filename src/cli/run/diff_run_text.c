// SPDX-License-Identifier: MIT
#include "cli/run/diff_run_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"

enum { SMALL = 1 << 16, EXEC = 126, EXPONENT = 23, FEW = 0x60, MANY = 0x9e };

static const char *const which[2] = {"first ", "second"};

/** "7", "0x3f800000 (1)": as an integer if it is a small one, and as a float if it may be one. */
static void add_value(uint32_t v, struct lull_str *out)
{
    const unsigned exponent = v >> EXPONENT & 0xff;
    float f = 0;
    memcpy(&f, &v, sizeof f);
    if (v < SMALL || (int32_t)v > -SMALL - 1) {
        if ((int32_t)v < SMALL) {
            lull_str_addf(out, "%" PRId32, (int32_t)v);
            return;
        }
    }
    lull_str_addf(out, "0x%" PRIx32, v);
    if (exponent > FEW && exponent < MANY) {
        lull_str_addf(out, " (%g)", (double)f);
    } else if (exponent == 0xff) {
        lull_str_addf(out, " (%s)", (v & 0x7fffff) != 0 ? "nan" : "infinity");
    }
}

/** "sum.cl:6 v_add_nc_u32 v0, v1, v2" */
static void add_code(const struct lull_tr_run *r, uint64_t pc, struct lull_str *out)
{
    const struct lull_tr_code *c = lull_tr_code_at(r, pc);
    if (c == NULL) {
        lull_str_addf(out, "0x%" PRIx64, pc);
        return;
    }
    if (c->line != 0) {
        lull_str_printable(out, c->file.text, c->file.size);
        lull_str_addf(out, ":%" PRIu32 "  ", c->line);
    }
    lull_str_addf(out, "<");
    lull_str_printable(out, c->text.text, c->text.size);
    lull_str_addf(out, ">");
}

static void add_who(const struct lull_tr_store *s, struct lull_str *out)
{
    lull_str_addf(out, "workgroup %" PRIu32 ",%" PRIu32 ",%" PRIu32 " item %" PRIu32,
                  s->workgroup[0], s->workgroup[1], s->workgroup[2], s->item);
    if (s->dispatch != 0) {
        lull_str_addf(out, " of dispatch %" PRIu32, s->dispatch);
    }
}

/** Registers with their values; which lanes are on is said of branches only. */
static void add_regs(const struct lull_tr_run *r, const struct lull_tr_step *s, uint32_t from,
                     uint32_t n, const char *word, struct lull_str *out)
{
    const bool rdna = r->arch == &lull_arch_rdna3;
    bool any = false;
    for (uint32_t i = from; i < from + n; i++) {
        uint32_t reg = 0, value = 0;
        lull_tr_reg(s, i, &reg, &value);
        if (rdna && (reg == EXEC || reg == EXEC + 1) && (s->flags & LULL_TRACE_BRANCH) == 0) {
            continue;
        }
        lull_str_addf(out, "%s", any ? ", " : word);
        any = true;
        lull_arch_reg_name(r->arch, reg, out);
        lull_str_addf(out, " = ");
        add_value(value, out);
    }
}

static void add_step(const struct lull_tr_run *r, const struct lull_tr_step *s,
                     struct lull_str *out)
{
    add_code(r, s->pc, out);
    lull_str_addf(out, "\n        ");
    add_regs(r, s, 0, s->nreads, "of ", out);
    add_regs(r, s, s->nreads, s->nwrites, "  makes ", out);
    lull_str_addf(out, "\n");
}

static const char *says(enum lull_part_why why)
{
    switch (why) {
    case LULL_PART_RESULT:
        return "They part here: the same operands, another result";
    case LULL_PART_INPUT:
        return "They part here: the load reads something else at the same address";
    case LULL_PART_OPERANDS:
        return "They part here: an operand differs that this invocation did not make";
    case LULL_PART_VALUE:
        return "They part here: of operands that both runs have is made what only one has";
    case LULL_PART_NOT_FOUND:
    default:
        return "Where they part is not known";
    }
}

/** Steps behind the one where they part. */
static void text_rest(const struct lull_diff_run *d, unsigned run, struct lull_str *out)
{
    const struct lull_part_chain *c = &d->part.chain[run];
    for (size_t i = 1; i < c->n && i < LULL_PART_CHAIN; i++) {
        lull_str_addf(out, "  then  ");
        add_step(d->runs[run], &c->steps[i], out);
    }
    if (c->n > LULL_PART_CHAIN) {
        lull_str_addf(out, "  then  %zu more\n", c->n - LULL_PART_CHAIN);
    }
}

static void text_part(const struct lull_diff_run *d, struct lull_str *out)
{
    const struct lull_part *p = &d->part;
    lull_str_addf(out, "%s.\n", says(p->why));
    for (unsigned i = 0; i < 2; i++) {
        if (p->chain[i].n != 0) {
            lull_str_addf(out, "%s  ", which[i]);
            add_step(d->runs[i], &p->chain[i].steps[0], out);
            if (!p->same_code) {
                text_rest(d, i, out);
            }
        }
    }
    if (p->branches) {
        lull_str_addf(out, "Control goes different ways behind\n        ");
        add_code(d->runs[0], p->branch[0].pc, out);
        lull_str_addf(out, "\n");
    }
}

static void text_hop(const struct lull_diff_run *d, struct lull_str *out)
{
    lull_str_addf(out, "What that load reads was written before\n");
    for (unsigned i = 0; i < 2; i++) {
        lull_str_addf(out, "%s  ", which[i]);
        if (!d->hop.stored[i]) {
            lull_str_addf(out, "by nobody in this run\n");
            continue;
        }
        lull_str_addf(out, "by ");
        add_who(&d->hop.store[i], out);
        lull_str_addf(out, "  ");
        add_code(d->runs[i], d->hop.store[i].pc, out);
        lull_str_addf(out, "\n");
    }
}

void lull_diff_run_text(const struct lull_diff_run *d, struct lull_str *out)
{
    const struct lull_part_place *p = &d->place;
    lull_str_addf(out, "%s: ", lull_str_text(&p->name));
    for (unsigned i = 0; i < 2; i++) {
        lull_str_addf(out, "%s", i == 0 ? "" : ", ");
        if (p->stored[i]) {
            add_value(p->value[i], out);
        } else {
            lull_str_addf(out, "never written");
        }
        lull_str_addf(out, " in the %s run", i == 0 ? "first" : "second");
    }
    lull_str_addf(out, "; %" PRIu64 " of %" PRIu64 " places differ\n", p->differing, p->places);
    for (unsigned i = 0; i < 2; i++) {
        if (p->stored[i]) {
            lull_str_addf(out, "%s  ", which[i]);
            add_who(&p->store[i], out);
            lull_str_addf(out, "  ");
            add_code(d->runs[i], p->store[i].pc, out);
            lull_str_addf(out, "\n");
        }
    }
    text_part(d, out);
    if (d->line.at != NULL) {
        lull_str_addf(out, "The %s run is right, by the source interpreted: ",
                      d->line.run == 0 ? "first" : "second");
        lull_str_printable(out, d->line.at->file.text, d->line.at->file.size);
        lull_str_addf(out, ":%" PRIu32 " makes ", d->line.at->line);
        add_value(d->line.value, out);
        lull_str_addf(out, ", which the %s run does not have\n",
                      d->line.run == 0 ? "second" : "first");
    }
    if (d->hops) {
        text_hop(d, out);
    }
}

static void put_code(const struct lull_tr_run *r, uint64_t pc, struct lull_json *j)
{
    const struct lull_tr_code *c = lull_tr_code_at(r, pc);
    struct lull_str s = {0}, file = {0};
    if (c != NULL) {
        lull_str_printable(&s, c->text.text, c->text.size);
        lull_json_put_str(j, "instruction", lull_str_text(&s));
        if (c->line != 0) {
            lull_str_printable(&file, c->file.text, c->file.size);
            lull_json_put_str(j, "file", lull_str_text(&file));
            lull_json_put_u64(j, "line", c->line);
        }
    }
    lull_json_put_hex(j, "pc", pc);
    lull_error_free(s.err);
    lull_error_free(file.err);
    s.err = file.err = NULL;
    lull_str_free(&s);
    lull_str_free(&file);
}

static void put_store(const struct lull_tr_run *r, const struct lull_tr_store *s,
                      struct lull_json *j)
{
    lull_json_put_u64(j, "dispatch", s->dispatch);
    lull_json_key(j, "workgroup");
    lull_json_open(j, '[');
    for (unsigned i = 0; i < 3; i++) {
        lull_json_u64(j, s->workgroup[i]);
    }
    lull_json_close(j, ']');
    lull_json_put_u64(j, "item", s->item);
    put_code(r, s->pc, j);
}

static void put_regs(const struct lull_tr_run *r, const struct lull_tr_step *s, const char *key,
                     uint32_t from, uint32_t n, struct lull_json *j)
{
    lull_json_key(j, key);
    lull_json_open(j, '{');
    for (uint32_t i = from; i < from + n; i++) {
        uint32_t reg = 0, value = 0;
        struct lull_str name = {0};
        lull_tr_reg(s, i, &reg, &value);
        lull_arch_reg_name(r->arch, reg, &name);
        lull_json_put_hex(j, lull_str_text(&name), value);
        lull_error_free(name.err);
        name.err = NULL;
        lull_str_free(&name);
    }
    lull_json_close(j, '}');
}

void lull_diff_run_json(const struct lull_diff_run *d, struct lull_json *j)
{
    static const char *const whys[] = {"not found", "result", "input", "operands", "value"};
    lull_json_put_str(j, "place", lull_str_text(&d->place.name));
    lull_json_put_u64(j, "differing", d->place.differing);
    lull_json_put_u64(j, "places", d->place.places);
    lull_json_put_bool(j, "same_code", d->part.same_code);
    lull_json_put_str(j, "part", whys[d->part.why]);
    if (d->line.at != NULL) {
        lull_json_key(j, "source");
        lull_json_open(j, '{');
        put_code(d->lines, d->line.at->pc, j);
        lull_json_put_hex(j, "value", d->line.value);
        lull_json_put_u64(j, "run", d->line.run);
        lull_json_close(j, '}');
    }
    lull_json_key(j, "runs");
    lull_json_open(j, '[');
    for (unsigned i = 0; i < 2; i++) {
        lull_json_open(j, '{');
        if (d->place.stored[i]) {
            lull_json_put_hex(j, "value", d->place.value[i]);
            lull_json_key(j, "store");
            lull_json_open(j, '{');
            put_store(d->runs[i], &d->place.store[i], j);
            lull_json_close(j, '}');
        }
        lull_json_key(j, "steps");
        lull_json_open(j, '[');
        for (size_t k = 0; k < d->part.chain[i].n && k < LULL_PART_CHAIN; k++) {
            const struct lull_tr_step *step = &d->part.chain[i].steps[k];
            lull_json_open(j, '{');
            put_code(d->runs[i], step->pc, j);
            put_regs(d->runs[i], step, "reads", 0, step->nreads, j);
            put_regs(d->runs[i], step, "writes", step->nreads, step->nwrites, j);
            lull_json_close(j, '}');
        }
        lull_json_close(j, ']');
        if (d->hops && d->hop.stored[i]) {
            lull_json_key(j, "writer");
            lull_json_open(j, '{');
            put_store(d->runs[i], &d->hop.store[i], j);
            lull_json_close(j, '}');
        }
        lull_json_close(j, '}');
    }
    lull_json_close(j, ']');
    if (d->part.branches) {
        lull_json_key(j, "branch");
        lull_json_open(j, '{');
        put_code(d->runs[0], d->part.branch[0].pc, j);
        lull_json_close(j, '}');
    }
}
