// SPDX-License-Identifier: MIT
/* Where an Adreno's command processor stands, in words. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/show/packet.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "debug/session/packets.h"
#include "debug/shell/packet.h"

enum { DWORD = 4, PAYLOAD = 64, MAX_BOS = 4096 };

static void free_words(void *words)
{
    lull_packet_words_free(words);
}

/* Names of packets and registers of this GPU. */
LULL_MUST_USE static struct lull_error *words_of(struct lull_debug *d,
                                                 struct lull_packet_words **ret)
{
    struct lull_packet_words *w = d->packets.words;
    unsigned gen = 0;
    struct lull_error *err = lull_debug_packet_gen(d, &gen);
    if (err == NULL && w == NULL) {
        err = lull_packet_words_new(gen, &w);
        d->packets.words = err == NULL ? w : NULL;
        d->packets.free_words = free_words;
    }
    *ret = w;
    return err;
}

struct lull_error *lull_debug_packet_words(struct lull_debug *d, struct lull_packet_words **ret)
{
    lull_cleanup(lull_freep) struct lull_bo_info *bos = calloc(MAX_BOS, sizeof *bos);
    size_t n = 0;
    struct lull_error *err = bos == NULL ? &lull_enomem : words_of(d, ret);
    err = err != NULL ? err : lull_debug_bos(d, bos, MAX_BOS, &n);
    if (err == NULL) {
        lull_packet_words_forget(*ret);
    }
    for (size_t i = 0; err == NULL && i < n && i < MAX_BOS; i++) {
        err = lull_packet_words_buffer(*ret, bos[i].va, bos[i].size);
    }
    return err;
}

uint32_t lull_debug_packet_dwords(struct lull_debug *d, uint64_t address, uint32_t *ret, uint32_t n)
{
    uint32_t there = 0;
    struct lull_error *err =
        lull_debug_read_memory(d, false, address, ret, (size_t)n * sizeof *ret);
    if (err == NULL) {
        return n;
    }
    lull_error_free(err);
    for (err = NULL; err == NULL && there < n; there += err == NULL) {
        err = lull_debug_read_memory(d, false, address + there * (uint64_t)DWORD, &ret[there],
                                     sizeof *ret);
    }
    lull_error_free(err);
    return there;
}

void lull_debug_packet_text(struct lull_debug *d, struct lull_packet_words *w, uint64_t address,
                            struct lull_str *out)
{
    uint32_t words[PAYLOAD] = {0};
    uint32_t n = lull_debug_packet_dwords(d, address, words, 1);
    const uint32_t size = n != 0 ? lull_packet_words_size(w, words[0]) : 0;
    n = size > 1 ? lull_debug_packet_dwords(d, address, words, size < PAYLOAD ? size : PAYLOAD) : n;
    lull_packet_words_show(w, words, n, out);
}

/* "stream 0 packet 12, IB2 group 3 0x100042000+0x10" */
void lull_debug_packet_place(const struct lull_debug *d, struct lull_str *out)
{
    static const char *const kinds[] = {[LULL_PACKET_IB] = "",
                                        [LULL_PACKET_GROUP] = "group",
                                        [LULL_PACKET_PREFIX] = "prefix of bin",
                                        [LULL_PACKET_BIN] = "bin",
                                        [LULL_PACKET_ENTRY] = "entry"};
    const struct lull_packet_info *p = &d->packets.at;
    lull_str_addf(out, "stream %" PRIu64 " packet %" PRIu64, lull_debug_packet_stream(d),
                  p->number);
    if (p->nbuffers != 0) {
        const unsigned i = p->nbuffers - 1;
        const size_t kind = p->buffers[i].kind;
        lull_str_addf(out, ", IB%u", p->nbuffers);
        if (kind != LULL_PACKET_IB && kind < sizeof kinds / sizeof kinds[0]) {
            lull_str_addf(out, " %s %" PRIu32, kinds[kind], p->buffers[i].number);
        }
        lull_str_addf(out, " 0x%" PRIx64 "+0x%" PRIx32, p->buffers[i].address,
                      p->buffers[i].next * DWORD);
    }
}

/* ": the dump has no contents of ...", if a dump goes on that says so. */
static void absent_text(const struct lull_debug *d, uint64_t va, struct lull_str *out)
{
    lull_cleanup(lull_str_free) struct lull_str why = {0};
    if (d->dumped.absent != NULL) {
        d->dumped.absent(d->dumped.ctx, va, &why);
    }
    lull_str_addf(out, why.size != 0 ? ": %s" : "%s", lull_str_text(&why));
}

/* "memory at 0x1000 & 0xffffffff to be == 0x2; it is 0x0" */
static void wait_text(struct lull_debug *d, struct lull_packet_words *w, struct lull_str *out)
{
    static const char *const functions[] = {"anything", "<", "<=", "==", "!=", ">=", ">"};
    const struct lull_packet_info *p = &d->packets.at;
    uint32_t v = 0;
    bool known = false;
    if (p->wait_memory) {
        lull_str_addf(out, "memory at 0x%" PRIx64, p->wait_va);
        known = lull_debug_packet_dwords(d, p->wait_va, &v, 1) == 1;
    } else {
        enum lull_gpu_reg_state state = LULL_GPU_REG_NEVER;
        bool wide = false;
        (void)lull_packet_words_reg(w, (uint32_t)p->wait_va, &wide, out);
        struct lull_error *err = lull_debug_gpu_register(d, (uint32_t)p->wait_va, &state, &v);
        known = err == NULL;
        lull_error_free(err);
    }
    const size_t f = p->function;
    lull_str_addf(out, " & 0x%" PRIx32 " to be %s 0x%" PRIx32, p->mask,
                  f < sizeof functions / sizeof functions[0] ? functions[f] : "?", p->ref);
    if (known) {
        lull_str_addf(out, "; it is 0x%" PRIx32, v);
    } else if (p->wait_memory) {
        lull_str_addf(out, "; that is not mapped");
        absent_text(d, p->wait_va, out);
    }
}

