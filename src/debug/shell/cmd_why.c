// SPDX-License-Identifier: MIT
/* why: from a value back to what made it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/output.h"
#include "debug/session/why.h"
#include "debug/session/writer.h"
#include "debug/shell/shell.h"
#include "debug/shell/why_page.h"

enum { BUFFERS = 64, NEAR = 65536, DEPTH = 8, MOST_DEPTH = 64, SMALL = 65536 };

static void show_value(const struct lull_why_node *n, bool is_float, struct lull_str *out)
{
    float f = 0;
    const uint32_t low = (uint32_t)n->value;
    memcpy(&f, &low, sizeof f);
    if (!n->has_value) {
        lull_str_addf(out, "?");
    } else if (is_float && n->place.size == sizeof f) {
        lull_str_addf(out, "%g", (double)f);
    } else if (n->value < SMALL || (int32_t)low > -SMALL - 1) {
        lull_str_addf(out, "%" PRId32, (int32_t)low);
    } else {
        lull_str_addf(out, "0x%" PRIx64, n->value);
    }
}

/* " (behind out, at its byte 1024)": the buffer that ends in front of @p va. */
static void show_near(struct lull_cmd *c, uint64_t va, struct lull_str *out)
{
    lull_cleanup(lull_freep) struct lull_bo_info *infos = calloc(BUFFERS, sizeof *infos);
    size_t n = 0;
    uint64_t best = NEAR;
    const char *name = NULL;
    struct lull_error *err =
        infos != NULL ? lull_debug_bos(c->d, infos, BUFFERS, &n) : &lull_enomem;
    for (size_t i = 0; err == NULL && i < n && i < BUFFERS; i++) {
        const uint64_t end = infos[i].va + infos[i].size;
        const bool named = infos[i].name != NULL && infos[i].name[0] != '\0';
        if (va >= infos[i].va && va < end) { // It is in one that has no name.
            lull_error_free(err);
            return;
        }
        if (named && va >= end && va - end < best) {
            best = va - end;
            name = infos[i].name;
        }
    }
    if (name != NULL) {
        lull_str_addf(out, " (behind the end of %s, by %" PRIu64 " bytes)", name, best);
    }
    lull_error_free(err);
}

/* "v3", "out+0x14", "LDS 0x3fc", "scratch 0x10" */
static void show_place(struct lull_cmd *c, const struct lull_why_place *p, struct lull_str *out)
{
    lull_cleanup(lull_str_free) struct lull_str name = {0};
    switch (p->where) {
    case LULL_WHY_REGISTER:
        lull_debug_why_register(c->d, p, out);
        break;
    case LULL_WHY_LDS:
        lull_str_addf(out, "LDS 0x%" PRIx64, p->address);
        break;
    case LULL_WHY_SCRATCH:
        lull_str_addf(out, "scratch 0x%" PRIx64, p->address);
        break;
    case LULL_WHY_MEMORY:
    default:
        lull_debug_show_place(c->d, p->address, &name);
        if (name.size > 2 && lull_str_text(&name)[0] == '<') {
            lull_str_addf(out, "%.*s", (int)name.size - 2, lull_str_text(&name) + 1);
        } else {
            lull_str_addf(out, "0x%" PRIx64, p->address);
            show_near(c, p->address, out);
        }
        break;
    }
}

static const char *never(const struct lull_why_place *p)
{
    switch (p->where) {
    case LULL_WHY_LDS:
        return "never written: LDS of this workgroup";
    case LULL_WHY_SCRATCH:
        return "never written: scratch of this lane";
    case LULL_WHY_MEMORY:
    case LULL_WHY_REGISTER:
    default:
        return "never written by this dispatch: what the host put there";
    }
}

