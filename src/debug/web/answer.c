// SPDX-License-Identifier: MIT
// What is answered to a request.
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "debug/shell/debugger.h"
#include "debug/web/web_priv.h"
#include "tex/dump.h"

enum { NONCE_BYTES = 16, MAX_PARAM = 256 };

extern const char lull_web_page[], lull_web_page_end[];

static const char plain[] = "text/plain; charset=utf-8", json_type[] = "application/json";
static const char bytes_type[] = "application/octet-stream";

/** A sentence instead of what was asked for. */
static void refuse(struct lull_web_reply *ret, unsigned status, const char *why)
{
    lull_str_free(&ret->body);
    ret->body = (struct lull_str){0};
    ret->status = status;
    ret->type = plain;
    lull_str_addf(&ret->body, "%s\n", why);
}

static void refuse_error(struct lull_web_reply *ret, unsigned status, struct lull_error *err)
{
    refuse(ret, status, lull_error_message(err));
    lull_error_free(err);
}

/** The page, whose style and script alone may be used: a number of this answer names them. */
static void page(struct lull_web *w, const struct lull_http_request *r, struct lull_web_reply *ret)
{
    static const char mark[] = "{{nonce}}";
    uint8_t bytes[NONCE_BYTES];
    char nonce[2 * NONCE_BYTES + 1];
    (void)r;
    ret->type = "text/html; charset=utf-8";
    if (w->host->page != NULL) {
        w->host->page(w->host->ctx, &ret->body);
        (void)snprintf(ret->policy, sizeof ret->policy,
                       "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; "
                       "form-action 'none'; frame-ancestors 'none'");
        return;
    }
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) {
        refuse_error(ret, 500, lull_error_os(errno, "getrandom"));
        return;
    }
    for (size_t i = 0; i < sizeof bytes; i++) {
        (void)snprintf(nonce + 2 * i, 3, "%02x", bytes[i]);
    }
    const char *at = lull_web_page, *end = lull_web_page_end;
    for (const char *p; (p = memmem(at, (size_t)(end - at), mark, sizeof mark - 1)) != NULL;
         at = p + sizeof mark - 1) {
        lull_str_add(&ret->body, at, (size_t)(p - at));
        lull_str_addf(&ret->body, "%s", nonce);
    }
    lull_str_add(&ret->body, at, (size_t)(end - at));
    (void)snprintf(ret->policy, sizeof ret->policy,
                   "default-src 'none'; style-src 'nonce-%s'; script-src 'nonce-%s'; connect-src "
                   "'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors "
                   "'none'",
                   nonce, nonce);
}

/** One command: a list of the objects that it prints, one if it fails. */
static void one_command(struct lull_web *w, const char *line, struct lull_str *out)
{
    lull_cleanup(lull_str_free) struct lull_str said = {0};
    const bool json = w->d->json;
    w->d->json = true;
    struct lull_error *err = lull_debug_command(w->d, line, &said);
    w->d->json = json;
    if (err == NULL && w->d->quit) {
        w->d->quit = false;
        err = lull_error_new(LULL_ERR_UNSUPPORTED,
                             "Ctrl-C in the terminal of lull debug ends the session");
    }
    lull_str_addf(out, "[");
    if (err != NULL) {
        struct lull_json j = {.out = out};
        lull_json_open(&j, '{');
        lull_json_put_str(&j, "command", line);
        lull_json_put_str(&j, "error", lull_error_message(err));
        lull_json_close(&j, '}');
        lull_error_free(err);
        said.size = 0;
    }
    for (size_t i = 0; i < said.size; i++) { // An object a line.
        const char c = said.text[i] != '\n' ? said.text[i] : ',';
        if (i + 1 < said.size || c != ',') {
            lull_str_add(out, &c, 1);
        }
    }
    lull_str_addf(out, "]");
}

