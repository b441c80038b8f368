// SPDX-License-Identifier: MIT
#include "debug/shell/why_page.h"

#include <string.h>

static void dot_text(const char *text, struct lull_str *out)
{
    for (const char *p = text; *p != '\0'; p++) {
        if (*p == '\n') {
            lull_str_addf(out, "\\l");
        } else if ((unsigned char)*p >= ' ') {
            lull_str_addf(out, *p == '"' || *p == '\\' ? "\\%c" : "%c", *p);
        }
    }
}

static const char *style(const struct lull_why_node *n)
{
    switch (n->how) {
    case LULL_WHY_NEVER:
        return ", style=filled, fillcolor=\"#fff2b3\"";
    case LULL_WHY_LATER:
    case LULL_WHY_UNKNOWN:
        return ", style=filled, fillcolor=\"#ffd0cc\"";
    case LULL_WHY_START:
        return ", style=filled, fillcolor=\"#dbe7ff\"";
    case LULL_WHY_MADE:
    case LULL_WHY_AGAIN:
    case LULL_WHY_DEEPER:
    default:
        return n->copies ? ", style=dashed" : "";
    }
}

void lull_why_dot(const struct lull_why *y, const struct lull_why_labels *l, struct lull_str *out)
{
    lull_str_addf(out, "digraph why {\n    label=\"why ");
    dot_text(l->question, out);
    lull_str_addf(out, "\";\n    rankdir=BT;\n    node [shape=box, fontname=monospace];\n");
    for (size_t i = 0; i < y->n; i++) {
        const struct lull_why_node *n = &y->nodes[i];
        if (n->how != LULL_WHY_AGAIN) {
            lull_str_addf(out, "    n%zu [label=\"", i);
            dot_text(lull_str_text(&l->of[i]), out);
            lull_str_addf(out, "\\l\"%s];\n", style(n));
        }
    }
    for (size_t i = 1; i < y->n; i++) {
        const struct lull_why_node *n = &y->nodes[i];
        lull_str_addf(out, "    n%zu -> n%zu;\n", n->how == LULL_WHY_AGAIN ? n->same : i,
                      n->parent);
    }
    lull_str_addf(out, "}\n");
}

static bool has_below(const struct lull_why *y, size_t i)
{
    for (size_t k = i + 1; k < y->n; k++) {
        if (y->nodes[k].parent == i) {
            return true;
        }
    }
    return false;
}

static void html_label(const struct lull_why_labels *l, size_t i, struct lull_str *out)
{
    const char *text = lull_str_text(&l->of[i]), *line = strchr(text, '\n');
    lull_str_addf(out, "<b>");
    for (const char *p = text; *p != '\0' && p != line; p++) {
        const char one[2] = {*p, '\0'};
        lull_str_page(out, one);
    }
    lull_str_addf(out, "</b> <span>");
    lull_str_page(out, line != NULL ? line + 1 : "");
    lull_str_addf(out, "</span>");
}

static void html_node(const struct lull_why *y, const struct lull_why_labels *l, size_t i,
                      struct lull_str *out)
{
    const struct lull_why_node *n = &y->nodes[i];
    const bool leaf = !has_below(y, i);
    lull_str_addf(out,
                  leaf ? "<p id=\"n%zu\" class=\"h%u\">"
                       : "<details open id=\"n%zu\"><summary "
                         "class=\"h%u\">",
                  i, (unsigned)n->how);
    html_label(l, i, out);
    if (n->how == LULL_WHY_AGAIN) {
        lull_str_addf(out, " <a href=\"#n%zu\">there</a>", n->same);
    }
    if (leaf) {
        lull_str_addf(out, "</p>\n");
        return;
    }
    lull_str_addf(out, "</summary>\n");
    for (size_t k = i + 1; k < y->n; k++) {
        if (y->nodes[k].parent == i) {
            html_node(y, l, k, out);
        }
    }
    lull_str_addf(out, "</details>\n");
}

void lull_why_html(const struct lull_why *y, const struct lull_why_labels *l, struct lull_str *out)
{
    lull_str_addf(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                       "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                       "style-src 'unsafe-inline'\">\n<title>why ");
    lull_str_page(out, l->question);
    lull_str_addf(out, "</title>\n<style>\n"
                       ":root{color-scheme:light dark}\n"
                       "body{font:14px/1.6 ui-monospace,monospace;margin:1.5rem}\n"
                       "details,p{margin:0 0 0 1.2rem;padding:0}summary{cursor:pointer}\n"
                       "span{opacity:.75;margin-left:.8rem}\n"
                       ".h1 b{background:#fff2b3;color:#000}.h2 b,.h6 b{background:#ffd0cc;"
                       "color:#000}\n.h3 b{background:#dbe7ff;color:#000}:target{outline:2px "
                       "solid}\n</style></head><body>\n<h1>why ");
    lull_str_page(out, l->question);
    lull_str_addf(out, "</h1>\n");
    html_node(y, l, 0, out);
    lull_str_addf(out, "</body></html>\n");
}
