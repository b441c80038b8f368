// SPDX-License-Identifier: MIT
// Print what lull_image_* says of a file, one fact a line, for compare.py.
#include <stdio.h>
#include <stdlib.h>

#include "image/image.h"

static void print_kernels(const struct lull_image *im)
{
    for (size_t i = 0; i < lull_image_nkernels(im); i++) {
        const struct lull_kernel_info *k = lull_image_kernel(im, i);
        printf(
            "kernel %s entry=%llx kd=%llx lds=%u scratch=%u kernarg=%u wave32=%d sgprs=%u vgprs=%u "
            "block=%u,%u,%u rsrc=%x,%x,%x properties=%x preload=%x\n",
            k->name, (unsigned long long)k->entry, (unsigned long long)k->descriptor, k->lds_bytes,
            k->scratch_bytes, k->kernarg_bytes, k->wave32, k->nsgprs, k->nvgprs, k->reqd_block[0],
            k->reqd_block[1], k->reqd_block[2], k->rsrc1, k->rsrc2, k->rsrc3, k->properties,
            k->kernarg_preload);
        for (size_t a = 0; a < k->nargs; a++) {
            const struct lull_arg *arg = &k->args[a];
            printf("arg %s %zu kind=%d axis=%u offset=%u size=%u const=%d type=%s name=%s\n",
                   k->name, a, (int)arg->kind, arg->axis, arg->offset, arg->size, arg->is_const,
                   arg->type_name, arg->name);
        }
    }
}

static void print_code(const struct lull_image *im)
{
    uint64_t start = 0, end = 0;
    lull_image_code_range(im, &start, &end);
    printf("code %llx %llx\n", (unsigned long long)start, (unsigned long long)end);
    for (size_t i = 0; i < lull_image_nsymbols(im); i++) {
        const struct lull_symbol *s = lull_image_symbol(im, i);
        printf("symbol %s %llx %llx %s\n", s->name, (unsigned long long)s->offset,
               (unsigned long long)s->size, s->is_code ? "code" : "data");
    }
    for (uint64_t at = start; at < end; at += 4) {
        struct lull_line line = {0};
        if (lull_image_line_at(im, at, &line)) {
            printf("line %llx %u %u %d %s\n", (unsigned long long)at, line.line, line.column,
                   line.is_stmt, line.file);
        }
    }
}

static struct lull_error *print_memory(const struct lull_image *im, const char *path, uint64_t va)
{
    uint64_t size = lull_image_size(im);
    uint8_t *memory = malloc(size);
    FILE *f = memory != NULL ? fopen(path, "wb") : NULL;
    struct lull_error *err = f != NULL ? lull_image_load(im, va, memory) : &lull_enomem;
    if (err == NULL && fwrite(memory, 1, size, f) != size) {
        perror(path);
    }
    if (f != NULL) {
        fclose(f);
    }
    free(memory);
    return err;
}

int main(int argc, char **argv)
{
    static uint8_t bytes[1 << 22];
    FILE *f = argc > 1 ? fopen(argv[1], "rb") : NULL;
    if (f == NULL) {
        return 2;
    }
    size_t size = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    struct lull_image *im = NULL;
    struct lull_error *err = lull_image_parse(bytes, size, &im);
    if (err == NULL) {
        print_kernels(im);
        print_code(im);
        if (argc > 3) {
            err = print_memory(im, argv[2], strtoull(argv[3], NULL, 16));
        }
    }
    if (err != NULL) {
        printf("error %d %s\n", (int)lull_error_code(err), lull_error_message(err));
    }
    lull_error_free(err);
    lull_image_free(im);
    return 0;
}
