// SPDX-License-Identifier: MIT
/** @file
 * What the ways of showing a capture have in common. For src/adreno/show/ only.
 */
#ifndef LULL_ADRENO_SHOW_SHOW_PRIV_H
#define LULL_ADRENO_SHOW_SHOW_PRIV_H

#include "adreno/show/show.h"
#include "adreno/show/words.h"
#include "base/json.h"

enum { LULL_SHOW_SEEN = 1024, LULL_SHOW_PROBLEMS = 100, LULL_SHOW_COLUMNS = 64 };

/** A column of a query. */
struct lull_show_column {
    uint32_t reg;
    struct lull_dom_hit hit;
    char field[64]; ///< Empty: all of it.
    uint64_t value; ///< As it was shown last.
    bool shown;
};

struct lull_show {
    struct lull_show_options o;
    FILE *out, *log;
    const char *name; ///< Of the capture.
    struct lull_str text;
    struct lull_json j;
    struct lull_error *err;
    uint64_t problems, sections, draws_shown,
        parts;          ///< parts: of what was asked for, that were there.
    uint64_t counts[4]; ///< Draws by kind.
    unsigned indent;
    uint64_t seen[LULL_SHOW_SEEN]; ///< Shaders that were shown in this submit.
    struct lull_show_sql *sql;     ///< sql.c
    struct lull_show_column *columns;
    unsigned ncolumns;
    unsigned gen; ///< That columns were found for.
    bool in_stream, in_list;
    bool single; ///< The line of a write of one register waits for it.
    bool open_section, open_packets, open_packet, open_registers; ///< In JSON.
    /** At the end; @p err: what is wrong with the file, or NULL. May be NULL. */
    void (*finish)(struct lull_show *w, const struct lull_error *err);
};

/** Is this point of the walk asked for? */
bool lull_show_wanted(const struct lull_show *w, const struct lull_cap *c);
/** Write what is there, if it is much; @p now: in any case. */
void lull_show_flush(struct lull_show *w, bool now);
void lull_show_add(struct lull_show *w, const char *text);
void lull_show_addf(struct lull_show *w, const char *fmt, ...) LULL_PRINTF(2, 3);
/** As many blanks as the depth of calls has. */
void lull_show_indent(struct lull_show *w);
/** A value, "unknown" if it is not known. */
void lull_show_value(struct lull_show *w, struct lull_cap *c, const struct lull_dom_hit *hit,
                     struct lull_cap_value value, bool where);
/** "  (was 1)", "  (was never written)". */
void lull_show_was(struct lull_show *w, struct lull_cap *c, const struct lull_dom_hit *hit,
                   struct lull_cap_value old);
/** Was this shader shown in this submit? From now on it was. */
bool lull_show_was_seen(struct lull_show *w, uint64_t hash);
/** "a630", "a7xx". */
void lull_show_gpu(const struct lull_cap *c, struct lull_str *out);
/** Text of a section's payload, other characters as \\xNN. */
void lull_show_payload(const struct lull_rd_section *s, size_t most, struct lull_str *out);
/** Name of a section's type. */
void lull_show_type(const struct lull_rd_section *s, char *buf, size_t size);

/** The head line of a draw: number, packet, what, size, mode. */
void lull_show_draw_line(struct lull_show *w, struct lull_cap *c, const struct lull_cap_draw *d);

/* The ways: each fills in what it wants to be told. */
void lull_show_text_visitor(struct lull_show *w, struct lull_cap_visitor *v);
void lull_show_summary_visitor(struct lull_show *w, struct lull_cap_visitor *v);
void lull_show_query_visitor(struct lull_show *w, struct lull_cap_visitor *v);
void lull_show_json_visitor(struct lull_show *w, struct lull_cap_visitor *v);
/** One draw, complete. */
void lull_show_detail_visitor(struct lull_show *w, struct lull_cap_visitor *v);

void lull_show_sql_visitor(struct lull_show *w, struct lull_cap_visitor *v);
/** Close the file; @p keep: under its name, else it is gone. */
void lull_show_sql_end(struct lull_show *w, bool keep);

/* text.c, for detail.c */
void lull_show_load(struct lull_show *w, struct lull_cap *c, const struct lull_cap_load *l);
void lull_show_shader(struct lull_show *w, struct lull_cap *c, const struct lull_cap_shader *s);
void lull_show_params(struct lull_show *w, struct lull_cap *c, const struct lull_cap_draw *d);
/** One descriptor, its fields on indented lines. */
void lull_show_descriptor(struct lull_show *w, struct lull_cap *c, const struct lull_dom *dom,
                          struct lull_cap_words words, const char *title);

#endif
