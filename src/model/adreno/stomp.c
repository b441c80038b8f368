// SPDX-License-Identifier: MIT
#include "model/adreno/stomp.h"

#include <string.h>

#include "hw/adreno_doms.h"

/** Does a render pass begin with the marker that was set? */
static bool begins(struct lull_agpu_stomp *p, const struct lull_astream *s)
{
    const struct lull_dom_state dom = {.chip = s->gen};
    const char *name =
        lull_dom_enum_name(&lull_dom_adreno, &dom, LULL_ADRENO_ENUM_a6xx_marker, s->marker);
    const char *is = name != NULL ? name : "";
    const bool before = p->bins, start = strcmp(is, "RM6_BIN_RENDER_START") == 0;
    const bool visibility = strcmp(is, "RM6_BIN_VISIBILITY") == 0;
    const bool direct = strcmp(is, "RM6_DIRECT_RENDER") == 0;
    if (direct || strcmp(is, "RM6_COMPUTE") == 0) {
        p->bins = false;
    } else if (start || visibility) {
        p->bins = true;
    }
    return direct || visibility || (start && !before);
}

static void fill(const struct lull_agpu_stomp *p, struct lull_astream *s)
{
    for (unsigned i = 0; i < p->n; i++) {
        const uint32_t reg = p->regs[i] % LULL_AS_REGS;
        for (unsigned pipe = 0; pipe < 2 && (p->written[reg / 64] >> reg % 64 & 1) == 0; pipe++) {
            s->regs[pipe].v[reg] = p->value;
            s->regs[pipe].known[reg / 64] |= UINT64_C(1) << reg % 64;
        }
    }
}

void lull_agpu_stomp_did(struct lull_agpu_stomp *p, struct lull_astream *s,
                         const struct lull_as_event *e)
{
    if (p->n == 0) {
        return;
    }
    if (e->what == LULL_AS_WRITES) {
        for (uint32_t i = 0; i < e->u.write.n; i++) {
            const uint32_t reg = (e->u.write.reg + i) % LULL_AS_REGS;
            p->written[reg / 64] |= UINT64_C(1) << reg % 64;
        }
    } else if (e->what == LULL_AS_DRAWS) {
        memset(p->written, 0, sizeof p->written);
    } else if (e->what == LULL_AS_MARKER && begins(p, s)) {
        fill(p, s);
    }
}
