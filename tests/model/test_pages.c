// SPDX-License-Identifier: MIT
// Pictures of memory: what they hold, what they cost, and going back; compared with copies.
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "model/pages.h"
#include "model/slabs.h"
#include "test.h"

enum { PAGE = 4096, PAGES = 700, SIZE = PAGES * PAGE, ROUNDS = 12, OTHER = 550 };

struct fixture {
    struct lull_pages p;
    int fd;
    uint8_t *map;
};

static void must(struct lull_error *err)
{
    if (err != NULL) {
        printf("Bail out! %s\n", lull_error_message(err));
        exit(1);
    }
}

static void set_up(struct fixture *f)
{
    f->fd = memfd_create("test", 0);
    f->map = ftruncate(f->fd, SIZE) == 0
                 ? mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, f->fd, 0)
                 : MAP_FAILED;
    if (f->map == MAP_FAILED) {
        abort();
    }
    must(lull_pages_init(&f->p, f->map, SIZE, f->fd));
}

static void tear_down(struct fixture *f)
{
    lull_pages_done(&f->p);
    munmap(f->map, SIZE);
    close(f->fd);
}

static uint32_t next_random(uint64_t *random)
{
    *random = *random * UINT64_C(6364136223846793005) + 1; // Knuth's MMIX generator
    return (uint32_t)(*random >> 33);
}

/** Write here and there, as the GPU does or behind its back. */
static void scribble(struct fixture *f, uint64_t *random, bool outside)
{
    for (unsigned i = next_random(random) % 30; i > 0; i--) {
        const uint64_t at = next_random(random) % SIZE;
        if (!outside) {
            lull_pages_mark(&f->p, at);
        }
        f->map[at] = (uint8_t)next_random(random);
    }
    if (outside && next_random(random) % 4 == 0) {
        const uint64_t at = next_random(random) % (PAGES - 40) * PAGE;
        (void)fallocate(f->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)at, 30 * PAGE);
    }
}

/** Pictures in a row, then back to them in another order. */
static void test_back(bool outside)
{
    struct fixture f = {0};
    static uint8_t copies[ROUNDS][SIZE];
    struct lull_picture *pictures[ROUNDS] = {0};
    uint64_t random = 5, where = 0;
    unsigned wrong = 0, unlike = 0;
    set_up(&f);
    scribble(&f, &random, true);
    for (unsigned i = 0; i < ROUNDS; i++) {
        must(lull_pages_take(&f.p, outside || i == 0, &pictures[i]));
        memcpy(copies[i], f.map, SIZE);
        scribble(&f, &random, outside);
    }
    for (unsigned i = 0; i < 2 * ROUNDS; i++) {
        const unsigned n = next_random(&random) % ROUNDS, m = next_random(&random) % ROUNDS;
        must(lull_pages_put(&f.p, outside, pictures[n]));
        wrong += memcmp(f.map, copies[n], SIZE) != 0;
        unlike += lull_picture_same(pictures[n], pictures[m], &where) !=
                  (memcmp(copies[n], copies[m], SIZE) == 0);
        scribble(&f, &random, outside);
    }
    test_case(wrong == 0 && unlike == 0, outside ? "back, written behind" : "back, marked",
              "%u times another memory, %u times another opinion of pictures", wrong, unlike);
    for (unsigned i = 0; i < ROUNDS; i++) {
        lull_picture_free(pictures[i]);
    }
    tear_down(&f);
}

/** A picture costs the pages that have changed. */
static void test_cost(void)
{
    struct fixture f = {0};
    struct lull_picture *a = NULL, *b = NULL, *c = NULL;
    uint64_t where = 0;
    set_up(&f);
    memset(f.map, 1, 20 * PAGE);
    f.map[600 * PAGE] = 1;
    must(lull_pages_take(&f.p, true, &a));
    lull_pages_mark(&f.p, 3 * PAGE);
    lull_pages_mark(&f.p, 4 * PAGE);
    lull_pages_mark(&f.p, 600 * PAGE);
    f.map[3 * PAGE + 5] = 2;
    f.map[600 * PAGE] = 0; // a page of zeros costs nothing
    must(lull_pages_take(&f.p, false, &b));
    must(lull_pages_take(&f.p, true, &c));
    const uint64_t first = lull_picture_own(a, NULL), second = lull_picture_own(b, a);
    test_case(first == 21 && second == 1, "pages", "%llu and %llu", (unsigned long long)first,
              (unsigned long long)second);
    const bool differ = !lull_picture_same(a, b, &where);
    test_case(differ && where == 3 * PAGE + 5, "where they differ", "%d, byte 0x%llx", differ,
              (unsigned long long)where);
    test_case(lull_picture_own(c, b) == 0 && lull_picture_same(b, c, &where), "nothing written",
              "%llu pages", (unsigned long long)lull_picture_own(c, b));
    lull_picture_free(a);
    lull_picture_free(b);
    lull_picture_free(c);
    tear_down(&f);
}

