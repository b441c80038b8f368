// SPDX-License-Identifier: MIT
// bench_link SECONDS LAYOUT.json FILE...: links the files again and again in this process; prints
// pipelines a second of processor time, with and without folding.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "link/link.h"

enum { MAX_INPUTS = 8, MAX_FILE = 1 << 24 };

static char *read_file(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    char *data = f != NULL ? malloc(MAX_FILE) : NULL;
    *size = data != NULL ? fread(data, 1, MAX_FILE, f) : 0;
    if (f != NULL) {
        fclose(f);
    }
    return data;
}

static double seconds(void)
{
    struct timespec t = {0};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int check(struct lull_error *err)
{
    if (err != NULL) {
        fprintf(stderr, "bench_link: %s\n", lull_error_message(err));
        lull_error_free(err);
        exit(1);
    }
    return 0;
}

// The layout is read for each pipeline, as a driver would be given one.
static double rate(double time, const char *layout_text, size_t layout_size,
                   const struct lull_link_input *inputs, size_t n, bool no_fold)
{
    const struct lull_link_options options = {.no_fold = no_fold};
    const double start = seconds();
    unsigned long count = 0;
    while (seconds() - start < time) {
        struct lull_layout layout = {0};
        struct lull_link_result result = {0};
        check(lull_layout_read(layout_text, layout_size, &layout));
        check(lull_link(inputs, n, &layout, &options, &result));
        lull_link_done(&result);
        lull_layout_done(&layout);
        count++;
    }
    return (double)count / (seconds() - start);
}

int main(int argc, char **argv)
{
    struct lull_link_input inputs[MAX_INPUTS] = {{0}};
    if (argc < 4 || argc - 3 > MAX_INPUTS) {
        fprintf(stderr, "usage: bench_link SECONDS LAYOUT.json FILE...\n");
        return 2;
    }
    size_t size = 0;
    char *layout = read_file(argv[2], &size);
    const size_t n = (size_t)argc - 3;
    for (size_t i = 0; i < n; i++) {
        inputs[i].name = argv[3 + i];
        inputs[i].data = read_file(argv[3 + i], &inputs[i].size);
    }
    const double time = strtod(argv[1], NULL);
    const double folded = rate(time, layout, size, inputs, n, false);
    printf("%.0f %.0f\n", folded, rate(time, layout, size, inputs, n, true));
    return 0;
}
