// SPDX-License-Identifier: MIT
/* A program that computes on an Adreno by msm's calls alone: dispatch SHADER LOCAL GROUPS
 * [wide|twice].
 *
 * c0.x, c0.y: address of a buffer of 64 KiB, which begins with zeros; its first dwords are printed
 * at the end. The shader says that it uses 4 full and 2 half registers. r48.x is the group, r0.x
 * the local id. Descriptor 1 of bindless set 0 is an image without a format, 40 dwords at the
 * buffer's second half; UBO 0 is the buffer's second KiB. Twice: two dispatches, and between them
 * 0x5eed goes to byte 0x3800.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drm/core/kernel.h"
#include "drm/msm/msm.h"
#include "hw/adreno_doms.h"
#include "words.h"

enum {
    BYTES = 1 << 16,
    SHOWN = 8,
    SECOND_KIB = 1024,
    HALF = BYTES / 2,
    SETS = 4096,
    BETWEEN = 0x3800
};
#define WAIT_NS 100000000000ull

static void check(struct lull_error *err)
{
    if (err != NULL) {
        fprintf(stderr, "dispatch: %s\n", lull_error_message(err));
        exit(2);
    }
}

struct work {
    uint64_t code, data, sets;
    uint32_t ninsns, local, groups;
    bool wide, twice;
};

static uint32_t fill(uint32_t *words, const struct work *w)
{
    enum { LOAD_STATE6_FRAG = 0x34, EXEC_CS = 0x33, MEM_WRITE = 0x3d };
    // Constants, then UBOs, of block SB6_CS_SHADER (13), from the packet.
    const uint32_t consts[] = {1u << 14 | 13u << 18 | 1u << 22, 0,          0, (uint32_t)w->data,
                               (uint32_t)(w->data >> 32),       0x12345678, 0};
    const uint64_t ubo = (w->data + SECOND_KIB) | (uint64_t)(SECOND_KIB / 16) << 49;
    const uint32_t ubos[] = {2u << 14 | 13u << 18 | 1u << 22, 0, 0, (uint32_t)ubo,
                             (uint32_t)(ubo >> 32)};
    const uint32_t groups[] = {0, w->groups, 1, 1};
    struct stream s = {words};
    reg64(&s, LULL_A6XX_SP_CS_OBJ_START, w->code);
    reg(&s, LULL_A6XX_SP_CS_INSTRLEN, (w->ninsns + 15) / 16);
    reg(&s, LULL_A6XX_SP_CS_CTRL_REG0, 1u << 31 | (w->wide ? 1u << 20 : 0) | 4u << 7 | 2u << 1);
    reg(&s, LULL_A6XX_SP_CS_CONFIG, 1u << 8); // ENABLED.
    reg(&s, LULL_A6XX_SP_CS_CTRL_REG1, 3);
    reg(&s, LULL_A6XX_SP_CS_PVT_MEM_PARAM, 0); // None, and replaced where a shader is.
    reg64(&s, LULL_A6XX_SP_CS_PVT_MEM_ADDR, 0);
    reg(&s, LULL_A6XX_SP_CS_PVT_MEM_SIZE, 0);
    reg(&s, LULL_A6XX_HLSQ_CS_CNTL, 1);
    reg(&s, LULL_A6XX_HLSQ_CS_NDRANGE_0, 3 | (w->local - 1) << 2);
    reg(&s, LULL_A6XX_HLSQ_CS_CNTL_0, 48u * 4 | 0xfc00 | 0xfc0000);
    reg(&s, LULL_A6XX_HLSQ_CS_CNTL_1, 0xfc);
    reg64(&s, LULL_A6XX_SP_CS_BINDLESS_BASE_DESCRIPTOR, w->sets | 3);
    packet(&s, LOAD_STATE6_FRAG, consts, sizeof consts / 4);
    packet(&s, LOAD_STATE6_FRAG, ubos, sizeof ubos / 4);
    packet(&s, EXEC_CS, groups, 4);
    if (w->twice) { // What is written between the two says that it was there.
        const uint64_t at = w->data + BETWEEN;
        const uint32_t between[] = {(uint32_t)at, (uint32_t)(at >> 32), 0x5eed};
        packet(&s, MEM_WRITE, between, 3);
        packet(&s, EXEC_CS, groups, 4);
    }
    return (uint32_t)(s.at - words);
}

/* Source: Mesa a6xx.xml, A6XX_TEX_CONST. */
static void describe(uint32_t *set, uint64_t data)
{
    uint32_t *d = set + 16;
    d[0] = 75u << 22; // FMT6_32_UINT
    d[1] = 40;
    d[2] = 1u << 4 | 4u << 29; // a buffer
    d[4] = (uint32_t)(data + HALF);
    d[5] = (uint32_t)((data + HALF) >> 32);
}

// The words of a shader. @return How many.
static uint32_t read_code(const char *path, void *ret)
{
    FILE *f = fopen(path, "rb");
    const size_t n = f != NULL ? fread(ret, sizeof(uint64_t), SETS / sizeof(uint64_t), f) : 0;
    if (n == 0) {
        fprintf(stderr, "dispatch: cannot read %s\n", path);
        exit(2);
    }
    fclose(f);
    return (uint32_t)n;
}

int main(int argc, char **argv)
{
    struct lull_kernel *k = NULL;
    struct lull_msm_bo bo[4] = {{0}}; // Commands, code, data, descriptors.
    const struct lull_msm_bo *const bos[] = {&bo[0], &bo[1], &bo[2], &bo[3]};
    uint32_t fence = 0;
    bool done = false;
    int fd = -1;
    if (argc < 4) {
        return 2;
    }
    check(lull_kernel_real(&k));
    check(lull_msm_open(k, "/dev/dri/renderD128", &fd));
    for (unsigned i = 0; i < 4; i++) {
        check(lull_msm_bo_new(k, fd, i == 2 ? BYTES : SETS, 0, 0, &bo[i]));
    }
    const struct work w = {.code = bo[1].iova,
                           .data = bo[2].iova,
                           .sets = bo[3].iova,
                           .ninsns = read_code(argv[1], bo[1].map),
                           .local = (uint32_t)atoi(argv[2]),
                           .groups = (uint32_t)atoi(argv[3]),
                           .wide = argc > 4 && strcmp(argv[4], "wide") == 0,
                           .twice = argc > 4 && strcmp(argv[4], "twice") == 0};
    for (uint32_t i = 0; i < SECOND_KIB / 4; i++) {
        ((uint32_t *)bo[2].map)[SECOND_KIB / 4 + i] = 0xd0000000u + i;
    }
    describe(bo[3].map, bo[2].iova);
    const struct lull_msm_cmd cmd = {.size = 4 * fill(bo[0].map, &w)};
    const struct lull_msm_submit submit = {.bos = bos, .nbos = 4, .cmds = &cmd, .ncmds = 1};
    check(lull_msm_submit(k, fd, &submit, &fence));
    check(lull_msm_wait(k, fd, 0, fence, WAIT_NS, &done));
    for (unsigned i = 0; i < SHOWN; i++) {
        printf("%s%u", i == 0 ? "out: " : " ", ((const uint32_t *)bo[2].map)[i]);
    }
    printf("\n");
    for (unsigned i = 0; i < 4; i++) {
        lull_msm_bo_free(k, fd, &bo[i]);
    }
    k->close(k, fd);
    k->destroy(k);
    return done ? 0 : 1;
}