/** Memory of another file, mapped over a part: its holes are not those of ours. */
static void test_other(void)
{
    struct fixture f = {0};
    struct lull_picture *a = NULL;
    const int fd = memfd_create("other", 0);
    set_up(&f);
    uint8_t *at = ftruncate(fd, 4 * PAGE) == 0
                      ? mmap(f.map + OTHER * PAGE, 4 * PAGE, PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_FIXED, fd, 0)
                      : MAP_FAILED;
    lull_pages_other(&f.p, OTHER * PAGE, 4 * PAGE);
    (void)!pwrite(fd, "there", 5, 2 * PAGE); // by somebody else, who has it mapped
    must(lull_pages_take(&f.p, true, &a));
    (void)!pwrite(fd, "other", 5, 2 * PAGE);
    must(lull_pages_put(&f.p, true, a));
    test_case(at != MAP_FAILED && memcmp(at + 2 * PAGE, "there", 5) == 0, "another file's memory",
              "%.5s", at != MAP_FAILED ? (const char *)at + 2 * PAGE : "");
    lull_picture_free(a);
    close(fd);
    tear_down(&f);
}

static void test_size(void)
{
    struct fixture f = {0};
    uint8_t small[PAGE] = {0};
    struct lull_pages p = {0};
    struct lull_picture *a = NULL;
    set_up(&f);
    must(lull_pages_init(&p, small, PAGE, -1));
    must(lull_pages_take(&p, true, &a));
    struct lull_error *err = lull_pages_put(&f.p, true, a);
    test_case(err != NULL && lull_error_code(err) == LULL_ERR_INVALID, "memory of another size",
              "%s", err != NULL ? lull_error_message(err) : "no error");
    lull_error_free(err);
    lull_picture_free(a);
    lull_pages_done(&p);
    tear_down(&f);
}

static void fill(uint8_t *page, unsigned i)
{
    memset(page, (int)(i % 251), PAGE);
    memcpy(page + PAGE - sizeof i, &i, sizeof i);
}

static bool is_filled(const uint8_t *page, unsigned i)
{
    unsigned last = 0;
    memcpy(&last, page + PAGE - sizeof last, sizeof last);
    return page[0] == i % 251 && last == i;
}

/** No page is another's; what is given back is given again; the last owner counts. */
static void test_slabs(void)
{
    enum { N = 1200 };
    static uint8_t *at[N], *again[N];
    struct lull_slabs *s = lull_slabs_new();
    unsigned wrong = 0, old = 0;
    for (unsigned i = 0; i < N; i++) {
        at[i] = lull_slab_page(s);
        fill(at[i], i);
        lull_slab_share(at[i]);
    }
    for (unsigned i = 0; i < N; i++) { // The even ones are given back, the odd have one owner left.
        lull_slab_drop(at[i]);
        lull_slab_drop(i % 2 == 0 ? at[i] : NULL);
    }
    for (unsigned i = 0; i < N / 2; i++) {
        again[i] = lull_slab_page(s);
        fill(again[i], N + i);
        for (unsigned k = 0; k < N; k += 2) {
            old += again[i] == at[k];
        }
    }
    for (unsigned i = 1; i < N; i += 2) {
        wrong += !is_filled(at[i], i);
    }
    test_case(wrong == 0, "pages with an owner are nobody else's", "%u are", wrong);
    test_case(old == N / 2, "pages without one are given again", "%u of %u", old, N / 2);
    lull_slabs_done(s);
    for (unsigned i = 0; i < N / 2; i++) {
        wrong += !is_filled(again[i], N + i) || !is_filled(at[2 * i + 1], 2 * i + 1);
        lull_slab_drop(again[i]);
        lull_slab_drop(at[2 * i + 1]);
    }
    test_case(wrong == 0, "they stay until the last is dropped", "%u do not", wrong);
}

int main(void)
{
    test_slabs();
    test_back(true);
    test_back(false);
    test_cost();
    test_other();
    test_size();
    return test_end();
}
