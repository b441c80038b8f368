// SPDX-License-Identifier: MIT
#include "cli/replay/until.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

enum { DWORD = 4, PAYLOAD = 64, REGS = LULL_PACKET_WORDS_REGS, PART = 1 << 14 };

struct lull_error *lull_replay_until_open(struct lull_replay_until *u, struct lull_kernel *k,
                                          unsigned gen)
{
    if (u->text == NULL && u->regs == NULL) {
        return NULL;
    }
    lull_msm_debugfs_init(&u->files, k, 0);
    u->met = UINT64_MAX;
    struct lull_error *err = lull_packet_words_new(gen, &u->words);
    return err != NULL || u->text == NULL
               ? err
               : lull_error_in(lull_packet_words_place(u->words, u->text, &u->place), "--until");
}

/* Is stream @p number wanted? Without a name for one, a number is that of a packet of the first
 * stream that runs. */
static bool of_place(const struct lull_replay_until *u, uint64_t number)
{
    return u->place.any_stream ? u->place.by != LULL_PACKET_PLACE_NUMBER || u->streams == 0
                               : u->place.stream == number;
}

struct lull_error *lull_replay_until_begin(struct lull_replay_until *u,
                                           const struct lull_rp_submit *s)
{
    static const uint64_t by[] = {[LULL_PACKET_PLACE_AT] = LULL_MSM_PACKET_AT,
                                  [LULL_PACKET_PLACE_OP] = LULL_MSM_PACKET_OP,
                                  [LULL_PACKET_PLACE_REG] = LULL_MSM_PACKET_REG,
                                  [LULL_PACKET_PLACE_NUMBER] = LULL_MSM_PACKET_NUMBER};
    struct lull_msm_packet_watch w = {.on = 1};
    struct lull_msm_packet_state now = {0};
    struct lull_error *err = u->text != NULL ? lull_msm_debugfs_packet(&u->files, &now) : NULL;
    u->streams = now.streams;
    for (size_t i = 0; u->text != NULL && i < s->nstreams && w.n < LULL_MSM_PACKET_STOPS; i++) {
        const bool nth = u->place.any_stream && u->place.by == LULL_PACKET_PLACE_NUMBER;
        if (of_place(u, s->streams[i].number) && (i == 0 || !nth)) {
            w.at[w.n].by = by[u->place.by];
            w.at[w.n].value = u->place.value;
            w.at[w.n++].stream = now.streams + i;
        }
    }
    return err != NULL || u->text == NULL ? err : lull_msm_debugfs_watch_packets(&u->files, &w);
}

struct lull_error *lull_replay_until_look(struct lull_replay_until *u,
                                          const struct lull_rp_submit *s)
{
    struct lull_error *err = u->text != NULL ? lull_msm_debugfs_packet(&u->files, &u->at) : NULL;
    if (err != NULL || u->text == NULL || u->at.streams == 0) {
        return err;
    }
    const uint64_t i = u->at.streams - 1 - u->streams;
    u->came = u->at.stop == LULL_MSM_PACKET_ARRIVED;
    u->stream = i < s->nstreams ? s->streams[i].number : 0;
    for (size_t k = 0; k < s->nstreams; k++) {
        u->met = of_place(u, s->streams[k].number) ? u->at.met : u->met;
    }
    return NULL;
}

struct lull_error *lull_replay_until_never(const struct lull_replay_until *u)
{
    const char *text = u->text;
    return u->met != UINT64_MAX && u->place.by == LULL_PACKET_PLACE_NUMBER
               ? lull_error_new(LULL_ERR_NOT_FOUND,
                                "--until %s: the stream has %" PRIu64 " packets, from 0", text,
                                u->met)
               : lull_error_new(LULL_ERR_NOT_FOUND,
                                "--until %s: no stream that was replayed came to such a packet",
                                text);
}

struct lull_error *lull_replay_until_take(struct lull_replay_until *u)
{
    size_t got = 0;
    if (u->regs == NULL) {
        return NULL;
    }
    free(u->states);
    free(u->values);
    u->states = calloc(REGS, sizeof *u->states);
    u->values = calloc(REGS, sizeof *u->values);
    if (u->states == NULL || u->values == NULL) {
        return &lull_enomem;
    }
    struct lull_error *err =
        lull_msm_debugfs_read(&u->files, LULL_MSM_FILE_REGISTER_STATES, 0, u->states, REGS, &got);
    for (uint32_t at = 0; err == NULL && at < REGS; at += PART) {
        err = lull_msm_debugfs_read(&u->files, LULL_MSM_FILE_REGISTERS, (uint64_t)at * DWORD,
                                    &u->values[at], (size_t)PART * DWORD, &got);
    }
    return err;
}

/* The buffers that addresses may lie in. */
LULL_MUST_USE static struct lull_error *learn(struct lull_replay_until *u,
                                              const struct lull_rp_device *d)
{
    uint64_t start = 0, size = 0;
    struct lull_error *err = NULL;
    lull_packet_words_forget(u->words);
    for (size_t i = 0; err == NULL && lull_rp_device_buffer(d, i, &start, &size); i++) {
        err = lull_packet_words_buffer(u->words, start, size);
    }
    return err;
}

