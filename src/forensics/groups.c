// SPDX-License-Identifier: MIT
// Draw state: groups of packets that draws load.
#include <inttypes.h>
#include <string.h>

#include "forensics/walk.h"

enum { DISABLE = 2, DISABLE_ALL = 4, LOAD_IMMED = 8 };

static void load_group(struct lull_cff *c, unsigned i, unsigned level)
{
    const struct lull_cff_group g = c->groups[i];
    if (g.count == 0) {
        return;
    }
    const char *tabs = lull_cff_tabs(level);
    lull_cff_say(c, 2, "%sgroup_id: %u\n", tabs, i);
    lull_cff_say(c, 2, "%scount: %u\n", tabs, g.count);
    lull_cff_say(c, 2, "%saddr: %016" PRIx64 "\n", tabs, g.address);
    lull_cff_say(c, 2, "%sflags: %x\n", tabs, g.flags);
    if (c->gen >= 6) {
        lull_cff_say(c, 2, "%senable_mask: 0x%x\n", tabs, g.mask);
        if ((g.mask & c->enable_mask) == 0) {
            lull_cff_say(c, 2, "%s\tskipped!\n\n", tabs);
            return;
        }
    }
    const struct lull_cff_words w = lull_cff_memory(c, g.address, g.count);
    if (w.n < g.count) {
        fprintf(c->log, "0x%" PRIx64 ": a group of %u dwords, %u are in a buffer\n", g.address,
                g.count, w.n);
    }
    if (w.n > 0) {
        lull_cff_hex(c, w, level + 1);
        lull_cff_commands(c, w, level + 1);
    }
}

void lull_cff_drop_groups(struct lull_cff *c)
{
    memset(c->groups, 0, sizeof c->groups);
}

void lull_cff_load_groups(struct lull_cff *c, unsigned level)
{
    if (c->in_groups) {
        lull_cff_say(c, 0,
                     "ERROR: nothing in draw state should trigger recursively loading "
                     "groups!\n");
        return;
    }
    c->in_groups = true;
    for (unsigned i = 0; i < LULL_CFF_GROUPS; i++) {
        load_group(c, i, level);
    }
    c->in_groups = false;
    if (!c->o.query_compare) {   // which loads them again
        lull_cff_drop_groups(c); // only what is new shows at the next draw
    }
}

void lull_cff_set_draw_state(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    const uint32_t step = c->gen >= 5 ? 3 : 2;
    for (uint32_t i = 0; i < body.n; i += step) {
        const uint32_t head = body.words[i];
        const unsigned id = head >> 24 & 31, flags = head >> 16 & 15;
        struct lull_cff_group *g = &c->groups[id];
        if ((flags & DISABLE_ALL) != 0) {
            lull_cff_drop_groups(c);
            continue;
        }
        *g = (struct lull_cff_group){0};
        if ((flags & DISABLE) != 0) {
            continue;
        }
        *g = (struct lull_cff_group){
            .address = c->gen >= 5 ? lull_cff_pair(c, body, i + 1) : lull_cff_word(c, body, i + 1),
            .count = head & 0xffff,
            .flags = flags,
            .mask = head >> 20 & 15,
        };
        if ((flags & LOAD_IMMED) != 0) {
            load_group(c, id, level);
            *g = (struct lull_cff_group){0};
        }
    }
}
