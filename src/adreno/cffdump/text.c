// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/cffdump/walk.h"

enum { FLUSH_AT = 1 << 16, ROW = 8, MAX_TABS = 9, MOST_SAID = 2047 };

void lull_cff_flush(struct lull_cff *c)
{
    if (c->out != NULL && c->text.size > 0 &&
        fwrite(c->text.text, 1, c->text.size, c->out) != c->text.size && c->err == NULL) {
        c->err = lull_error_new(LULL_ERR_OS, "cannot write the output");
    }
    c->text.size = c->counted = 0;
}

bool lull_cff_work(struct lull_cff *c, uint64_t n)
{
    if (!c->idle && n > c->work_here) {
        fprintf(c->log, "more text or work than a stream of this capture can need: cut short\n");
        c->idle = true;
    }
    c->work_here -= n < c->work_here ? n : c->work_here;
    return !c->idle;
}

bool lull_cff_quiet(const struct lull_cff *c, int importance)
{
    if (importance > 0 && c->o.one_draw && c->o.draw != c->draw_here) {
        return true;
    }
    return (importance > 1 && (c->o.nqueries > 0 || c->o.script != NULL)) ||
           (importance > 2 && c->o.summary && !c->unfolded);
}

void lull_cff_text(struct lull_cff *c, int quiet, const char *text, size_t size)
{
    if (lull_cff_quiet(c, quiet)) {
        return;
    }
    lull_str_put(&c->text, text, size);
    const uint64_t more = c->text.size - c->counted;
    c->work_here -= more < c->work_here ? more : c->work_here;
    c->counted = c->text.size;
    if (c->text.size > FLUSH_AT) {
        lull_cff_flush(c);
    }
}

void lull_cff_say(struct lull_cff *c, int quiet, const char *fmt, ...)
{
    if (lull_cff_quiet(c, quiet)) {
        return;
    }
    const size_t before = c->text.size;
    va_list args;
    va_start(args, fmt);
    lull_str_vaddf(&c->text, fmt, args);
    va_end(args);
    if (c->text.err == NULL && c->text.size - before > MOST_SAID) {
        c->text.size = before + MOST_SAID;
    }
    lull_cff_text(c, quiet, "", 0);
}

void lull_cff_echo(struct lull_cff *c, const char *text, size_t size)
{
    lull_str_put(&c->text, text, size);
    if (c->text.size > FLUSH_AT) {
        lull_cff_flush(c);
    }
}

const char *lull_cff_tabs(unsigned level)
{
    static const char tabs[] = "\t\t\t\t\t\t\t\t\t";
    return level < MAX_TABS ? tabs + MAX_TABS - (level + 1) : "x"; // as Mesa beyond nine
}

/** The address that a row starts with. */
static void address(struct lull_cff *c, uint64_t at, const char *tabs)
{
    lull_str_hex(&c->text, at, c->gen >= 5 ? 16 : 8);
    lull_str_put(&c->text, ":", 1);
    lull_str_put(&c->text, tabs, strlen(tabs));
}

/** A line is complete. */
static void line_end(struct lull_cff *c)
{
    lull_cff_text(c, 2, "\n", 1);
}

void lull_cff_hex(struct lull_cff *c, struct lull_cff_words w, unsigned level)
{
    bool last_zero = false;
    const char *tabs = lull_cff_tabs(level);
    if (lull_cff_quiet(c, 2)) {
        return;
    }
    const bool reached = lull_cff_reached(c, (w.nowhere ? 0 : w.address) + w.n * 4ull - 1);
    for (uint32_t i = 0; i < w.n; i += ROW) {
        const uint32_t n = w.n - i < ROW ? w.n - i : ROW;
        bool zero = i != 0;
        for (uint32_t j = 0; zero && j < n; j++) {
            zero = w.words[i + j] == 0;
        }
        if (zero && !last_zero) {
            lull_cff_say(c, 2, "*\n");
        }
        last_zero = zero;
        if (zero) {
            continue;
        }
        const bool red = reached && c->dom.colors != NULL;
        const char *on = red ? c->dom.colors[LULL_DOM_COLOR_UNKNOWN] : "";
        const char *off = red ? c->dom.colors[LULL_DOM_COLOR_RESET] : "";
        lull_str_put(&c->text, on, strlen(on));
        address(c, w.nowhere ? 0 : w.address + i * 4ull, tabs);
        lull_str_put(&c->text, off, strlen(off));
        lull_str_hex(&c->text, i * 4ull, 4);
        lull_str_put(&c->text, ":", 1);
        for (uint32_t j = 0; j < n; j++) {
            lull_str_put(&c->text, " ", 1);
            lull_str_hex(&c->text, w.words[i + j], 8);
        }
        line_end(c);
    }
}

void lull_cff_floats(struct lull_cff *c, int quiet, struct lull_cff_words w, unsigned level)
{
    const char *tabs = lull_cff_tabs(level);
    if (lull_cff_quiet(c, quiet)) {
        return;
    }
    for (uint32_t i = 0; i < w.n; i++) {
        float f = 0;
        memcpy(&f, &w.words[i], sizeof f);
        if (i % ROW == 0) {
            address(c, w.nowhere ? 0 : w.address + i * 4ull, tabs);
        } else {
            lull_str_put(&c->text, " ", 1);
        }
        if (!lull_str_real(&c->text, (double)f, 6)) { // never less than 8 characters
            lull_str_addf(&c->text, "%8f", (double)f);
        }
        if (i % ROW == ROW - 1 || i + 1 == w.n) {
            lull_cff_text(c, quiet, "\n", 1);
        }
    }
}
