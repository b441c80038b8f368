// SPDX-License-Identifier: MIT
// Any capture replayed on the model, whole, with parts of it taken away, and with crumbs around the
// packets that are left, with other shaders: no crash, and it ends;
// what is written again is what was read. Seeds: tests/fuzz/corpus/replay/.
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "adreno/crumbs/add.h"
#include "adreno/replay/device.h"
#include "adreno/replay/edit.h"
#include "adreno/replay/shaders.h"
#include "adreno/replay/walk.h"
#include "vdrm/msm/vdrm.h"

enum { MOST_BYTES = 1 << 20, MEMORY = 64 << 20, MOST_SUBMITS = 8 };
#define WAIT_NS 10000000ull

// One submit after the other, until one is refused.
static void replay(const struct lull_rp_capture *c, const struct lull_achip *chip)
{
    const struct lull_vdm_options o = {
        .chip = chip, .memory = MEMORY, .low_addresses = true, .hang_ms = 1, .longest_ms = 2};
    struct lull_kernel *k = NULL;
    struct lull_rp_device *d = NULL;
    struct lull_rp_walk *w = NULL;
    if (lull_vdm_new(&o, &k) != NULL || lull_rp_walk_new(chip->gen, &w) != NULL) {
        abort();
    }
    struct lull_error *err = lull_rp_device_open(k, "/dev/dri/renderD128", &d);
    for (size_t i = 0; err == NULL && i < c->nsubmits && i < MOST_SUBMITS; i++) {
        bool done = false, hang = false;
        uint64_t start = 0, size = 0;
        if (c->submits[i].nstreams == 0) {
            continue;
        }
        err = lull_rp_missing(w, &c->submits[i]);
        err = err != NULL ? err : lull_rp_device_place(d, &c->submits[i]);
        err = err != NULL ? err : lull_rp_device_run(d, &c->submits[i], WAIT_NS, &done, &hang);
        for (size_t b = 0; err == NULL && lull_rp_device_buffer(d, b, &start, &size); b++) {
            uint64_t left = 0;
            if (lull_rp_device_memory(d, start, &left) == NULL || left != size) {
                abort();
            }
        }
    }
    lull_error_free(err);
    lull_rp_walk_free(w);
    lull_rp_device_close(d);
    k->destroy(k);
}

// What was written is read as the same.
static void again(const struct lull_rp_capture *c)
{
    struct lull_str first = {0}, second = {0};
    struct lull_stream *s = NULL;
    struct lull_rp_reader *r = NULL;
    struct lull_rp_capture copy = {0};
    lull_rp_capture_put(c, &first);
    if (first.size != 0 && (lull_stream_of(first.text, first.size, &s) != NULL ||
                            lull_rp_reader_new(s, 0, &r) != NULL ||
                            lull_rp_capture_read(&copy, r, NULL, NULL) != NULL)) {
        abort();
    }
    lull_rp_capture_put(&copy, &second);
    if (first.size != second.size ||
        (first.size != 0 && memcmp(first.text, second.text, first.size) != 0)) {
        abort();
    }
    lull_rp_capture_done(&copy);
    lull_rp_reader_free(r);
    lull_stream_free(s);
    lull_str_free(&first);
    lull_str_free(&second);
}

// Every other part, from the second on, is taken away.
static void smaller(struct lull_rp_capture *c, unsigned gen)
{
    for (int kind = LULL_RP_PACKETS; kind < LULL_RP_KINDS; kind++) {
        struct lull_rp_parts p = {0};
        struct lull_error *err = lull_rp_parts_find(&p, c, gen, (enum lull_rp_kind)kind);
        size_t *which = malloc((p.n + 1) * sizeof *which), n = 0;
        if (which == NULL) {
            abort();
        }
        for (size_t i = 0; i < p.n; i += i % 3 == 1 ? 2 : 1) {
            which[n++] = i;
        }
        err = err != NULL ? err : lull_rp_parts_keep(&p, c, which, n);
        lull_error_free(err);
        free(which);
        lull_rp_parts_done(&p);
    }
}

// Other code in place of each shader.
static void exchange(struct lull_rp_capture *c, unsigned gen)
{
    const uint64_t end = UINT64_C(0x0300000000000000);
    struct lull_rp_shaders all = {0};
    struct lull_rp_code code = {.words = &end, .n = 1, .registers = 40, .branches = 1};
    struct lull_error *err = lull_rp_shaders_find(&all, c, gen);
    err = err != NULL ? err : lull_rp_capture_hole(c, 1 << 16, &code.address);
    code.priv = code.address;
    code.fiber_bytes = 512;
    code.sp_bytes = 4096;
    for (size_t i = 0; err == NULL && i < all.n; i++) {
        err = lull_rp_shaders_replace(&all, c, i, &code);
    }
    lull_error_free(err);
    lull_rp_shaders_done(&all);
}

// Crumbs around all packets.
static void crumbs(struct lull_rp_capture *c, unsigned gen, int scratch)
{
    const struct lull_crumbs_how how = {
        .gen = gen, .at = LULL_CRUMBS_AT_PACKETS, .scratch = scratch};
    struct lull_crumbs_added added = {0};
    struct lull_error *err = lull_crumbs_add(c, &how, &added);
    lull_error_free(err); // what came before has them
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct lull_achip *chips[] = {&lull_achip_a630, &lull_achip_a660, &lull_achip_a740};
    struct lull_stream *s = NULL;
    struct lull_rp_reader *r = NULL;
    struct lull_rp_capture c = {0};
    const struct lull_achip *chip = chips[size % 3];
    struct lull_error *err = lull_stream_of(data, size, &s);
    err = err != NULL ? err : lull_rp_reader_new(s, MOST_BYTES, &r);
    err = err != NULL ? err : lull_rp_capture_read(&c, r, NULL, NULL);
    lull_error_free(err); // what came before counts
    if (c.nsubmits != 0) {
        replay(&c, chip);
        again(&c);
        smaller(&c, chip->gen);
        replay(&c, chip);
        exchange(&c, chip->gen);
        crumbs(&c, chip->gen, (int)(size % 4) - 1);
        replay(&c, chip);
        again(&c);
    }
    lull_rp_capture_done(&c);
    lull_rp_reader_free(r);
    lull_stream_free(s);
    return 0;
}
