// SPDX-License-Identifier: MIT
// bench_launch: what a wave costs that does nothing, and a call of lull_exec_raw(). Prints
// nanoseconds of CPU time for each wave64 with 24 and with 256 VGPRs, and calls a second of one
// wave with two buffers.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <lull/exec.h>

enum { GROUPS = 100000, CALLS = 20000, ROUNDS = 5 };

static const uint32_t end[] = {0xbfb00000}; // s_endpgm

static double now(void)
{
    struct timespec t = {0};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(struct lull_error *err)
{
    if (err != NULL) {
        fprintf(stderr, "bench_launch: %s\n", lull_error_message(err));
        exit(1);
    }
}

/** Seconds of one run of @p groups workgroups of @p waves wave64, the best of some. */
static double waves(struct lull_exec *x, uint32_t groups, uint32_t count, uint32_t rsrc1)
{
    const struct lull_exec_params p = {
        .code = end,
        .code_size = sizeof end,
        .groups = {groups, 1, 1},
        .block = {64 * count, 1, 1},
        .wave_size = 64,
        .rsrc1 = rsrc1,
    };
    double best = 1e9;
    for (unsigned i = 0; i < ROUNDS; i++) {
        const double start = now();
        must(lull_exec_raw(x, &p));
        const double took = now() - start;
        best = took < best ? took : best;
    }
    return best;
}

static double calls(struct lull_exec *x)
{
    uint32_t in[64] = {0}, out[64] = {0};
    const struct lull_exec_buffer buffers[] = {{.data = in, .size = sizeof in},
                                               {.data = out, .size = sizeof out}};
    const struct lull_exec_params p = {
        .code = end,
        .code_size = sizeof end,
        .groups = {1, 1, 1},
        .block = {32, 1, 1},
        .buffers = buffers,
        .nbuffers = 2,
    };
    double best = 0;
    for (unsigned i = 0; i < ROUNDS; i++) {
        const double start = now();
        for (unsigned n = 0; n < CALLS; n++) {
            must(lull_exec_raw(x, &p));
        }
        const double rate = (double)CALLS / (now() - start);
        best = rate > best ? rate : best;
    }
    return best;
}

int main(void)
{
    // RSRC1.VGPRS counts 32-lane registers in eights: 24 and 256 of 64 lanes. IEEE, WGP, f16, f64.
    const uint32_t few = 5 | 3u << 18 | 1u << 23, many = 63 | 3u << 18 | 1u << 23;
    struct lull_exec *x = NULL;
    must(lull_exec_new(0, &x));
    const double nothing = waves(x, 1, 1, few);
    const double n = GROUPS - 1;
    printf("%.0f ns a wave64 of 24 VGPRs\n", 1e9 * (waves(x, GROUPS, 1, few) - nothing) / n);
    printf("%.0f ns in workgroups of four\n", 1e9 * (waves(x, GROUPS / 4, 4, few) - nothing) / n);
    printf("%.0f ns of 256 VGPRs\n", 1e9 * (waves(x, GROUPS, 1, many) - nothing) / n);
    printf("%.0f calls of lull_exec_raw() a second\n", calls(x));
    lull_exec_free(x);
    return 0;
}
