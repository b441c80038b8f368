// SPDX-License-Identifier: MIT
// Requests of HTTP, and what the web view answers to them, over a session of the scripted target:
// no crash, no leak, no command that takes for ever. Commands that read or write files are left
// out.
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "../debug/script_target.h"
#include "debug/web/web_priv.h"

enum { PORT = 80 };

static void after(void *ctx)
{
    (void)ctx;
}

/* Files, and counts of steps and rounds that are long. */
static bool left_out(struct lull_http_text body)
{
    static const char *const words[] = {"sou", "du", "sa", "htm", "dot", "while", "timeout"};
    size_t digits = 0;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (memmem(body.at, body.size, words[i], strlen(words[i])) != NULL) {
            return true;
        }
    }
    for (size_t i = 0; i < body.size && digits < 5; i++) {
        digits = strchr("0123456789abcdefx", body.at[i]) != NULL ? digits + 1 : 0;
    }
    return digits >= 5;
}

/** @p t lies in the @p n bytes at @p bytes. */
static void inside(struct lull_http_text t, const char *bytes, size_t n)
{
    if (t.at != NULL && (t.at < bytes || t.size > n || (size_t)(t.at - bytes) > n - t.size)) {
        abort();
    }
}

static void answer(unsigned status, const struct lull_http_request *r)
{
    struct script_target target;
    const struct lull_web_host host = {
        .listener = -1, .port = PORT, .token = "secret", .after = after};
    struct lull_web w = {.host = &host};
    struct lull_web_reply reply = {.status = 0};
    struct lull_str out = {0};
    script_init(&target);
    struct lull_error *err = lull_debug_new(&target.target, NULL, 0, &w.d);
    if (err != NULL) {
        lull_error_free(err);
        return;
    }
    w.d->run = script_run;
    w.d->run_ctx = &target;
    (void)lull_web_is_quick(&w, status, r);
    lull_web_answer(&w, status, r, &reply);
    lull_web_write(&reply, &out);
    if (strncmp(lull_str_text(&out), "HTTP/1.1 ", 9) != 0 || w.d->json || w.d->quit) {
        abort();
    }
    lull_str_free(&reply.body);
    lull_str_free(&out);
    lull_debug_free(w.d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lull_http_request r = {.method = LULL_HTTP_OTHER};
    char text[32];
    char *bytes = malloc(size + 1); // of its own, so that a byte behind it is seen
    if (bytes == NULL) {
        return 0;
    }
    memcpy(bytes, data, size);
    unsigned before = 0;
    for (size_t n = size > 32 ? size - 32 : 0; n < size; n++) { // what is whole stays so
        const unsigned now = lull_http_read(bytes, n, &r);
        if (before == 200 && now != 200) {
            abort();
        }
        before = now;
    }
    const unsigned status = lull_http_read(bytes, size, &r);
    if (status == 200) {
        inside(r.path, bytes, size);
        inside(r.query, bytes, size);
        inside(r.host, bytes, size);
        inside(r.origin, bytes, size);
        inside(r.body, bytes, size);
        (void)lull_http_param(r.query, "address", text, sizeof text);
    }
    if (status != 0 && (status != 200 || !left_out(r.body))) {
        answer(status, &r);
    }
    free(bytes);
    return 0;
}