/** Commands, one a line: a list of what each says. */
static void commands(struct lull_web *w, const struct lull_http_request *r,
                     struct lull_web_reply *ret)
{
    const char *at = r->body.at, *end = at + r->body.size;
    size_t n = 0;
    for (const char *p = at; p < end; p++) {
        n += *p == '\n' && p + 1 < end;
    }
    if (memchr(at, '\0', r->body.size) != NULL || n >= LULL_WEB_MAX_LINES) {
        refuse(ret, 400, "lull: at most 64 commands, one a line, without NULs");
        return;
    }
    ret->type = json_type;
    lull_str_addf(&ret->body, "[");
    for (bool first = true; at < end; first = false) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop != NULL ? stop : end;
        lull_cleanup(lull_freep) char *line = strndup(at, (size_t)(stop - at));
        lull_str_addf(&ret->body, "%s", first ? "" : ",");
        one_command(w, line != NULL ? line : "", &ret->body);
        at = stop + 1;
    }
    lull_str_addf(&ret->body, "]\n");
    w->host->after(w->host->ctx);
}

/** A number of the query. */
static bool number(struct lull_http_text query, const char *name, uint64_t most, uint64_t *ret)
{
    char text[MAX_PARAM];
    char *end = NULL;
    if (!lull_http_param(query, name, text, sizeof text) || *text < '0' || *text > '9') {
        return false;
    }
    errno = 0;
    *ret = strtoull(text, &end, 0);
    return errno == 0 && *end == '\0' && *ret <= most;
}

/** A number of 16 bits that need not be there. */
static bool maybe_number(struct lull_http_text query, const char *name, uint64_t *ret)
{
    return !lull_http_has(query, name) || number(query, name, UINT16_MAX, ret);
}

/** Bytes at "address", "size" of them. */
static void memory(struct lull_web *w, const struct lull_http_request *r,
                   struct lull_web_reply *ret)
{
    uint64_t address = 0, size = 0;
    if (!number(r->query, "address", UINT64_MAX, &address) ||
        !number(r->query, "size", LULL_WEB_MAX_MEMORY, &size) || size == 0) {
        refuse(ret, 400, "memory?address=ADDRESS&size=BYTES, at most 16 MiB");
        return;
    }
    lull_cleanup(lull_freep) char *buf = malloc(size);
    struct lull_error *err = buf == NULL ? &lull_enomem : lull_debug_read(w->d, address, buf, size);
    if (err != NULL) {
        refuse_error(ret, 404, err);
        return;
    }
    ret->type = bytes_type;
    lull_str_add(&ret->body, buf, size);
}

/** The picture "of": width and height, four bytes each, then red, green, blue and alpha. */
static void picture(struct lull_web *w, const struct lull_http_request *r,
                    struct lull_web_reply *ret)
{
    char what[MAX_PARAM];
    uint64_t level = 0, slice = 0;
    struct lull_pixels pixels = {.width = 0};
    if (!lull_http_param(r->query, "of", what, sizeof what) ||
        !maybe_number(r->query, "level", &level) || !maybe_number(r->query, "slice", &slice)) {
        refuse(ret, 400, "picture?of=NAME&level=LEVEL&slice=SLICE");
        return;
    }
    struct lull_error *err = lull_debug_picture(w->d, what, level, slice, &pixels);
    if (err == NULL) {
        const uint32_t size[2] = {pixels.width, pixels.height};
        for (unsigned i = 0; i < 8; i++) {
            const char byte = (char)(size[i / 4] >> 8 * (i % 4) & 0xff);
            lull_str_add(&ret->body, &byte, 1);
        }
        lull_str_add(&ret->body, (const char *)pixels.data,
                     (size_t)4 * pixels.width * pixels.height);
        ret->type = bytes_type;
    } else {
        refuse_error(ret, 404, err);
    }
    lull_pixels_done(&pixels);
}

/** Waves that run stop. */
static void stop(struct lull_web *w, const struct lull_http_request *r, struct lull_web_reply *ret)
{
    (void)r;
    w->stop = true;
    ret->type = json_type;
    lull_str_addf(&ret->body, "{}\n");
}

static const struct {
    const char *name;
    enum lull_http_method method;
    void (*answer)(struct lull_web *w, const struct lull_http_request *r,
                   struct lull_web_reply *ret);
    bool quick;
} parts[] = {
    {"", LULL_HTTP_GET, page, true},          {"command", LULL_HTTP_POST, commands, false},
    {"memory", LULL_HTTP_GET, memory, false}, {"picture", LULL_HTTP_GET, picture, false},
    {"stop", LULL_HTTP_POST, stop, true},
};

