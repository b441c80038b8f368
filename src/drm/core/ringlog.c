// SPDX-License-Identifier: MIT
#include "drm/core/ringlog.h"

#include <stdlib.h>
#include <string.h>

enum { LINE = 128 };

/** The next line, cut after LINE. False: the end. */
static bool next_line(struct lull_cur *c, char ret[LINE])
{
    size_t n = 0;
    const bool some = lull_cur_left(c) != 0;
    for (uint8_t byte = 0; byte != '\n' && lull_cur_left(c) != 0;) {
        byte = lull_cur_u8(c);
        if (byte != '\n' && n < LINE - 1) {
            ret[n++] = (char)(byte >= ' ' && byte <= '~' ? byte : '?');
        }
    }
    ret[n] = '\0';
    return some;
}

/** What stands behind @p key at the start of @p line; NULL: it does not. */
static const char *behind(const char *line, const char *key)
{
    return strncmp(line, key, strlen(key)) == 0 ? line + strlen(key) : NULL;
}

/** A ring begins here: its name. */
static bool begins(const char *line, char ret[LULL_RINGLOG_NAME])
{
    const char *amd = behind(line, "--- ring "), *msm = behind(line, "  - id: ");
    const char *from = amd != NULL ? strchr(amd, '(') : msm;
    from = from != NULL && amd != NULL ? from + 1 : from;
    size_t n = from != NULL ? strcspn(from, ")") : 0;
    n = n < LULL_RINGLOG_NAME - 1 ? n : LULL_RINGLOG_NAME - 1;
    if (from != NULL) {
        memcpy(ret, from, n);
        ret[n] = '\0';
    }
    return from != NULL;
}

static void take(const char *line, struct lull_ringlog *r)
{
    const struct {
        const char *key;
        uint32_t *to;
        bool pointer;
    } rows[] = {{"Last signaled fence ", &r->signaled, false},
                {"Last emitted ", &r->emitted, false},
                {"    retired-fence: ", &r->signaled, false},
                {"    last-fence: ", &r->emitted, false},
                {"    rptr: ", &r->rptr, true},
                {"    wptr: ", &r->wptr, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *at = behind(line, rows[i].key);
        if (at != NULL) {
            *rows[i].to = (uint32_t)strtoull(at, NULL, 0);
            r->has_pointers |= rows[i].pointer;
        }
    }
}

bool lull_ringlog_next(struct lull_cur *text, struct lull_ringlog *ret)
{
    char line[LINE], name[LULL_RINGLOG_NAME];
    struct lull_ringlog r = {0};
    bool found = false, trailing = false;
    struct lull_cur before = *text;
    while (next_line(text, line)) {
        const bool next = begins(line, name);
        if (next && found) {
            *text = before;
            break;
        }
        if (next) {
            memcpy(r.name, name, sizeof r.name);
            found = true;
        } else if (found && !trailing) {
            trailing = behind(line, "Last signaled trailing") != NULL; // more of them come
            take(line, &r);
        }
        before = *text;
    }
    *ret = r;
    return found;
}
