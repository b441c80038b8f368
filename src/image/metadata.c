// SPDX-License-Identifier: MIT
// NT_AMDGPU_METADATA. Source: LLVM AMDGPUUsage, "Code Object V3-V5 Metadata".
#include <string.h>

#include "file/msgpack.h"
#include "image/parts.h"

enum {
    NT_AMDGPU_METADATA = 32,
};

struct kind {
    const char *name;
    enum lull_arg_kind kind;
    uint8_t axis;
};

// Images, samplers, pipes and queues are addresses in the kernarg segment, as buffers are.
static const struct kind kinds[] = {
    {"by_value", LULL_ARG_VALUE, 0},
    {"global_buffer", LULL_ARG_GLOBAL_BUFFER, 0},
    {"image", LULL_ARG_GLOBAL_BUFFER, 0},
    {"sampler", LULL_ARG_GLOBAL_BUFFER, 0},
    {"pipe", LULL_ARG_GLOBAL_BUFFER, 0},
    {"queue", LULL_ARG_GLOBAL_BUFFER, 0},
    {"dynamic_shared_pointer", LULL_ARG_LOCAL, 0},
    {"hidden_block_count_x", LULL_ARG_HIDDEN_BLOCK_COUNT, 0},
    {"hidden_block_count_y", LULL_ARG_HIDDEN_BLOCK_COUNT, 1},
    {"hidden_block_count_z", LULL_ARG_HIDDEN_BLOCK_COUNT, 2},
    {"hidden_group_size_x", LULL_ARG_HIDDEN_GROUP_SIZE, 0},
    {"hidden_group_size_y", LULL_ARG_HIDDEN_GROUP_SIZE, 1},
    {"hidden_group_size_z", LULL_ARG_HIDDEN_GROUP_SIZE, 2},
    {"hidden_remainder_x", LULL_ARG_HIDDEN_REMAINDER, 0},
    {"hidden_remainder_y", LULL_ARG_HIDDEN_REMAINDER, 1},
    {"hidden_remainder_z", LULL_ARG_HIDDEN_REMAINDER, 2},
    {"hidden_global_offset_x", LULL_ARG_HIDDEN_GLOBAL_OFFSET, 0},
    {"hidden_global_offset_y", LULL_ARG_HIDDEN_GLOBAL_OFFSET, 1},
    {"hidden_global_offset_z", LULL_ARG_HIDDEN_GLOBAL_OFFSET, 2},
    {"hidden_grid_dims", LULL_ARG_HIDDEN_GRID_DIMS, 0},
    {"hidden_printf_buffer", LULL_ARG_HIDDEN_PRINTF, 0},
};

// The note being read, and where its strings go.
struct reader {
    struct lull_image *im;
    struct lull_cur c;
};

LULL_MUST_USE static struct lull_error *bad(const struct reader *r, const char *what)
{
    return lull_error_new(LULL_ERR_BAD_DATA, "%s at byte %zu", what,
                          (size_t)(r->c.pos - r->c.start));
}

LULL_MUST_USE static struct lull_error *next(struct reader *r, struct lull_msgpack *ret)
{
    int n = lull_msgpack_next(&r->c, ret);
    return n > 0 ? NULL : bad(r, n == LULL_MSGPACK_TRUNCATED ? "truncated" : "reserved byte");
}

LULL_MUST_USE static struct lull_error *skip(struct reader *r)
{
    return lull_msgpack_skip(&r->c) == 0 ? NULL : bad(r, "malformed value");
}

LULL_MUST_USE static struct lull_error *expect(struct reader *r, enum lull_msgpack_kind kind,
                                               const char *what, struct lull_msgpack *ret)
{
    struct lull_error *err = next(r, ret);
    return err != NULL ? err : ret->kind == kind ? NULL : bad(r, what);
}