enum { NPARTS = sizeof parts / sizeof parts[0] };

/** Is it as long, and the same, whatever the time that it takes to see says? */
static bool same_token(const char *at, size_t size, const char *token)
{
    unsigned differs = size != strlen(token);
    for (size_t i = 0; i < size && token[i] != '\0'; i++) {
        differs |= (unsigned char)(at[i] ^ token[i]);
    }
    return differs == 0;
}

/** Was the request meant for us: "127.0.0.1:PORT", "localhost:PORT"? A page of somebody else's that
 * lets its own name lead to this machine says another. */
static bool is_ours(const struct lull_web *w, struct lull_http_text host)
{
    static const char *const names[] = {"127.0.0.1", "localhost"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char text[32];
        (void)snprintf(text, sizeof text, "%s:%u", names[i], w->host->port);
        if (lull_http_is(host, text)) {
            return true;
        }
    }
    return false;
}

/** Which part is asked for; NPARTS: @p ret_status says why none is. */
static size_t find(const struct lull_web *w, const struct lull_http_request *r,
                   unsigned *ret_status)
{
    static const char scheme[] = "http://";
    const char *path = r->path.at + 1, *end = r->path.at + r->path.size;
    const char *slash = memchr(path, '/', (size_t)(end - path));
    const struct lull_http_text o = r->origin;
    bool known = false;
    if (!is_ours(w, r->host)) {
        *ret_status = 421;
        return NPARTS;
    }
    const bool own =
        o.at == NULL ||
        (o.size > sizeof scheme - 1 && memcmp(o.at, scheme, sizeof scheme - 1) == 0 &&
         is_ours(w, (struct lull_http_text){o.at + sizeof scheme - 1, o.size - sizeof scheme + 1}));
    if (slash == NULL || !own || !same_token(path, (size_t)(slash - path), w->host->token)) {
        *ret_status = 403;
        return NPARTS;
    }
    const struct lull_http_text name = {slash + 1, (size_t)(end - slash - 1)};
    for (size_t i = 0; i < (w->d != NULL ? NPARTS : 1); i++) {
        known = known || lull_http_is(name, parts[i].name);
        if (lull_http_is(name, parts[i].name) && parts[i].method == r->method) {
            return i;
        }
    }
    *ret_status = known ? 405 : 404;
    return NPARTS;
}

bool lull_web_is_quick(const struct lull_web *w, unsigned status, const struct lull_http_request *r)
{
    const size_t i = status == 200 ? find(w, r, &status) : NPARTS;
    return i == NPARTS || parts[i].quick;
}

static const char *why(unsigned status)
{
    switch (status) {
    case 403:
        return "lull: the address is the one that lull has printed, with its token";
    case 413:
        return "lull: a request has at most 1 MiB";
    case 421:
        return "lull: the name of the host is 127.0.0.1 or localhost";
    default:
        return lull_http_reason(status);
    }
}

void lull_web_answer(struct lull_web *w, unsigned status, const struct lull_http_request *r,
                     struct lull_web_reply *ret)
{
    const size_t i = status == 200 ? find(w, r, &status) : NPARTS;
    *ret = (struct lull_web_reply){.status = 200, .type = plain};
    if (i != NPARTS) {
        parts[i].answer(w, r, ret);
    } else {
        refuse(ret, status, why(status));
    }
    if (ret->body.err != NULL) {
        refuse(ret, 500, "lull: memory is short");
    }
}

void lull_web_write(const struct lull_web_reply *reply, struct lull_str *out)
{
    lull_str_addf(out,
                  "HTTP/1.1 %u %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
                  "Connection: close\r\nCache-Control: no-store\r\n"
                  "Content-Security-Policy: %s\r\nCross-Origin-Resource-Policy: same-origin\r\n"
                  "Referrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n%s\r\n",
                  reply->status, lull_http_reason(reply->status), reply->type, reply->body.size,
                  *reply->policy != '\0' ? reply->policy : "default-src 'none'",
                  reply->status == 405 ? "Allow: GET, POST\r\n" : "");
    lull_str_add(out, lull_str_text(&reply->body), reply->body.size);
}