/* The instruction of @p n, with the source line in front of it. */
static void show_made(struct lull_cmd *c, const struct lull_why_node *n, bool who)
{
    struct lull_line line = {0};
    unsigned size = 0;
    char text[LULL_LINE_ROOM] = {0};
    if (who && c->d->at_draw) { // Its waves are of no workgroup.
        lull_str_addf(c->out, "  wave %u lane %u", n->wave, n->lane);
    } else if (who) {
        lull_str_addf(c->out, "  wave %u (workgroup %u,%u,%u) lane %u", n->wave, n->group[0],
                      n->group[1], n->group[2], n->lane);
    }
    lull_str_addf(c->out, "  <");
    lull_error_free(lull_debug_insn_text(c->d, n->pc, 0, c->out, &size));
    lull_str_addf(c->out, ">");
    if (lull_debug_line_at(c->d, n->pc, &line)) {
        const char *slash = strrchr(line.file, '/');
        const bool known = lull_debug_source_text(line.file, line.line, text);
        const char *at = text + strspn(text, " \t");
        lull_str_addf(c->out, "  %s:%" PRIu32 "%s%s", slash != NULL ? slash + 1 : line.file,
                      line.line, known ? ": " : "", known ? at : "");
    }
}

static void show_how(struct lull_cmd *c, const struct lull_why *y, const struct lull_why_node *n,
                     bool who)
{
    switch (n->how) {
    case LULL_WHY_MADE:
        show_made(c, n, who);
        break;
    case LULL_WHY_NEVER:
        lull_str_addf(c->out, "  ");
        if (n->place.where != LULL_WHY_MEMORY || !n->has_value ||
            !lull_debug_show_before(c, n->place.address, n->place.size, n->value)) {
            lull_str_addf(c->out, "%s", never(&n->place));
        }
        break;
    case LULL_WHY_LATER:
        lull_str_addf(c->out, "  not written yet; later, by");
        show_made(c, n, true);
        break;
    case LULL_WHY_START:
        lull_str_addf(c->out, "  %s", n->note != NULL ? n->note : "the wave started with it");
        break;
    case LULL_WHY_AGAIN:
        lull_str_addf(c->out, "  as above:");
        show_made(c, &y->nodes[n->same], false);
        break;
    case LULL_WHY_DEEPER:
        lull_str_addf(c->out, "  ... (why -depth N)");
        break;
    case LULL_WHY_UNKNOWN:
    default:
        break;
    }
    if (n->note != NULL && n->how != LULL_WHY_START) {
        lull_str_addf(c->out, "  (%s)", n->note);
    }
    lull_str_addf(c->out, "\n");
}

/* Is it nothing but a step on the way of a value that is moved? */
static bool hidden(const struct lull_why *y, size_t i)
{
    return i != 0 && y->nodes[y->nodes[i].parent].copies;
}

/* The node in whose place @p i stands, where values are only moved in between: for its wave. */
static size_t seen_from(const struct lull_why *y, size_t i)
{
    while (hidden(y, i)) {
        i = y->nodes[i].parent;
    }
    return i;
}

/* What makes the value of @p i in the end, behind what only moves it. */
static const struct lull_why_node *origin(const struct lull_why *y, size_t i)
{
    size_t at = i;
    for (size_t k = i + 1; y->nodes[at].copies && k < y->n; k++) {
        at = y->nodes[k].parent == at ? k : at;
    }
    return &y->nodes[at];
}

/* Is it a float: by what made it, or, where it is only loaded or stored, by that of the value? */
static bool floats(const struct lull_why *y, size_t i)
{
    const struct lull_why_node *n = origin(y, i);
    const size_t at = (size_t)(n - y->nodes);
    bool is = n->how == LULL_WHY_MADE && n->is_float;
    for (size_t k = at + 1; !is && n->how == LULL_WHY_MADE && n->memory && k < y->n; k++) {
        is = y->nodes[k].parent == at && floats(y, k);
    }
    return is;
}

