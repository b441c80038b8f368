// SPDX-License-Identifier: MIT
// lull rd decompile on any bytes: no crash, it ends, and what comes out could be C: quotes,
// brackets and comments are closed, and nothing in it is beside ASCII. Seeds: captures.
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "adreno/decompile/decompile.h"

enum { DEEPEST = 64, TAKEN = 1 << 16 };

/** The end of the literal that begins at @p at; NULL: its line ends first. */
static const char *literal(const char *at)
{
    for (at++; *at != '"' && *at != '\n' && *at != '\0'; at++) {
        at += at[0] == '\\' && at[1] != '\0';
    }
    return *at == '"' ? at : NULL;
}

/** Could @p text be C? */
static bool is_closed(const char *text)
{
    char open[DEEPEST] = "";
    unsigned n = 0;
    for (const char *at = text; *at != '\0'; at++) {
        if ((*at < ' ' && *at != '\n') || *at > '~') {
            return false;
        }
        if (*at == '"') {
            at = literal(at);
            if (at == NULL) {
                return false;
            }
        } else if (at[0] == '/' && at[1] == '/') {
            at += strcspn(at, "\n") - 1;
            if (*at == '\\') {
                return false;
            }
        } else if (strchr("({[", *at) != NULL) {
            if (n == DEEPEST) {
                return false;
            }
            open[n++] = *at == '(' ? ')' : (char)(*at + 2);
        } else if (strchr(")}]", *at) != NULL && (n == 0 || open[--n] != *at)) {
            return false;
        }
    }
    return n == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lull_stream *stream = NULL;
    struct lull_str text = {0};
    if (size == 0 || size > TAKEN) {
        return 0;
    }
    struct lull_error *err = lull_stream_of(data, size, &stream);
    err = err != NULL ? err : lull_decompile(stream, "fuzz.rd", (int64_t)(data[0] % 4) - 1, &text);
    if ((err == NULL && !is_closed(lull_str_text(&text))) || (err != NULL && text.size != 0)) {
        abort();
    }
    lull_str_free(&text);
    lull_error_free(err);
    lull_stream_free(stream);
    return 0;
}
