// SPDX-License-Identifier: MIT
/* Words and numbers of a command line. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "debug/shell/shell.h"

bool lull_cmd_number(const char **at, uint64_t *ret)
{
    char *end = NULL;
    if (!isdigit((unsigned char)**at)) {
        return false;
    }
    *ret = strtoull(*at, &end, 0);
    if (isalnum((unsigned char)*end)) {
        return false;
    }
    while (isspace((unsigned char)*end)) {
        end++;
    }
    *at = end;
    return true;
}

struct lull_error *lull_cmd_count(const char *text, uint64_t least, uint64_t most, uint64_t *ret)
{
    const char *at = text;
    uint64_t n = 0;
    if (!lull_cmd_number(&at, &n) || *at != '\0' || n < least || n > most) {
        return lull_error_new(LULL_ERR_INVALID, "'%s' is not a count of %" PRIu64 " to %" PRIu64,
                              text, least, most);
    }
    *ret = n;
    return NULL;
}

bool lull_cmd_word(const char **at, const char *word)
{
    size_t n = strlen(word);
    const char *p = *at;
    if (strncmp(p, word, n) != 0 || (p[n] != '\0' && !isspace((unsigned char)p[n]))) {
        return false;
    }
    p += n;
    while (isspace((unsigned char)*p)) {
        p++;
    }
    *at = p;
    return true;
}

bool lull_cmd_options(const char *at, const struct lull_cmd_option *options, size_t n)
{
    while (*at != '\0') {
        size_t i = 0;
        uint64_t v = 0;
        while (i < n && !lull_cmd_word(&at, options[i].word)) {
            i++;
        }
        if (i == n || !lull_cmd_number(&at, &v) || v > options[i].most) {
            return false;
        }
        *options[i].to = v;
    }
    return true;
}

void lull_debug_show_lanes(uint64_t lanes, struct lull_str *out)
{
    unsigned n = (unsigned)__builtin_popcountll(lanes);
    lull_str_addf(out, "%s", n == 0 ? "" : n == 1 ? ", lane" : ", lanes");
    for (unsigned i = 0; i < LULL_MAX_LANES; i++) {
        if ((lanes >> i & 1) == 0) {
            continue;
        }
        unsigned last = i;
        while (last + 1 < LULL_MAX_LANES && (lanes >> (last + 1) & 1) != 0) {
            last++;
        }
        lull_str_addf(out, " %u", i);
        if (last > i) {
            lull_str_addf(out, "-%u", last);
        }
        i = last;
    }
}

void lull_cmd_desc_name(const struct lull_binding_name *name, struct lull_str *out)
{
    if (!name->known) {
        return;
    }
    lull_str_addf(out, "%" PRIu32 ".%" PRIu32, name->set, name->binding);
    if (name->element != 0) {
        lull_str_addf(out, "[%" PRIu32 "]", name->element);
    }
    lull_str_addf(out, "%s%s", name->name[0] != '\0' ? " " : "", name->name);
}
