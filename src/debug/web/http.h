// SPDX-License-Identifier: MIT
/** @file
 * Requests of HTTP/1.1 as one that answers each connection once needs them.
 *
 * Source: RFC 9112 (message syntax) and RFC 9110 (meaning). What they leave to the server is
 * refused where it could be read in two ways: folded header lines, two lengths, a transfer coding,
 * bare newlines.
 */
#ifndef LULL_DEBUG_WEB_HTTP_H
#define LULL_DEBUG_WEB_HTTP_H

#include <stdbool.h>
#include <stddef.h>

enum {
    LULL_HTTP_MAX_HEAD = 16 << 10, ///< Bytes of request line and header.
    LULL_HTTP_MAX_BODY = 1 << 20,  ///< Bytes.
};

/** Bytes of the request; at NULL: it has none such. */
struct lull_http_text {
    const char *at;
    size_t size;
};

enum lull_http_method { LULL_HTTP_GET, LULL_HTTP_POST, LULL_HTTP_OTHER };

/** Points into the bytes that were read. */
struct lull_http_request {
    enum lull_http_method method;
    struct lull_http_text path;  ///< As it was sent, from its '/' on, without the query.
    struct lull_http_text query; ///< Behind '?'.
    struct lull_http_text host, origin;
    struct lull_http_text body;
};

/**
 * Read the request that @p bytes begin with.
 *
 * @return 0: it is not whole yet; 200: it is; else the status that says what is wrong with it: 400,
 * 413 (body), 431 (header), 501 (transfer coding), 505 (version). @p ret is set for 200 alone.
 */
unsigned lull_http_read(const char *bytes, size_t n, struct lull_http_request *ret);

/** Is @p t the text @p text, byte by byte? */
bool lull_http_is(struct lull_http_text t, const char *text);

/** Parameter @p name of @p query, with %XX and '+' decoded, into @p ret.
 * @return False if there is none, or one that has a NUL, a wrong %XX, or more than @p room - 1
 * bytes. */
bool lull_http_param(struct lull_http_text query, const char *name, char *ret, size_t room);
/** Is there a parameter @p name, whatever its value? */
bool lull_http_has(struct lull_http_text query, const char *name);

/** "Not Found"; of those that lull answers with. */
const char *lull_http_reason(unsigned status);

#endif
