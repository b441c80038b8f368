// SPDX-License-Identifier: MIT
// Any crash dump made to go on, on the model: no crash, and it ends. Seeds:
// tests/fuzz/corpus/resume/.
#include "fuzz.h"

#include <stdlib.h>

#include "adreno/replay/device.h"
#include "adreno/resume/resume.h"
#include "vdrm/msm/vdrm.h"

enum { MOST_BYTES = 1 << 16, MOST_MEMORY = 1 << 20, MEMORY = 64 << 20 };
#define WAIT_NS 10000000ull

static void run(const struct lull_resumed *r, const struct lull_achip *chip)
{
    const struct lull_vdm_options o = {
        .chip = chip, .memory = MEMORY, .low_addresses = true, .hang_ms = 1, .longest_ms = 2};
    struct lull_kernel *k = NULL;
    struct lull_rp_device *d = NULL;
    bool done = false, hang = false;
    if (lull_vdm_new(&o, &k) != NULL) {
        abort();
    }
    struct lull_error *err = lull_rp_device_open(k, "/dev/dri/renderD128", &d);
    err = err != NULL ? err : lull_rp_device_place(d, &r->submit);
    err = err != NULL ? err : lull_rp_device_run(d, &r->submit, WAIT_NS, &done, &hang);
    lull_error_free(err);
    lull_rp_device_close(d);
    k->destroy(k);
}

// The place is in the innermost buffer, which has more to run; each level is a buffer of its own.
static void check(const struct lull_resumed *r)
{
    const struct lull_resume_level *l = &r->levels[r->nlevels - 1];
    if (r->nlevels == 0 || r->submit.nstreams == 0 || l->next >= l->dwords ||
        r->at != l->base + l->next * 4ull) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lull_stream *s = NULL;
    struct lull_resumed r = {0};
    const struct lull_resume_options o = {
        .zeros = size % 2 != 0, .most_memory = MOST_MEMORY, .most_bytes = MOST_BYTES};
    if (size > MOST_BYTES) {
        return 0;
    }
    struct lull_error *err = lull_stream_of(data, size, &s);
    err = err != NULL ? err : lull_resume_read(s, &o, NULL, &r);
    if (r.nlevels != 0) {
        check(&r);
        run(&r, r.submit.chip_id >> 24 == 7 ? &lull_achip_a740 : &lull_achip_a630);
    } else if (err == NULL) {
        abort();
    }
    lull_error_free(err);
    lull_resume_done(&r);
    lull_stream_free(s);
    return 0;
}
