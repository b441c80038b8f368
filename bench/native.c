// SPDX-License-Identifier: MIT
// The work of examples/ as plain C for one host thread. native NAME SIZE prints the best time of
// several runs, in seconds. Compiled with -O2, as lull is.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t = {0};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/** Work on three arrays of @p n (or n * n) numbers. Returns a number that depends on all of it. */
typedef double work_fn(float *a, float *b, float *c, uint32_t n);

static double saxpy(float *a, float *b, float *c, uint32_t n)
{
    (void)c;
    for (uint32_t i = 0; i < n; i++) {
        a[i] = 2.5f * b[i] + a[i];
    }
    return (double)a[n - 1];
}

static double sgemm_tiled(float *a, float *b, float *c, uint32_t n)
{
    memset(c, 0, (size_t)n * n * sizeof *c);
    for (uint32_t row = 0; row < n; row++) {
        for (uint32_t k = 0; k < n; k++) {
            for (uint32_t column = 0; column < n; column++) {
                c[row * n + column] += a[row * n + k] * b[k * n + column];
            }
        }
    }
    return (double)c[n * n - 1];
}

/** A picture of 128 x 64 points; @p n is the limit of iterations. */
static double mandelbrot(float *a, float *b, float *c, uint32_t n)
{
    (void)b;
    (void)c;
    double sum = 0;
    for (uint32_t at = 0; at < 128 * 64; at++) {
        const float cx = (float)(at % 128) * (3.0f / 128.0f) - 2.0f;
        const float cy = (float)(at / 128) * (2.5f / 64.0f) - 1.25f;
        float x = 0;
        float y = 0;
        uint32_t i = 0;
        for (; i < n && x * x + y * y <= 4.0f; i++) {
            const float next = x * x - y * y + cx;
            y = 2.0f * x * y + cy;
            x = next;
        }
        a[at] = (float)i;
        sum += i;
    }
    return sum;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        work_fn *work;
    } all[] = {{"saxpy", saxpy}, {"sgemm_tiled", sgemm_tiled}, {"mandelbrot", mandelbrot}};
    enum { NUMBERS = 1 << 22, RUNS = 5 };
    float *data = calloc(3 * (size_t)NUMBERS, sizeof *data);
    if (argc != 3 || data == NULL) {
        fprintf(stderr, "usage: native NAME SIZE\n");
        return 2;
    }
    for (size_t i = 0; i < 3 * (size_t)NUMBERS; i++) {
        data[i] = (float)(i % 17) * 0.25f;
    }
    const uint32_t n = (uint32_t)strtoul(argv[2], NULL, 10);
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        if (strcmp(all[k].name, argv[1]) != 0) {
            continue;
        }
        double best = 1e9;
        volatile double keep = 0;
        for (int run = 0; run < RUNS; run++) {
            const double start = now();
            keep = all[k].work(data, data + NUMBERS, data + 2 * (size_t)NUMBERS, n);
            const double took = now() - start;
            best = took < best ? took : best;
        }
        (void)keep;
        printf("%.9f\n", best);
        free(data);
        return 0;
    }
    free(data);
    return 2;
}