/* The packet itself. */
static void packet(struct lull_replay_until *u, const struct lull_rp_device *d,
                   struct lull_str *out)
{
    uint64_t left = 0;
    uint32_t words[PAYLOAD] = {0};
    const uint8_t *at = lull_rp_device_memory(d, u->at.address, &left);
    const size_t n = at != NULL ? (left / DWORD < PAYLOAD ? left / DWORD : PAYLOAD) : 0;
    if (n != 0) {
        memcpy(words, at, n * DWORD);
    }
    lull_packet_words_show(u->words, words, (uint32_t)n, out);
}

struct lull_error *lull_replay_until_text(struct lull_replay_until *u,
                                          const struct lull_rp_device *d, struct lull_str *out)
{
    struct lull_error *err = learn(u, d);
    lull_str_addf(out, "  before packet %" PRIu64 " of stream %" PRIu64, u->at.number, u->stream);
    if (u->at.nframes != 0) {
        const uint32_t top = u->at.nframes - 1;
        lull_str_addf(out, ", IB%" PRIu32 " 0x%" PRIx64 "+0x%" PRIx32, u->at.nframes,
                      u->at.frames[top].address, u->at.frames[top].next * DWORD);
    }
    lull_str_addf(out, "\n  0x%012" PRIx64 "  %s", u->at.address,
                  u->at.dead != 0 ? "(not executed) " : "");
    packet(u, d, out);
    lull_str_addf(out, "\n");
    return err;
}

struct lull_error *lull_replay_until_json(struct lull_replay_until *u,
                                          const struct lull_rp_device *d, struct lull_json *j)
{
    lull_cleanup(lull_str_free) struct lull_str text = {0};
    struct lull_error *err = learn(u, d);
    packet(u, d, &text);
    lull_json_put_u64(j, "stream", u->stream);
    lull_json_put_u64(j, "packet", u->at.number);
    lull_json_put_hex(j, "address", u->at.address);
    lull_json_put_bool(j, "executed", u->at.dead == 0);
    lull_json_put_str(j, "packet_text", lull_str_text(&text));
    return err;
}

/* Is @p name one of those that are asked for? */
static bool asked(const char *names, const char *name)
{
    char one[256] = "";
    bool is = false;
    for (const char *at = names; !is && *at != '\0';) {
        const size_t n = strcspn(at, ",");
        if (n < sizeof one) {
            memcpy(one, at, n);
            one[n] = '\0';
            is = fnmatch(one, name, FNM_CASEFOLD) == 0;
        }
        at += n + (at[n] == ',');
    }
    return is;
}

struct lull_error *lull_replay_until_regs(struct lull_replay_until *u,
                                          const struct lull_rp_device *d, struct lull_str *out,
                                          struct lull_json *j)
{
    struct lull_error *err = learn(u, d);
    bool any = false;
    for (uint32_t r = 0; err == NULL && r < REGS; r++) {
        lull_cleanup(lull_str_free) struct lull_str name = {0};
        bool wide = false;
        const bool known = lull_packet_words_reg(u->words, r, &wide, &name);
        if ((known || u->states[r] != LULL_MSM_REG_NEVER) && asked(u->regs, lull_str_text(&name))) {
            const struct lull_packet_reg reg = {
                .number = r,
                .wide = wide,
                .state = {(enum lull_packet_reg_state)u->states[r],
                          (enum lull_packet_reg_state)u->states[wide ? r + 1 : r]},
                .value = {u->values[r], wide ? u->values[r + 1] : 0}};
            lull_packet_words_register(u->words, &reg, out, j);
            any = true;
        }
        r += wide;
    }
    return err != NULL || any
               ? err
               : lull_error_new(LULL_ERR_NOT_FOUND,
                                "--regs: no register of this GPU is called '%s' (* and ? match "
                                "any)",
                                u->regs);
}

struct walk {
    const struct lull_rp_visitor *v;
    uint64_t left; // Packets up to the one that it came to.
};

static void did(void *ctx, struct lull_astream *s, const struct lull_as_event *e)
{
    struct walk *w = ctx;
    s->stop = s->stop || (e->what == LULL_AS_MET && w->left == 0);
    w->left -= e->what == LULL_AS_MET && w->left != 0;
    if (!s->stop) {
        w->v->did(w->v->ctx, s, e);
    }
}

void lull_replay_until_walk(const struct lull_replay_until *u, struct lull_rp_walk *w,
                            const struct lull_rp_submit *s, const struct lull_rp_visitor *v)
{
    struct lull_rp_submit part = *s;
    struct walk walk = {v, u->at.number};
    const struct lull_rp_visitor to_there = {&walk, did};
    if (!u->came) {
        (void)lull_rp_walk_submit(w, s, v);
        return;
    }
    part.nstreams = (size_t)(u->at.streams - 1 - u->streams);
    (void)lull_rp_walk_submit(w, &part, v);
    part.streams = s->streams + part.nstreams;
    part.nstreams = 1;
    (void)lull_rp_walk_submit(w, &part, &to_there);
}

void lull_replay_until_done(struct lull_replay_until *u)
{
    lull_msm_debugfs_done(&u->files);
    lull_packet_words_free(u->words);
    free(u->states);
    free(u->values);
    u->words = NULL;
    u->states = NULL;
    u->values = NULL;
}
