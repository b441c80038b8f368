// SPDX-License-Identifier: MIT
// What shaders of an Adreno reach: what is mapped now, whatever was looked up before.
#include <stdlib.h>
#include <string.h>

#include "model/adreno/gpu_impl.h"
#include "test.h"

#define BASE 0x100000000ull

static _Alignas(LULL_AGPU_PAGE) uint8_t memory[4][LULL_AGPU_PAGE];

static const struct lull_agpu_ops *ops = &lull_agpu_model_ops;

static void map(struct lull_agpu *g, struct lull_agpu_space *s, unsigned page, unsigned access)
{
    const struct lull_agpu_page p = {memory[page], LULL_AGPU_PAGE, access};
    if (!ops->map(g, s, BASE, LULL_AGPU_PAGE, &p)) {
        abort();
    }
}

static void check(struct lull_agpu *g, const char *name, uint64_t offset, bool write,
                  const uint8_t *want)
{
    const uint8_t *got = lull_agpu_at(g, BASE + offset, 4, write);
    test_case(got == want, name, "%p, want %p", (const void *)got, (const void *)want);
}

int main(void)
{
    enum { BOTH = LULL_AGPU_READ | LULL_AGPU_WRITE };
    const struct lull_agpu_config config = {.chip = &lull_achip_a660};
    struct lull_agpu *g = NULL;
    struct lull_error *err = lull_agpu_new(&config, &g);
    if (err != NULL) {
        abort();
    }
    struct lull_agpu_space *a = ops->space_new(g), *b = ops->space_new(g);
    map(g, a, 0, BOTH);
    map(g, b, 1, LULL_AGPU_READ);
    g->current = a;
    check(g, "mapped", 8, true, memory[0] + 8);
    check(g, "again", 12, false, memory[0] + 12);
    check(g, "the end", LULL_AGPU_PAGE - 4, false, memory[0] + LULL_AGPU_PAGE - 4);
    check(g, "behind the end", LULL_AGPU_PAGE - 3, false, NULL);
    check(g, "behind it", LULL_AGPU_PAGE, false, NULL);
    g->current = b;
    check(g, "another space", 8, false, memory[1] + 8);
    check(g, "not to be written", 8, true, NULL);
    g->current = a;
    check(g, "the first space again", 8, false, memory[0] + 8);
    ops->unmap(g, a, BASE, LULL_AGPU_PAGE);
    check(g, "unmapped", 8, false, NULL);
    map(g, a, 2, BOTH);
    check(g, "mapped to other memory", 8, false, memory[2] + 8);
    g->current = NULL;
    check(g, "no space", 8, false, NULL);
    ops->space_free(g, a);
    a = ops->space_new(g);
    g->current = a;
    check(g, "a new space, perhaps where the old one was", 8, false, NULL);
    ops->destroy(g);
    return test_end();
}