/* Why it stands, if not because somebody asked. */
static void reason_text(struct lull_debug *d, struct lull_packet_words *w, struct lull_str *out)
{
    const struct lull_packet_info *p = &d->packets.at;
    switch (p->stop) {
    case LULL_PACKET_FAULT:
        lull_str_addf(out, "memory fault: a %s of 0x%" PRIx64 ", which is not mapped so, by %s",
                      p->fault_write ? "write" : "read", p->fault_va, p->block);
        absent_text(d, p->fault_va, out);
        return;
    case LULL_PACKET_WAITS:
        lull_str_addf(out, "hang: it waits for ");
        wait_text(d, w, out);
        lull_str_addf(out, ", and nothing is left that could write that");
        return;
    case LULL_PACKET_WRONG:
        lull_str_addf(out, "hang: the command processor cannot go on: %s", p->wrong);
        return;
    case LULL_PACKET_NOT:
    case LULL_PACKET_ARRIVED:
    default:
        return;
    }
}

static void stop_json(struct lull_cmd *c, const char *text, const char *reason)
{
    static const char *const stops[] = {"", "arrived", "fault", "waits", "wrong"};
    const struct lull_packet_info *p = &c->d->packets.at;
    if (c->json == NULL) {
        return;
    }
    lull_json_put_str(c->json, "stop", stops[p->stop]);
    lull_json_put_u64(c->json, "stream", lull_debug_packet_stream(c->d));
    lull_json_put_u64(c->json, "packet", p->number);
    lull_json_put_hex(c->json, "address", p->address);
    lull_json_put_str(c->json, "packet_text", text);
    lull_json_put_bool(c->json, "executed", !p->dead);
    lull_json_put_str(c->json, "reason", reason);
    lull_json_put_u64(c->json, "breakpoint", c->d->packets.hit);
    lull_json_key(c->json, "buffers");
    lull_json_open(c->json, '[');
    for (unsigned i = 0; i < p->nbuffers; i++) {
        lull_json_open(c->json, '{');
        lull_json_put_hex(c->json, "address", p->buffers[i].address);
        lull_json_put_u64(c->json, "dwords", p->buffers[i].dwords);
        lull_json_put_u64(c->json, "next", p->buffers[i].next);
        lull_json_close(c->json, '}');
    }
    lull_json_close(c->json, ']');
}

struct lull_error *lull_debug_show_packet(struct lull_cmd *c)
{
    struct lull_debug *d = c->d;
    const struct lull_packet_info *p = NULL;
    struct lull_packet_words *w = NULL;
    lull_cleanup(lull_str_free) struct lull_str place = {0}, text = {0}, reason = {0};
    struct lull_error *err = lull_debug_at_packet(d, &p);
    err = err != NULL ? err : lull_debug_packet_words(d, &w);
    if (err != NULL) {
        return err;
    }
    lull_debug_packet_place(d, &place);
    lull_debug_packet_text(d, w, p->address, &text);
    reason_text(d, w, &reason);
    d->status = reason.size != 0 ? 1 : d->status;
    if (d->packets.hit != 0) {
        lull_str_addf(c->out, "Breakpoint %u, ", d->packets.hit);
    }
    lull_str_addf(c->out, "%s\n", lull_str_text(&place));
    if (reason.size != 0) {
        lull_str_addf(c->out, "%s\n", lull_str_text(&reason));
    }
    lull_str_addf(c->out, "=> 0x%012" PRIx64 "  %s%s\n", p->address,
                  p->dead ? "(not executed) " : "", lull_str_text(&text));
    stop_json(c, lull_str_text(&text), lull_str_text(&reason));
    return lull_debug_show_displays(c);
}

/* "0x100042000", "12", "CP_BLIT", "RB_CNTL", each also behind "STREAM:". */
struct lull_error *lull_cmd_packet(struct lull_debug *d, const char *text,
                                   struct lull_packet_where *ret)
{
    static const enum lull_packet_by by[] = {[LULL_PACKET_PLACE_AT] = LULL_PACKET_AT,
                                             [LULL_PACKET_PLACE_OP] = LULL_PACKET_OP,
                                             [LULL_PACKET_PLACE_REG] = LULL_PACKET_REG,
                                             [LULL_PACKET_PLACE_NUMBER] = LULL_PACKET_NUMBER};
    struct lull_packet_words *w = NULL;
    struct lull_packet_place p = {.any_stream = true};
    struct lull_error *err = words_of(d, &w);
    err = err != NULL ? err : lull_packet_words_place(w, text, &p);
    if (err != NULL) {
        return err;
    }
    *ret = (struct lull_packet_where){.by = by[p.by],
                                      .value = p.value,
                                      .stream = p.any_stream ? LULL_PACKET_ANY_STREAM : p.stream};
    if (ret->by == LULL_PACKET_NUMBER && p.any_stream) {
        ret->stream = d->packets.stands ? lull_debug_packet_stream(d) : 0;
    }
    return NULL;
}

bool lull_cmd_names_packet(const char **at)
{
    const size_t digits = strspn(*at, "0123456789");
    return lull_cmd_word(at, "packet") ||
           (digits != 0 && (*at)[digits] == ':' && isdigit((unsigned char)(*at)[digits + 1]));
}
