// SPDX-License-Identifier: MIT
/* A program that counts on what it has not set, by msm's calls alone:
 *
 *   stale registers REG[,REG]   that one of these registers is 0 in a command buffer
 *   stale blit                  that RB_2D_SRC_SOLID_C0, the colour of a 2D fill, is 0
 *   stale memory N              that buffer N of 4 begins with 0
 *
 * Exit status 1: it was not so.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drm/core/kernel.h"
#include "drm/msm/msm.h"
#include "hw/adreno_doms.h"
#include "words.h"

enum { BUFFERS = 4, BYTES = 1 << 14, MOST_REGS = 4, OUT = 3 };
#define WAIT_NS 100000000000ull

static void check(struct lull_error *err)
{
    if (err != NULL) {
        fprintf(stderr, "stale: %s\n", lull_error_message(err));
        exit(125);
    }
}

/* Registers into the first dwords of the buffer OUT. @return How many. */
static unsigned registers(struct stream *s, const char *list, uint64_t out)
{
    enum { REG_TO_MEM = 0x3e };
    unsigned n = 0;
    for (char *end = NULL; n < MOST_REGS; list = end + 1, n++) {
        const uint32_t payload[] = {(uint32_t)strtoul(list, &end, 0), (uint32_t)(out + n * 4),
                                    (uint32_t)(out >> 32)};
        packet(s, REG_TO_MEM, payload, 3);
        if (*end != ',') {
            return n + 1;
        }
    }
    return n;
}

/* A fill of 16 by 1 texels of 32 bits. Source: Mesa a6xx.xml. */
static unsigned blit(struct stream *s, uint64_t out)
{
    enum { SET_MARKER = 0x65, BLIT = 0x2c, R32_UINT = 0x4b, LAST_X = 15 };
    const uint32_t direct = 1, scale = 3, cntl = 1u << 7 | R32_UINT << 8 | 0xfu << 20 | 6u << 24;
    reg(s, LULL_A6XX_GRAS_2D_BLIT_CNTL, cntl);
    reg(s, LULL_A6XX_RB_2D_BLIT_CNTL, cntl);
    reg(s, LULL_A6XX_GRAS_2D_DST_TL, 0);
    reg(s, LULL_A6XX_GRAS_2D_DST_BR, LAST_X);
    packet(s, SET_MARKER, &direct, 1); // drivers set a part of a pass in front of it
    reg(s, LULL_A6XX_RB_2D_UNKNOWN_8C01, 0);
    reg(s, LULL_A6XX_RB_2D_DST_INFO, R32_UINT);
    reg64(s, LULL_A6XX_RB_2D_DST, out);
    reg(s, LULL_A6XX_RB_2D_DST_PITCH, 1);
    packet(s, BLIT, &scale, 1);
    return 1;
}

static unsigned memory(struct stream *s, uint64_t from, uint64_t out)
{
    enum { MEM_TO_MEM = 0x73 };
    const uint32_t payload[] = {0, (uint32_t)out, (uint32_t)(out >> 32), (uint32_t)from,
                                (uint32_t)(from >> 32)};
    packet(s, MEM_TO_MEM, payload, 5);
    return 1;
}

int main(int argc, char **argv)
{
    struct lull_kernel *k = NULL;
    struct lull_msm_bo bo[BUFFERS] = {{0}};
    const struct lull_msm_bo *bos[BUFFERS];
    uint32_t fence = 0;
    bool done = false, stale = true;
    int fd = -1;
    const char *what = argc > 1 ? argv[1] : "", *which = argc > 2 ? argv[2] : "";
    check(lull_kernel_real(&k));
    check(lull_msm_open(k, "/dev/dri/renderD128", &fd));
    for (unsigned i = 0; i < BUFFERS; i++) {
        check(lull_msm_bo_new(k, fd, BYTES, 0, 0, &bo[i]));
        bos[i] = &bo[i];
    }
    struct stream s = {bo[0].map};
    const uint64_t out = bo[OUT].iova + BYTES / 2;
    uint32_t *got = (uint32_t *)(void *)((char *)bo[OUT].map + BYTES / 2);
    memset(got, strcmp(what, "registers") == 0 ? 0 : 0x5a, sizeof(uint32_t) * MOST_REGS);
    const unsigned n = strcmp(what, "registers") == 0 ? registers(&s, which, out)
                       : strcmp(what, "blit") == 0
                           ? blit(&s, out)
                           : memory(&s, bo[strtoul(which, NULL, 0) % BUFFERS].iova + 0x100, out);
    const struct lull_msm_cmd cmd = {.size = (uint32_t)(4 * (s.at - (uint32_t *)bo[0].map))};
    const struct lull_msm_submit submit = {.bos = bos, .nbos = BUFFERS, .cmds = &cmd, .ncmds = 1};
    check(lull_msm_submit(k, fd, &submit, &fence));
    check(lull_msm_wait(k, fd, 0, fence, WAIT_NS, &done));
    for (unsigned i = 0; i < n; i++) {
        printf("0x%x\n", got[i]);
        stale = stale && got[i] != 0;
    }
    k->close(k, fd);
    k->destroy(k);
    return !done ? 2 : stale;
}