LULL_MUST_USE static struct lull_error *read_u32(struct reader *r, uint32_t *ret)
{
    struct lull_msgpack m = {0};
    struct lull_error *err = expect(r, LULL_MSGPACK_UINT, "not a number", &m);
    if (err == NULL && m.u > UINT32_MAX) {
        err = bad(r, "number too large");
    }
    if (err == NULL) {
        *ret = (uint32_t)m.u;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *read_bool(struct reader *r, bool *ret)
{
    struct lull_msgpack m = {0};
    struct lull_error *err = expect(r, LULL_MSGPACK_BOOL, "not a truth value", &m);
    *ret = m.u != 0;
    return err;
}

LULL_MUST_USE static struct lull_error *read_text(struct reader *r, const char **ret)
{
    struct lull_msgpack m = {0};
    struct lull_error *err = expect(r, LULL_MSGPACK_STR, "not a string", &m);
    if (err != NULL) {
        return err;
    }
    if (m.size != 0 && memchr(m.data, '\0', m.size) != NULL) {
        return bad(r, "zero byte in a string");
    }
    char *text = lull_image_alloc(r->im, m.size + 1, 1);
    if (text == NULL) {
        return &lull_enomem;
    }
    memcpy(text, m.data, m.size);
    *ret = text;
    return NULL;
}

LULL_MUST_USE static struct lull_error *read_kind(struct reader *r, struct lull_arg *arg)
{
    struct lull_msgpack m = {0};
    struct lull_error *err = expect(r, LULL_MSGPACK_STR, "value kind is not a string", &m);
    if (err != NULL) {
        return err;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (lull_msgpack_is(&m, kinds[i].name)) {
            arg->kind = kinds[i].kind;
            arg->axis = kinds[i].axis;
            return NULL;
        }
    }
    if (m.size < 7 || memcmp(m.data, "hidden_", 7) != 0) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "argument kind '%.*s'",
                              m.size < 64 ? (int)m.size : 64, (const char *)m.data);
    }
    arg->kind = LULL_ARG_HIDDEN_OTHER;
    return NULL;
}

LULL_MUST_USE static struct lull_error *read_arg(struct reader *r, struct lull_arg *arg)
{
    struct lull_msgpack map = {0};
    struct lull_error *err = expect(r, LULL_MSGPACK_MAP, "argument is not a map", &map);
    arg->name = "";
    arg->type_name = "";
    for (size_t i = 0; err == NULL && i < map.size; i++) {
        struct lull_msgpack key = {0};
        err = next(r, &key);
        if (err != NULL) {
            break;
        }
        if (lull_msgpack_is(&key, ".name")) {
            err = read_text(r, &arg->name);
        } else if (lull_msgpack_is(&key, ".type_name")) {
            err = read_text(r, &arg->type_name);
        } else if (lull_msgpack_is(&key, ".offset")) {
            err = read_u32(r, &arg->offset);
        } else if (lull_msgpack_is(&key, ".size")) {
            err = read_u32(r, &arg->size);
        } else if (lull_msgpack_is(&key, ".value_kind")) {
            err = read_kind(r, arg);
        } else if (lull_msgpack_is(&key, ".is_const")) {
            err = read_bool(r, &arg->is_const);
        } else {
            err = lull_msgpack_skip_rest(&r->c, &key) == 0 ? skip(r) : bad(r, "malformed key");
        }
    }
    return err;
}

LULL_MUST_USE static struct lull_error *read_args(struct reader *r, struct lull_kernel_info *kernel)
{
    struct lull_msgpack list = {0};
    struct lull_error *err = expect(r, LULL_MSGPACK_ARRAY, ".args is not a list", &list);
    struct lull_arg *args = err == NULL ? lull_image_alloc(r->im, list.size, sizeof *args) : NULL;
    if (err == NULL && args == NULL) {
        err = &lull_enomem;
    }
    for (size_t i = 0; err == NULL && i < list.size; i++) {
        err = lull_error_in(read_arg(r, &args[i]), "argument %zu", i);
    }
    kernel->args = args;
    kernel->nargs = err == NULL ? list.size : 0;
    return err;
}

LULL_MUST_USE static struct lull_error *read_block(struct reader *r, uint32_t block[3])
{
    struct lull_msgpack list = {0};
    struct lull_error *err = expect(r, LULL_MSGPACK_ARRAY, "workgroup size is not a list", &list);
    if (err == NULL && list.size != 3) {
        err = bad(r, "workgroup size has not three numbers");
    }
    for (size_t i = 0; err == NULL && i < 3; i++) {
        err = read_u32(r, &block[i]);
    }
    return err;
}