static void show_tree(struct lull_cmd *c, const struct lull_why *y, size_t i, const char *text,
                      bool in_float)
{
    const struct lull_why_node *n = &y->nodes[i];
    const struct lull_why_node *from = origin(y, i);
    const struct lull_why_node *up = &y->nodes[seen_from(y, n->parent)];
    const bool leaf = from->how != LULL_WHY_MADE;
    lull_str_addf(c->out, "%*s", (int)(2 * n->depth), "");
    lull_str_addf(c->out, "%s", n->earlier ? "written before, too: " : "");
    if (text != NULL) {
        lull_str_addf(c->out, "%s", text);
    } else {
        show_place(c, &n->place, c->out);
    }
    lull_str_addf(c->out, " = ");
    show_value(n, !n->is_mask && (floats(y, i) || in_float), c->out);
    if (from != n && leaf && from->place.where != n->place.where) {
        lull_str_addf(c->out, "  from ");
        show_place(c, &from->place, c->out);
    }
    const bool who = i == 0 || from->wave != up->wave ||
                     memcmp(from->group, up->group, sizeof up->group) != 0 ||
                     from->lane != up->lane;
    show_how(c, y, from, who && from->how == LULL_WHY_MADE);
    for (size_t k = 0; k < y->n; k++) {
        if (k != 0 && &y->nodes[y->nodes[k].parent] == from && from->how == LULL_WHY_MADE &&
            !from->copies) {
            show_tree(c, y, k, NULL, from->is_float || (from->memory && in_float));
        }
    }
}

static void put_json(struct lull_cmd *c, const struct lull_why *y)
{
    static const char *const hows[] = {"made",  "never written", "later",  "start",
                                       "again", "deeper",        "unknown"};
    lull_json_key(c->json, "nodes");
    lull_json_open(c->json, '[');
    for (size_t i = 0; i < y->n; i++) {
        const struct lull_why_node *n = &y->nodes[i];
        lull_cleanup(lull_str_free) struct lull_str place = {0};
        lull_cleanup(lull_str_free) struct lull_str insn = {0};
        struct lull_line line = {0};
        unsigned size = 0;
        show_place(c, &n->place, &place);
        lull_json_open(c->json, '{');
        lull_json_put_str(c->json, "place", lull_str_text(&place));
        if (i != 0) {
            lull_json_put_u64(c->json, "parent", n->parent);
        }
        if (n->has_value) {
            lull_json_put_hex(c->json, "value", n->value);
        }
        lull_json_put_str(c->json, "how", hows[n->how]);
        if (n->how == LULL_WHY_MADE || n->how == LULL_WHY_LATER) {
            lull_error_free(lull_debug_insn_text(c->d, n->pc, 0, &insn, &size));
            lull_json_put_hex(c->json, "pc", n->pc);
            lull_json_put_str(c->json, "instruction", lull_str_text(&insn));
            lull_json_put_u64(c->json, "wave", n->wave);
            lull_json_put_u64(c->json, "lane", n->lane);
            lull_json_put_bool(c->json, "copies", n->copies);
            if (lull_debug_line_at(c->d, n->pc, &line)) {
                lull_json_put_str(c->json, "file", line.file);
                lull_json_put_u64(c->json, "line", line.line);
            }
        } else if (n->how == LULL_WHY_AGAIN) {
            lull_json_put_u64(c->json, "same", n->same);
        } else if (n->how == LULL_WHY_NEVER && n->place.where == LULL_WHY_MEMORY) {
            lull_debug_json_before(c, n->place.address, n->place.size);
        }
        if (n->earlier) {
            lull_json_put_bool(c->json, "earlier", true);
        }
        if (n->note != NULL) {
            lull_json_put_str(c->json, "note", n->note);
        }
        lull_json_close(c->json, '}');
    }
    lull_json_close(c->json, ']');
}

/* "v3 = 7", and below it how it came there. */
static void label(struct lull_cmd *c, const struct lull_why *y, size_t i, struct lull_str *ret)
{
    const struct lull_why_node *n = &y->nodes[i];
    struct lull_str *const out = c->out;
    c->out = ret;
    lull_str_addf(ret, "%s", n->earlier ? "written before, too: " : "");
    show_place(c, &n->place, ret);
    lull_str_addf(ret, " = ");
    show_value(n, !n->is_mask && floats(y, i), ret);
    lull_str_addf(ret, "\n");
    show_how(c, y, n, n->how == LULL_WHY_MADE);
    c->out = out;
    while (ret->size > 0 && ret->text[ret->size - 1] == '\n') {
        ret->text[--ret->size] = '\0';
    }
}

