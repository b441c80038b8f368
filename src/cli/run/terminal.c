// SPDX-License-Identifier: MIT
#include "cli/run/terminal.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"

static const char BOLD[] = "\033[1m", PLAIN[] = "\033[0m";
static const char BLUE[] = "\033[34m", YELLOW[] = "\033[33m", GREEN[] = "\033[32m";

void lull_terminal_open(struct lull_terminal *t)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    t->colours = isatty(STDOUT_FILENO) != 0 && (no == NULL || *no == '\0') && term != NULL &&
                 *term != '\0' && strcmp(term, "dumb") != 0;
}

static void put(struct lull_str *out, const char *colour, const char *text, size_t n)
{
    lull_str_addf(out, "%s", colour);
    lull_str_add(out, text, n);
    lull_str_addf(out, "%s", PLAIN);
}

/* Characters of "FILE:LINE" at the beginning of a line, in front of a tabulator; 0: there is none.
 */
static size_t place_at(const char *line, size_t length)
{
    const char *tab = memchr(line, '\t', length);
    const size_t n = tab != NULL ? (size_t)(tab - line) : 0;
    size_t digits = 0;
    while (digits < n && isdigit((unsigned char)line[n - 1 - digits])) {
        digits++;
    }
    return digits > 0 && digits < n && line[n - 1 - digits] == ':' ? n : 0;
}

/* Characters of "0x..." at @p at; 0: there is none. */
static size_t address_at(const char *at, size_t left)
{
    size_t n = 2;
    if (left < 3 || at[0] != '0' || at[1] != 'x') {
        return 0;
    }
    while (n < left && isxdigit((unsigned char)at[n])) {
        n++;
    }
    return n;
}

/* Characters of "<symbol+0x10>" at @p at; 0: there is none. */
static size_t symbol_at(const char *at, size_t left)
{
    const char *end = left > 0 && at[0] == '<' ? memchr(at, '>', left) : NULL;
    return end != NULL ? (size_t)(end - at) + 1 : 0;
}

static void colour(const char *line, size_t length, struct lull_str *out)
{
    if (length > 5 && strncmp(line, "Wave ", 5) == 0 && isdigit((unsigned char)line[5])) {
        put(out, BOLD, line, length);
        return;
    }
    size_t i = place_at(line, length);
    if (i != 0) {
        put(out, GREEN, line, i);
        lull_str_add(out, line + i, length - i); // the program's text
        return;
    }
    while (i < length) {
        const char *at = line + i;
        const bool begins = i == 0 || !isalnum((unsigned char)at[-1]);
        const size_t address = begins ? address_at(at, length - i) : 0;
        const size_t symbol = address == 0 ? symbol_at(at, length - i) : 0;
        const size_t arrow = strncmp(at, "=>", 2) == 0 && i < 4 && length - i > 1 ? 2 : 0;
        const size_t n = address + symbol + arrow;
        if (n == 0) {
            lull_str_add(out, at, 1);
            i++;
            continue;
        }
        put(out, arrow != 0 ? BOLD : address != 0 ? BLUE : YELLOW, at, n);
        i += n;
    }
}

/* Rows that a line takes on a terminal of so many columns. */
static unsigned rows_of(size_t length, unsigned columns)
{
    return length == 0 || columns == 0 ? 1 : (unsigned)((length + columns - 1) / columns);
}

static void write_line(const struct lull_terminal *t, const char *line, size_t n)
{
    lull_cleanup(lull_str_free) struct lull_str shown = {0};
    if (t->colours) {
        colour(line, n, &shown);
    } else {
        lull_str_add(&shown, line, n);
    }
    fwrite(lull_str_text(&shown), 1, shown.size, stdout);
}

void lull_terminal_write(const struct lull_terminal *t, const char *text)
{
    struct winsize size = {0};
    const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 1;
    bool pages = t->ask != NULL && known;
    unsigned rows = 0;
    while (*text != '\0') {
        const size_t n = strcspn(text, "\n");
        const unsigned more = rows_of(n, size.ws_col);
        if (pages && rows != 0 && rows + more >= size.ws_row) {
            const enum lull_terminal_answer answer = t->ask(t->ctx);
            if (answer == LULL_TERMINAL_QUIT) {
                return;
            }
            pages = answer == LULL_TERMINAL_MORE;
            rows = 0;
        }
        write_line(t, text, n);
        rows += more;
        text += n;
        if (*text == '\n') {
            putchar('\n');
            text++;
        }
    }
}
