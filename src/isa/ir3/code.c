// SPDX-License-Identifier: MIT
// Which part of a text is code: listings between other lines of a log, comments.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "isa/ir3/asm.h"

static const char heading[] = "Native code ";
static const char log_line[] = "MESA: info: "; // In front of each line, where Mesa logs.

size_t lull_ir3_word(const char *at, bool dots)
{
    size_t n = 0;
    if (isalpha((unsigned char)*at) || *at == '_') {
        while (isalnum((unsigned char)at[n]) || at[n] == '_' || (dots && at[n] == '.')) {
            n++;
        }
    }
    return n;
}

unsigned lull_ir3_line(struct lull_ir3_code *c, size_t at)
{
    if (at < c->counted) {
        c->counted = 0;
        c->line = 0;
    }
    for (; c->counted < at; c->counted++) {
        c->line += c->text[c->counted] == '\n';
    }
    return c->line + 1;
}

struct lull_error *lull_ir3_grow(void *array, size_t n, size_t *room, size_t size)
{
    void **all = array;
    if (n < *room) {
        return NULL;
    }
    const size_t more = *room * 2 + 16;
    void *grown = reallocarray(*all, more, size);
    if (grown == NULL) {
        return &lull_enomem;
    }
    *all = grown;
    *room = more;
    return NULL;
}

/** Characters of Mesa's log in front of a line. */
static size_t of_log(const char *line)
{
    return strncmp(line, log_line, sizeof log_line - 1) == 0 ? sizeof log_line - 1 : 0;
}

static bool is_heading(const char *line)
{
    return strncmp(line, heading, sizeof heading - 1) == 0;
}

/** "; CL: outputs: ...": what Mesa prints after the code. */
static bool is_end(const char *line)
{
    const size_t name = line[0] == ';' && line[1] == ' ' ? lull_ir3_word(line + 2, false) : 0;
    return name != 0 && strncmp(line + 2 + name, ": outputs:", 10) == 0;
}

/** "SIMD0", which older versions of Mesa print between the heading and the code. */
static bool is_simd(const char *line)
{
    return strncmp(line, "SIMD", 4) == 0 && isdigit((unsigned char)line[4]);
}

/** First place of a line that is a comment; its end if there is none. */
static size_t comment(const char *line, size_t size)
{
    size_t i = 0;
    while (i < size && line[i] != ';' && !(line[i] == '/' && i + 1 < size && line[i + 1] == '/')) {
        i++;
    }
    return i;
}

/** Characters of ":2:0001:0003[40100000x_20180004x] " before an instruction: category, numbers and
 * the word, as decoders print them; 0: there is none. */
static size_t prefix(const char *line, size_t size)
{
    static const char form[] = ":0:0000:0000["; // 0: a digit.
    size_t at = strspn(line, " \t");
    for (size_t i = 0; form[i] != '\0'; i++, at++) {
        const bool same = form[i] == '0' ? at < size && isdigit((unsigned char)line[at])
                                         : at < size && line[at] == form[i];
        if (!same) {
            return 0;
        }
    }
    at += strspn(line + at, "0123456789abcdefx_");
    return at < size && line[at] == ']' ? at + 1 : 0;
}

/** "constants: 1024" of the NIR that Mesa prints before the listing: bytes; else @p before. */
static uint64_t constant_bytes(const char *line, uint64_t before)
{
    static const char what[] = "constants: ";
    return strncmp(line, what, sizeof what - 1) == 0 ? strtoull(line + sizeof what - 1, NULL, 10)
                                                     : before;
}

/** The register with system value @p name of "; CL: inputs: r48.x (SYSTEM_VALUE_WORKGROUP_ID
 * slot=45
 * ...", plus 1; else @p before. */
static unsigned input(const char *line, size_t size, const char *name, unsigned before)
{
    const char *inputs = line[0] == ';' ? strstr(line, ": inputs:") : NULL;
    const char *at = inputs != NULL && inputs < line + size ? strstr(inputs, name) : NULL;
    if (at == NULL || at >= line + size || at - inputs < 8 || at[-1] != '(' || at[-2] != ' ') {
        return before;
    }
    const char *component = strchr("xyzw", at[-3]), *reg = at - 4;
    while (reg > inputs && isdigit((unsigned char)reg[-1])) {
        reg--;
    }
    const unsigned long n = reg[-1] == 'r' && reg[-2] == ' ' ? strtoul(reg, NULL, 10) : 64;
    return component != NULL && n < 63 ? 4 * (unsigned)n + (unsigned)(component - "xyzw") + 1
                                       : before;
}

/** What Mesa prints behind the code of @p p. */
static void behind(struct lull_ir3_part *p, const char *line, size_t size)
{
    p->group_reg = input(line, size, "SYSTEM_VALUE_WORKGROUP_ID ", p->group_reg);
    p->pixel_reg = input(line, size, "SYSTEM_VALUE_FRAG_COORD ", p->pixel_reg);
}

static size_t without_colon(const char *line, size_t size)
{
    while (size > 0 && (line[size - 1] == ':' || isspace((unsigned char)line[size - 1]))) {
        size--;
    }
    return size;
}

LULL_MUST_USE static struct lull_error *add_part(struct lull_ir3_code *c, struct lull_ir3_part p)
{
    struct lull_error *err = lull_ir3_grow(&c->parts, c->nparts, &c->room, sizeof *c->parts);
    if (err == NULL) {
        c->parts[c->nparts++] = p;
    }
    return err;
}

static bool any_heading(const char *text)
{
    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (is_heading(line + of_log(line))) {
            return true;
        }
    }
    return false;
}

struct lull_error *lull_ir3_code_of(const char *text, struct lull_ir3_code *ret)
{
    struct lull_ir3_code c = {.text = strdup(text)};
    struct lull_error *err = c.text == NULL ? &lull_enomem : NULL;
    bool inside = err == NULL && !any_heading(text);
    uint64_t constants = 0;
    if (inside) {
        err = add_part(&c, (struct lull_ir3_part){0});
    }
    for (size_t at = 0, size = 0; err == NULL && text[at] != '\0'; at += size) {
        size = strcspn(text + at, "\n");
        const size_t log = of_log(text + at);
        const char *line = text + at + log;
        size_t code = 0;
        if (is_heading(line)) {
            err = add_part(&c, (struct lull_ir3_part){.title = line,
                                                      .title_size = without_colon(line, size - log),
                                                      .start = at,
                                                      .constant_bytes = constants});
            inside = true;
            constants = 0;
        } else if (c.nparts > 0 && c.parts[0].title != NULL && is_end(line)) {
            inside = false;
        } else if (!inside) {
            constants = constant_bytes(line, constants);
            if (c.nparts > 0) {
                behind(&c.parts[c.nparts - 1], line, size - log);
            }
        } else if (!is_simd(line)) {
            memset(c.text + at, ' ', log + prefix(line, size - log));
            code = log + comment(line, size - log);
        }
        memset(c.text + at + code, ' ', size - code);
        size += text[at + size] == '\n';
        if (err == NULL && inside) {
            c.parts[c.nparts - 1].end = at + size;
        }
    }
    if (err != NULL) {
        lull_ir3_code_done(&c);
        return err;
    }
    *ret = c;
    return NULL;
}

void lull_ir3_code_done(struct lull_ir3_code *c)
{
    free(c->text);
    free(c->parts);
    *c = (struct lull_ir3_code){0};
}
