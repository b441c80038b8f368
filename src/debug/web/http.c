// SPDX-License-Identifier: MIT
#include "debug/web/http.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/** What a header says of the body. */
struct framing {
    bool has_length, coded;
    size_t length;
};

bool lull_http_is(struct lull_http_text t, const char *text)
{
    return t.at != NULL && t.size == strlen(text) && memcmp(t.at, text, t.size) == 0;
}

static bool is_name(struct lull_http_text t, const char *name)
{
    return t.size == strlen(name) && strncasecmp(t.at, name, t.size) == 0;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/** May the byte stand in the name of a header field, or a method: tchar of RFC 9110. */
static bool is_token(char c)
{
    return isalnum((unsigned char)c) || (c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

static bool all_tokens(struct lull_http_text t)
{
    for (size_t i = 0; i < t.size; i++) {
        if (!is_token(t.at[i])) {
            return false;
        }
    }
    return t.size != 0;
}

/** "GET /path?query HTTP/1.1" */
static unsigned read_line(struct lull_http_text line, struct lull_http_request *r)
{
    const char *end = line.at + line.size;
    const char *space = memchr(line.at, ' ', line.size);
    const char *target = space != NULL ? space + 1 : end;
    const char *behind = memchr(target, ' ', (size_t)(end - target));
    if (behind == NULL || behind == target || *target != '/' ||
        !all_tokens((struct lull_http_text){line.at, (size_t)(space - line.at)})) {
        return 400;
    }
    for (const char *p = target; p < behind; p++) {
        if (*p <= ' ' || *p >= 0x7f) {
            return 400;
        }
    }
    const struct lull_http_text version = {behind + 1, (size_t)(end - behind - 1)};
    const struct lull_http_text method = {line.at, (size_t)(space - line.at)};
    if (!lull_http_is(version, "HTTP/1.1") && !lull_http_is(version, "HTTP/1.0")) {
        return version.size == 8 && memcmp(version.at, "HTTP/", 5) == 0 ? 505 : 400;
    }
    r->method = lull_http_is(method, "GET")    ? LULL_HTTP_GET
                : lull_http_is(method, "POST") ? LULL_HTTP_POST
                                               : LULL_HTTP_OTHER;
    const char *mark = memchr(target, '?', (size_t)(behind - target));
    const char *stop = mark != NULL ? mark : behind;
    r->path = (struct lull_http_text){target, (size_t)(stop - target)};
    r->query = mark != NULL ? (struct lull_http_text){mark + 1, (size_t)(behind - mark - 1)}
                            : (struct lull_http_text){NULL, 0};
    return 200;
}

/** A length that fits; too long is LULL_HTTP_MAX_BODY + 1. False: no number. */
static bool read_length(struct lull_http_text t, size_t *ret)
{
    *ret = 0;
    for (size_t i = 0; i < t.size; i++) {
        if (!isdigit((unsigned char)t.at[i])) {
            return false;
        }
        *ret = *ret > LULL_HTTP_MAX_BODY ? *ret : 10 * *ret + (size_t)(t.at[i] - '0');
    }
    return t.size != 0;
}

/** "Name: value" */
static unsigned read_field(struct lull_http_text line, struct lull_http_request *r,
                           struct framing *f)
{
    const char *colon = line.size != 0 ? memchr(line.at, ':', line.size) : NULL;
    if (colon == NULL) {
        return 400;
    }
    const struct lull_http_text name = {line.at, (size_t)(colon - line.at)};
    struct lull_http_text value = {colon + 1, line.size - name.size - 1};
    for (; value.size != 0 && is_blank(*value.at); value.size--) {
        value.at++;
    }
    while (value.size != 0 && is_blank(value.at[value.size - 1])) {
        value.size--;
    }
    for (size_t i = 0; i < value.size; i++) {
        if (iscntrl((unsigned char)value.at[i]) && value.at[i] != '\t') {
            return 400;
        }
    }
    if (!all_tokens(name)) {
        return 400;
    }
    struct lull_http_text *to = is_name(name, "host")     ? &r->host
                                : is_name(name, "origin") ? &r->origin
                                                          : NULL;
    if (to != NULL && to->at != NULL) {
        return 400;
    }
    if (to != NULL) {
        *to = value;
    } else if (is_name(name, "transfer-encoding")) {
        f->coded = true;
    } else if (is_name(name, "content-length")) {
        if (f->has_length || !read_length(value, &f->length)) {
            return 400;
        }
        f->has_length = true;
    }
    return 200;
}

unsigned lull_http_read(const char *bytes, size_t n, struct lull_http_request *ret)
{
    const size_t most = n < LULL_HTTP_MAX_HEAD ? n : LULL_HTTP_MAX_HEAD;
    const char *end = n != 0 ? memmem(bytes, most, "\r\n\r\n", 4) : NULL;
    struct lull_http_request r = {.method = LULL_HTTP_OTHER};
    struct framing f = {.length = 0};
    unsigned status = 200;
    if (end == NULL) {
        return n < LULL_HTTP_MAX_HEAD ? 0 : 431;
    }
    for (const char *at = bytes; status == 200 && at < end + 2;) {
        const char *stop = memmem(at, (size_t)(end + 2 - at), "\r\n", 2);
        const struct lull_http_text line = {at, (size_t)(stop - at)};
        status = at == bytes ? read_line(line, &r) : read_field(line, &r, &f);
        at = stop + 2;
    }
    if (status != 200) {
        return status;
    }
    if (f.coded) {
        return 501;
    }
    if (f.length > LULL_HTTP_MAX_BODY) {
        return 413;
    }
    const size_t head = (size_t)(end + 4 - bytes);
    if (n - head < f.length) {
        return 0;
    }
    r.body = (struct lull_http_text){end + 4, f.length};
    *ret = r;
    return 200;
}

static int hex_digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c != '\0' ? strchr(digits, tolower((unsigned char)c)) : NULL;
    return at != NULL ? (int)(at - digits) : -1;
}

/** The text @p t without its escapes. */
static bool decode(struct lull_http_text t, char *ret, size_t room)
{
    size_t n = 0;
    for (size_t i = 0; i < t.size; i++) {
        char c = t.at[i] == '+' ? ' ' : t.at[i];
        if (c == '%') {
            const int high = i + 2 < t.size ? hex_digit(t.at[i + 1]) : -1;
            const int low = i + 2 < t.size ? hex_digit(t.at[i + 2]) : -1;
            if (high < 0 || low < 0) {
                return false;
            }
            c = (char)(16 * high + low);
            i += 2;
        }
        if (c == '\0' || n + 1 >= room) {
            return false;
        }
        ret[n++] = c;
    }
    ret[n] = '\0';
    return true;
}

/** The value of @p name in a query; @p at is NULL if it is not there. */
static struct lull_http_text find_param(struct lull_http_text query, const char *name)
{
    const size_t size = strlen(name);
    const char *end = query.at != NULL ? query.at + query.size : NULL;
    for (const char *at = query.at; at != NULL && at < end;) {
        const char *stop = memchr(at, '&', (size_t)(end - at));
        stop = stop != NULL ? stop : end;
        const size_t n = (size_t)(stop - at);
        if (n > size && memcmp(at, name, size) == 0 && at[size] == '=') {
            return (struct lull_http_text){at + size + 1, n - size - 1};
        }
        at = stop + 1;
    }
    return (struct lull_http_text){NULL, 0};
}

bool lull_http_has(struct lull_http_text query, const char *name)
{
    return find_param(query, name).at != NULL;
}

bool lull_http_param(struct lull_http_text query, const char *name, char *ret, size_t room)
{
    const struct lull_http_text value = find_param(query, name);
    return value.at != NULL && decode(value, ret, room);
}

const char *lull_http_reason(unsigned status)
{
    static const struct {
        unsigned status;
        const char *text;
    } reasons[] = {{200, "OK"},
                   {400, "Bad Request"},
                   {403, "Forbidden"},
                   {404, "Not Found"},
                   {405, "Method Not Allowed"},
                   {413, "Content Too Large"},
                   {421, "Misdirected Request"},
                   {431, "Request Header Fields Too Large"},
                   {500, "Internal Server Error"},
                   {501, "Not Implemented"},
                   {505, "HTTP Version Not Supported"}};
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++) {
        if (reasons[i].status == status) {
            return reasons[i].text;
        }
    }
    return "Error";
}