LULL_MUST_USE static struct lull_error *read_kernel_value(struct reader *r,
                                                          const struct lull_msgpack *key,
                                                          struct lull_kernel_info *kernel)
{
    if (lull_msgpack_is(key, ".name")) {
        return read_text(r, &kernel->name);
    }
    if (lull_msgpack_is(key, ".args")) {
        return read_args(r, kernel);
    }
    if (lull_msgpack_is(key, ".kernarg_segment_size")) {
        return read_u32(r, &kernel->kernarg_bytes);
    }
    if (lull_msgpack_is(key, ".sgpr_count")) {
        return read_u32(r, &kernel->nsgprs);
    }
    if (lull_msgpack_is(key, ".vgpr_count")) {
        return read_u32(r, &kernel->nvgprs);
    }
    if (lull_msgpack_is(key, ".max_flat_workgroup_size")) {
        return read_u32(r, &kernel->max_items);
    }
    if (lull_msgpack_is(key, ".reqd_workgroup_size")) {
        return read_block(r, kernel->reqd_block);
    }
    return lull_msgpack_skip_rest(&r->c, key) == 0 ? skip(r) : bad(r, "malformed key");
}

LULL_MUST_USE static struct lull_error *check_args(const struct lull_kernel_info *kernel)
{
    for (size_t i = 0; i < kernel->nargs; i++) {
        const struct lull_arg *arg = &kernel->args[i];
        if (arg->offset > kernel->kernarg_bytes ||
            arg->size > kernel->kernarg_bytes - arg->offset) {
            return lull_error_new(LULL_ERR_BAD_DATA,
                                  "argument %zu: %u bytes at %u of a segment of %u", i, arg->size,
                                  arg->offset, kernel->kernarg_bytes);
        }
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *read_kernel(struct reader *r,
                                                    struct lull_kernel_info *kernel)
{
    struct lull_msgpack map = {0};
    struct lull_error *err = expect(r, LULL_MSGPACK_MAP, "kernel is not a map", &map);
    for (size_t i = 0; err == NULL && i < map.size; i++) {
        struct lull_msgpack key = {0};
        err = next(r, &key);
        if (err == NULL) {
            err = read_kernel_value(r, &key, kernel);
        }
    }
    if (err == NULL && (kernel->name == NULL || kernel->name[0] == '\0')) {
        err = bad(r, "kernel without a name");
    }
    return err != NULL ? err : check_args(kernel);
}

LULL_MUST_USE static struct lull_error *read_kernels(struct reader *r)
{
    struct lull_image *im = r->im;
    struct lull_msgpack list = {0};
    struct lull_error *err = expect(r, LULL_MSGPACK_ARRAY, "amdhsa.kernels is not a list", &list);
    if (err != NULL) {
        return err;
    }
    im->kernels = lull_image_alloc(im, list.size, sizeof *im->kernels);
    if (im->kernels == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; err == NULL && i < list.size; i++) {
        err = lull_error_in(read_kernel(r, &im->kernels[i]), "kernel %zu", i);
    }
    im->nkernels = err == NULL ? list.size : 0;
    return err;
}

LULL_MUST_USE static struct lull_error *read_note(struct lull_image *im, struct lull_cur data)
{
    struct reader r = {.im = im, .c = data};
    struct lull_msgpack map = {0};
    struct lull_error *err = expect(&r, LULL_MSGPACK_MAP, "not a map", &map);
    for (size_t i = 0; err == NULL && i < map.size; i++) {
        struct lull_msgpack key = {0};
        err = next(&r, &key);
        if (err == NULL && lull_msgpack_is(&key, "amdhsa.kernels") && im->kernels == NULL) {
            err = read_kernels(&r);
        } else if (err == NULL) {
            err = lull_msgpack_skip_rest(&r.c, &key) == 0 ? skip(&r) : bad(&r, "malformed key");
        }
    }
    return err;
}

struct lull_error *lull_image_read_metadata(struct lull_image *im)
{
    for (size_t i = 0; i < im->elf.nsections; i++) {
        if (im->elf.sections[i].type != LULL_ELF_NOTE) {
            continue;
        }
        struct lull_cur notes = im->elf.sections[i].data;
        struct lull_elf_note note = {0};
        int n = 0;
        while ((n = lull_elf_next_note(&notes, &note)) > 0) {
            if (note.type == NT_AMDGPU_METADATA && strcmp(note.name, "AMDGPU") == 0) {
                return lull_error_in(read_note(im, note.data), "AMDGPU metadata");
            }
        }
        if (n < 0) {
            return lull_error_new(LULL_ERR_BAD_DATA, "section '%s': malformed note at byte %zu",
                                  im->elf.sections[i].name, (size_t)(notes.pos - notes.start));
        }
    }
    return NULL;
}
