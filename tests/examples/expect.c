// SPDX-License-Identifier: MIT
// What the examples must compute, done by the host in the plainest way: no tiles, no trees, no
// networks. expect NAME OUT ARGUMENT...: files are named by path, numbers in decimal.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BYTES = 1 << 22 };

static void *read_file(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    void *data = calloc(1, MAX_BYTES);
    if (f == NULL || data == NULL) {
        perror(path);
        exit(2);
    }
    *size = fread(data, 1, MAX_BYTES, f);
    fclose(f);
    return data;
}

static void write_file(const char *path, const void *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    if (f == NULL || fwrite(data, 1, size, f) != size || fclose(f) != 0) {
        perror(path);
        exit(2);
    }
}

static uint32_t number(const char *text)
{
    return (uint32_t)strtoul(text, NULL, 10);
}

/** saxpy OUT Y X A N */
static void saxpy(char **arg)
{
    size_t size = 0;
    size_t unused = 0;
    float *y = read_file(arg[1], &size);
    float *x = read_file(arg[2], &unused);
    const float a = strtof(arg[3], NULL);
    for (uint32_t i = 0; i < number(arg[4]); i++) {
        y[i] = fmaf(a, x[i], y[i]);
    }
    write_file(arg[0], y, size);
    free(y);
    free(x);
}

/** reduce OUT IN N: sums of 256 */
static void reduce(char **arg)
{
    size_t unused = 0;
    uint32_t *in = read_file(arg[1], &unused);
    static uint32_t sums[MAX_BYTES / 1024];
    const uint32_t n = number(arg[2]);
    for (uint32_t i = 0; i < n; i++) {
        sums[i / 256] += in[i];
    }
    write_file(arg[0], sums, (n + 255) / 256 * sizeof sums[0]);
    free(in);
}

/** sgemm OUT A B N */
static void sgemm(char **arg)
{
    size_t size = 0;
    float *a = read_file(arg[1], &size);
    float *b = read_file(arg[2], &size);
    float *c = calloc(1, size);
    const uint32_t n = number(arg[3]);
    for (uint32_t row = 0; row < n; row++) {
        for (uint32_t column = 0; column < n; column++) {
            float sum = 0;
            for (uint32_t k = 0; k < n; k++) {
                sum = fmaf(a[row * n + k], b[k * n + column], sum);
            }
            c[row * n + column] = sum;
        }
    }
    write_file(arg[0], c, size);
    free(a);
    free(b);
    free(c);
}

/** mandelbrot OUT WIDTH HEIGHT LIMIT */
static void mandelbrot(char **arg)
{
    const uint32_t width = number(arg[1]);
    const uint32_t height = number(arg[2]);
    const uint32_t limit = number(arg[3]);
    static uint32_t iterations[MAX_BYTES / 4];
    for (uint32_t py = 0; py < height; py++) {
        for (uint32_t px = 0; px < width; px++) {
            const float cx = (float)px * (3.0f / 128.0f) - 2.0f;
            const float cy = (float)py * (2.5f / 64.0f) - 1.25f;
            float x = 0;
            float y = 0;
            uint32_t n = 0;
            for (; n < limit && x * x + y * y <= 4.0f; n++) {
                const float next = x * x - y * y + cx;
                y = 2.0f * x * y + cy;
                x = next;
            }
            iterations[py * width + px] = n;
        }
    }
    write_file(arg[0], iterations, (size_t)width * height * sizeof iterations[0]);
}

/** scan INCLUSIVE EXCLUSIVE IN */
static void scan(char **arg)
{
    size_t size = 0;
    uint32_t *in = read_file(arg[2], &size);
    static uint32_t inclusive[MAX_BYTES / 4];
    static uint32_t exclusive[MAX_BYTES / 4];
    uint32_t sum = 0;
    for (size_t i = 0; i < size / 4; i++) {
        exclusive[i] = sum;
        sum += in[i];
        inclusive[i] = sum;
    }
    write_file(arg[0], inclusive, size);
    write_file(arg[1], exclusive, size);
    free(in);
}

static int compare(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a;
    const int32_t y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/** sort OUT IN */
static void sort(char **arg)
{
    size_t size = 0;
    int32_t *data = read_file(arg[1], &size);
    qsort(data, size / 4, 4, compare);
    write_file(arg[0], data, size);
    free(data);
}

/** nbody OUT BODIES N */
static void nbody(char **arg)
{
    size_t unused = 0;
    double *p = read_file(arg[1], &unused);
    const uint32_t n = number(arg[2]);
    double *out = calloc(n, 3 * sizeof *out);
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n; j++) {
            const double dx = p[j * 4] - p[i * 4];
            const double dy = p[j * 4 + 1] - p[i * 4 + 1];
            const double dz = p[j * 4 + 2] - p[i * 4 + 2];
            const double r2 = dx * dx + dy * dy + dz * dz + 0.0625;
            const double f = p[j * 4 + 3] / (r2 * sqrt(r2));
            out[i * 3] = out[i * 3] + f * dx;
            out[i * 3 + 1] = out[i * 3 + 1] + f * dy;
            out[i * 3 + 2] = out[i * 3 + 2] + f * dz;
        }
    }
    write_file(arg[0], out, n * 3 * sizeof *out);
    free(p);
    free(out);
}

/** scratch OUT IN: position and count of the most frequent of 512 bins, 32 numbers a time */
static void scratch(char **arg)
{
    size_t size = 0;
    uint32_t *in = read_file(arg[1], &size);
    static uint32_t most[MAX_BYTES / 128];
    for (size_t id = 0; id < size / 128; id++) {
        uint32_t count[512];
        for (uint32_t i = 0; i < 512; i++) {
            count[i] = i % 7;
        }
        for (uint32_t i = 0; i < 32; i++) {
            count[in[id * 32 + i] % 512] += 5;
        }
        uint32_t best = 0;
        for (uint32_t i = 1; i < 512; i++) {
            best = count[i] > count[best] ? i : best;
        }
        most[id] = best << 16 | count[best];
    }
    write_file(arg[0], most, size / 32);
    free(in);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int nargs;
        void (*run)(char **arg);
    } cases[] = {
        {"saxpy", 5, saxpy},           {"reduce", 3, reduce},   {"sgemm", 4, sgemm},
        {"mandelbrot", 4, mandelbrot}, {"scan", 3, scan},       {"sort", 2, sort},
        {"nbody", 3, nbody},           {"scratch", 2, scratch},
    };
    for (size_t i = 0; argc > 2 && i < sizeof cases / sizeof cases[0]; i++) {
        if (strcmp(argv[1], cases[i].name) == 0 && argc - 2 == cases[i].nargs) {
            cases[i].run(argv + 2);
            return 0;
        }
    }
    fprintf(stderr, "usage: expect NAME OUT ARGUMENT...\n");
    return 2;
}
