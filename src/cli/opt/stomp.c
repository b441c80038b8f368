// SPDX-License-Identifier: MIT
#include "cli/opt/stomp.h"

#include <stdlib.h>
#include <string.h>

#include "cli/opt/gpu.h"
#include "hw/stale.h"
#include "vdrm/msm/vdrm.h"

const struct lull_opt lull_stomp_opts[] = {
    {"--stomp", NULL, "REGISTERS",
     "of an Adreno: 0xffffffff is written into these registers (0xFIRST-0xLAST,..., or all) of "
     "those that a driver sets anew, where --stomp-at says",
     LULL_OPT_TEXT, LULL_OPT_AT(struct lull_stomp, registers)},
    {"--stomp-at", NULL, "cmdbuf|renderpass|both",
     "in front of each submit, as if not given: registers that are set once in each command "
     "buffer; at the start of each render pass: those that are set in each",
     LULL_OPT_CHOICE, LULL_OPT_AT(struct lull_stomp, at)},
    {"--stomp-memory", NULL, "BUFFERS",
     "of an Adreno: these buffers (N,N-M, or all), numbered from 1 as the program makes them, "
     "begin with 0xff bytes, not with zeros",
     LULL_OPT_TEXT, LULL_OPT_AT(struct lull_stomp, buffers)},
    {0},
};

struct lull_error *lull_stomp_in(const char *option, const char *list, uint32_t number, bool *ret)
{
    const char *at = list;
    *ret = strcmp(list, "all") == 0;
    if (*ret || strcmp(list, "none") == 0) {
        return NULL;
    }
    for (bool more = true; more;) {
        char *end = NULL;
        const unsigned long long first = strtoull(at, &end, 0);
        unsigned long long last = first;
        bool good = end != at && *at != '-' && *at != '+';
        if (good && *end == '-') {
            at = end + 1;
            last = strtoull(at, &end, 0);
            good = end != at && *at != '-' && *at != '+';
        }
        more = *end == ',';
        if (!good || (!more && *end != '\0') || last < first || last > UINT32_MAX) {
            return lull_error_new(LULL_ERR_INVALID, "%s '%s': at '%s': want N,FIRST-LAST,...",
                                  option, list, at);
        }
        *ret |= number >= first && number <= last;
        at = end + 1;
    }
    return NULL;
}

/** Of the registers that may hold garbage those that were asked for. */
LULL_MUST_USE static struct lull_error *choose(const struct lull_stomp *s, unsigned gen, bool pass,
                                               uint32_t *ret, unsigned *n)
{
    const unsigned all = lull_stale_registers(gen, pass, ret, LULL_STOMP_MOST);
    struct lull_error *err = NULL;
    for (unsigned i = 0; err == NULL && i < all && i < LULL_STOMP_MOST; i++) {
        bool in = false;
        err = lull_stomp_in("--stomp", s->registers, ret[i], &in);
        ret[*n] = ret[i];
        *n += in;
    }
    return err;
}

struct lull_error *lull_stomp_apply(struct lull_stomp *s, const char *gpu, struct lull_kernel *k)
{
    struct lull_vdm_stomp v = {
        .submit = s->submit, .pass = s->pass, .packets = s->packets, .buffers = s->numbers};
    struct lull_error *err = NULL;
    if (s->registers == NULL && s->buffers == NULL) {
        return NULL;
    }
    if (!lull_gpu_is_adreno(gpu)) {
        return lull_error_new(LULL_ERR_INVALID,
                              "--stomp and --stomp-memory are of an Adreno: --gpu a630, a660 or "
                              "a740");
    }
    const unsigned gen = lull_gpu_chip(gpu)->gen;
    if (s->registers != NULL && s->at != LULL_STOMP_PASS) {
        err = choose(s, gen, false, s->submit, &v.nsubmit);
    }
    if (err == NULL && s->registers != NULL && s->at != LULL_STOMP_CMDBUF) {
        err = choose(s, gen, true, s->pass, &v.npass);
    }
    for (uint32_t i = 1; err == NULL && s->buffers != NULL && i <= LULL_STOMP_MOST; i++) {
        bool in = false;
        err = lull_stomp_in("--stomp-memory", s->buffers, i, &in);
        s->numbers[v.nbuffers] = i;
        v.nbuffers += in && i < LULL_STOMP_MOST;
    }
    v.all_buffers = s->buffers != NULL && strcmp(s->buffers, "all") == 0;
    return err != NULL ? err : lull_vdm_stomp(k, &v);
}