/* The graph, or the page, into a file. */
LULL_MUST_USE static struct lull_error *write_page(struct lull_cmd *c, const struct lull_why *y,
                                                   const char *question, const char *file,
                                                   bool html)
{
    lull_cleanup(lull_freep) struct lull_why_labels *l = calloc(1, sizeof *l);
    lull_cleanup(lull_str_free) struct lull_str out = {0};
    struct lull_error *err = l == NULL ? &lull_enomem : NULL;
    for (size_t i = 0; err == NULL && i < y->n; i++) {
        label(c, y, i, &l->of[i]);
        err = l->of[i].err;
    }
    if (err == NULL) {
        l->question = question;
        (html ? lull_why_html : lull_why_dot)(y, l, &out);
        err = out.err;
    }
    err = err != NULL ? err : lull_output_write(file, lull_str_text(&out), out.size);
    for (size_t i = 0; l != NULL && i < y->n; i++) {
        lull_str_free(&l->of[i]);
    }
    if (err == NULL) {
        lull_str_addf(c->out, "%s: %zu values\n", file, y->n);
    }
    return err;
}

/* "-dot FILE": the name up to a blank. NULL in @p ret: the word is not there. */
LULL_MUST_USE static struct lull_error *file_after(const char **at, const char *word, char **ret)
{
    if (!lull_cmd_word(at, word)) {
        return NULL;
    }
    const size_t n = strcspn(*at, " \t");
    if (n == 0 || *ret != NULL) {
        return lull_error_new(LULL_ERR_INVALID, "why %s FILE PLACE: one file", word);
    }
    *ret = strndup(*at, n);
    *at += n + strspn(*at + n, " \t");
    return *ret != NULL ? NULL : &lull_enomem;
}

/* Nothing can be gone back to: who wrote it, at least, if that is noted. @return NULL, or @p why.
 */
LULL_MUST_USE static struct lull_error *last_writer(struct lull_cmd *c, const char *text,
                                                    struct lull_error *why)
{
    uint64_t va = 0, size = 0;
    struct lull_error *err = lull_error_code(why) == LULL_ERR_UNSUPPORTED
                                 ? lull_debug_writer_place(c->d, text, &va, &size)
                                 : NULL;
    if (lull_error_code(why) != LULL_ERR_UNSUPPORTED) {
        return why;
    }
    err = err != NULL ? err : lull_debug_show_writers(c, text, va, size, false);
    if (err != NULL) {
        lull_error_free(err);
        return why;
    }
    lull_error_free(why);
    return NULL;
}

/* "[-depth N] [-control] [-dot FILE] [-html FILE] PLACE" */
struct lull_error *lull_cmd_why(struct lull_cmd *c)
{
    const char *at = c->args;
    uint64_t depth = DEPTH;
    struct lull_why_far far = {0};
    lull_cleanup(lull_freep) char *dot = NULL;
    lull_cleanup(lull_freep) char *html = NULL;
    if (lull_cmd_word(&at, "-depth") &&
        (!lull_cmd_number(&at, &depth) || depth == 0 || depth > MOST_DEPTH)) {
        return lull_error_new(LULL_ERR_INVALID, "why -depth: not a number of 1 to %d", MOST_DEPTH);
    }
    far.depth = (unsigned)depth;
    far.control = lull_cmd_word(&at, "-control");
    struct lull_error *err = file_after(&at, "-dot", &dot);
    err = err != NULL ? err : file_after(&at, "-html", &html);
    if (err != NULL) {
        return err;
    }
    if (*at == '\0') {
        return lull_error_new(LULL_ERR_INVALID, "why what? [-depth N] PLACE: a register, a "
                                                "variable, NAME[INDEX], an address");
    }
    lull_cleanup(lull_freep) struct lull_why *y = NULL;
    err = lull_debug_why(c->d, at, &far, &y);
    if (err != NULL) {
        return last_writer(c, at, err);
    }
    if (err == NULL && dot != NULL) {
        err = write_page(c, y, at, dot, false);
    }
    if (err == NULL && html != NULL) {
        err = write_page(c, y, at, html, true);
    }
    if (err != NULL) {
        return err;
    }
    if (c->json != NULL) {
        put_json(c, y);
    }
    if (dot == NULL && html == NULL) {
        show_tree(c, y, 0, at, false);
    }
    return NULL;
}
