// SPDX-License-Identifier: MIT
// The nine shaders of nine.py as C for one thread, with vectors of eight lanes where the work has
// them: nine_native SHADER ROUNDS OUT|- BUFFER0 [BUFFER1 [BUFFER2]] reads the buffers, does the
// work so often and writes buffer 0 to OUT. nine.py compiles it for the machine that it runs on.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 8, MOST = 3 };

typedef uint32_t u32s __attribute__((vector_size(4 * LANES)));
typedef int32_t i32s __attribute__((vector_size(4 * LANES)));
typedef float f32s __attribute__((vector_size(4 * LANES)));

/** Buffers as they are bound, by number. */
struct work {
    void *buffer[MOST];
    size_t size[MOST]; // bytes
};

static void saxpy(const struct work *w)
{
    float *restrict y = w->buffer[0];
    const float *restrict x = w->buffer[1];
    for (size_t i = 0; i < w->size[0] / sizeof *y; i++) {
        y[i] = fmaf(2.5f, x[i], y[i]);
    }
}

static void matmul(const struct work *w)
{
    enum { N = 256 };
    float *restrict c = w->buffer[0];
    const float *restrict a = w->buffer[1], *restrict b = w->buffer[2];
    for (size_t y = 0; y < N; y++) {
        float row[N] = {0};
        for (size_t k = 0; k < N; k++) {
            for (size_t x = 0; x < N; x++) {
                row[x] = fmaf(a[y * N + k], b[k * N + x], row[x]);
            }
        }
        memcpy(c + y * N, row, sizeof row);
    }
}

static void mandelbrot(const struct work *w)
{
    enum { WIDTH = 512, HEIGHT = 256, ROUNDS = 200 };
    uint32_t *count = w->buffer[0];
    const f32s lane = {0, 1, 2, 3, 4, 5, 6, 7};
    for (int at = 0; at < WIDTH * HEIGHT; at += LANES) {
        const f32s cx = ((float)(at % WIDTH) + lane) * 3.0f / (float)WIDTH - 2.0f;
        const float cy = (float)(at / WIDTH) * 2.0f / (float)HEIGHT - 1.0f;
        f32s zx = {0}, zy = {0};
        i32s n = {0}, live = ~n;
        for (int round = 0; round < ROUNDS; round++) {
            const f32s xx = zx * zx, yy = zy * zy, xy = zx * zy;
            live &= ~(xx + yy > 4.0f);
            n -= live;
            zx = xx - yy + cx;
            zy = xy + xy + cy;
            int32_t any = 0;
            for (int i = 0; i < LANES; i++) {
                any |= live[i];
            }
            if (any == 0) {
                break;
            }
        }
        memcpy(count + at, &n, sizeof n);
    }
}

static u32s ror(u32s v, int n)
{
    return v >> n | v << (32 - n);
}

static const uint32_t sha_k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

/** Eight messages of 32 bytes, one in each lane (FIPS 180-4). */
static void sha_lanes(uint32_t *digest, const uint32_t *message)
{
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    u32s w[64] = {0}, s[8] = {0};
    for (int i = 0; i < 8; i++) {
        s[i] += start[i];
        for (int l = 0; l < LANES; l++) {
            w[i][l] = __builtin_bswap32(message[8 * l + i]);
        }
    }
    w[8] += 0x80000000;
    w[15] += 256;
    for (int i = 16; i < 64; i++) {
        const u32s a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] + (ror(a, 7) ^ ror(a, 18) ^ a >> 3) +
               (ror(b, 17) ^ ror(b, 19) ^ b >> 10);
    }
    for (int i = 0; i < 64; i++) {
        const u32s t1 = s[7] + (ror(s[4], 6) ^ ror(s[4], 11) ^ ror(s[4], 25)) +
                        ((s[4] & s[5]) ^ (~s[4] & s[6])) + sha_k[i] + w[i];
        const u32s t2 = (ror(s[0], 2) ^ ror(s[0], 13) ^ ror(s[0], 22)) +
                        ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        for (int j = 7; j > 0; j--) {
            s[j] = s[j - 1];
        }
        s[4] += t1;
        s[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++) {
        for (int l = 0; l < LANES; l++) {
            digest[8 * l + i] = __builtin_bswap32(start[i] + s[i][l]);
        }
    }
}

static void sha256(const struct work *w)
{
    for (size_t at = 0; at < w->size[1] / sizeof(uint32_t); at += 8 * (size_t)LANES) {
        sha_lanes((uint32_t *)w->buffer[0] + at, (const uint32_t *)w->buffer[1] + at);
    }
}

/** Bodies @p first to @p first + 7: what the others pull them by. */
static void pull(const float *body, size_t first, size_t n, float force[3][LANES])
{
    float me[3][LANES];
    for (size_t i = 0; i < 3 * (size_t)LANES; i++) {
        me[i % 3][i / 3] = body[4 * (first + i / 3) + i % 3];
        force[i % 3][i / 3] = 0;
    }
    for (size_t k = 0; k < n; k++) {
        const float *other = body + 4 * k;
        for (int i = 0; i < LANES; i++) {
            const float dx = other[0] - me[0][i], dy = other[1] - me[1][i],
                        dz = other[2] - me[2][i];
            const float inv = 1 / sqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            const float f = other[3] * inv * inv * inv;
            force[0][i] += dx * f;
            force[1][i] += dy * f;
            force[2][i] += dz * f;
        }
    }
}

static void nbody(const struct work *w)
{
    const size_t n = w->size[1] / 16;
    float *velocity = w->buffer[0];
    for (size_t at = 0; at < n; at += LANES) {
        float force[3][LANES];
        pull(w->buffer[1], at, n, force);
        for (size_t i = 0; i < 3 * (size_t)LANES; i++) {
            velocity[4 * (at + i / 3) + i % 3] += force[i % 3][i / 3] * 0.01f;
        }
    }
}

static void reduce(const struct work *w)
{
    uint32_t *out = w->buffer[0];
    const uint32_t *v = w->buffer[1];
    for (size_t group = 0; group < w->size[1] / 1024; group++) {
        uint32_t sum = 0;
        for (size_t i = 0; i < 256; i++) {
            sum += v[256 * group + i];
        }
        out[1 + group] = sum;
        out[0] += sum;
    }
}

static void scan(const struct work *w)
{
    uint32_t *v = w->buffer[0], sum = 0;
    for (size_t i = 0; i < w->size[0] / sizeof *v; i++) {
        sum = i % 512 == 0 ? 0 : sum;
        const uint32_t next = sum + v[i];
        v[i] = sum;
        sum = next;
    }
}

static void histogram(const struct work *w)
{
    uint32_t *h = w->buffer[0], part[4][256] = {0};
    const uint8_t *v = w->buffer[1];
    for (size_t i = 0; i < w->size[1]; i++) { // Four, so that equal bytes do not wait.
        part[i % 4][v[i]]++;
    }
    for (int i = 0; i < 256; i++) {
        h[i] += part[0][i] + part[1][i] + part[2][i] + part[3][i];
    }
}

static void crc(const struct work *w)
{
    uint32_t table[256], *out = w->buffer[0];
    const uint8_t *v = w->buffer[1];
    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i;
        for (int k = 0; k < 8; k++) {
            table[i] = (table[i] & 1) != 0 ? 0xedb88320 ^ table[i] >> 1 : table[i] >> 1;
        }
    }
    for (size_t at = 0; at < w->size[1] / 64; at++) {
        uint32_t sum = UINT32_MAX;
        for (size_t i = 0; i < 64; i++) {
            sum = table[(sum ^ v[64 * at + i]) & 255] ^ sum >> 8;
        }
        out[at] = ~sum;
    }
}

static const struct {
    const char *name;
    void (*fn)(const struct work *w);
} works[] = {
    {"saxpy", saxpy},         {"matmul", matmul}, {"mandelbrot", mandelbrot},
    {"sha256", sha256},       {"nbody", nbody},   {"reduce", reduce},
    {"histogram", histogram}, {"scan", scan},     {"crc", crc},
};

/** All of a file. */
static void *read_file(const char *name, size_t *size)
{
    FILE *f = fopen(name, "rb");
    if (f == NULL || fseek(f, 0, SEEK_END) != 0) {
        perror(name);
        exit(1);
    }
    *size = (size_t)ftell(f);
    rewind(f);
    void *p = aligned_alloc(64, (*size + 63) / 64 * 64);
    if (p == NULL || fread(p, 1, *size, f) != *size) {
        perror(name);
        exit(1);
    }
    fclose(f);
    return p;
}

static void write_file(const char *name, const void *p, size_t size)
{
    FILE *f = fopen(name, "wb");
    if (f == NULL || fwrite(p, 1, size, f) != size || fclose(f) != 0) {
        perror(name);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    struct work w = {0};
    if (argc < 5 || argc > 4 + MOST) {
        fprintf(stderr, "usage: nine_native SHADER ROUNDS OUT|- BUFFER...\n");
        return 2;
    }
    for (int i = 4; i < argc; i++) {
        w.buffer[i - 4] = read_file(argv[i], &w.size[i - 4]);
    }
    for (size_t k = 0; k < sizeof works / sizeof works[0]; k++) {
        for (int i = 0; i < atoi(argv[2]) && strcmp(works[k].name, argv[1]) == 0; i++) {
            works[k].fn(&w);
        }
    }
    if (strcmp(argv[3], "-") != 0) {
        write_file(argv[3], w.buffer[0], w.size[0]);
    }
    return 0;
}
