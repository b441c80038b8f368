// SPDX-License-Identifier: MIT
// What a host must see of a shader: all.comp says it, sizes by std140 and std430
// (GLSL 4.60, 7.6.2.2). Texel formats by what their names say (4.4.7), and bytes of images by
// adding up their levels.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "compile/run.h"
#include "test.h"
#include "vk/module.h"
#include "vk/vk.h"

static const struct {
    uint32_t set, binding;
    enum lull_vk_class class;
    uint32_t count;
    uint64_t bytes;
    bool writable;
    const char *element; ///< Of buffers.
    enum lull_vk_dim dim;
    bool arrayed;
    const char *format; ///< NULL: the shader does not say.
} vars[] = {
    // A vec3 is aligned to 16, the array of uint follows it at once: 28.
    {0, 0, LULL_VK_STORAGE_BUFFER, 1, 28, false, "u32", LULL_VK_1D, false, NULL},
    {0, 1, LULL_VK_STORAGE_BUFFER, 1, 0, true, "f32", LULL_VK_1D, false, NULL},
    // Three columns of 16, two elements of 16, and 8.
    {0, 2, LULL_VK_UNIFORM_BUFFER, 1, 88, false, "u32", LULL_VK_1D, false, NULL},
    {0, 3, LULL_VK_STORAGE_BUFFER, 1, 32, true, "i32", LULL_VK_1D, false, NULL},
    {1, 0, LULL_VK_STORAGE_IMAGE, 1, 0, true, NULL, LULL_VK_2D, false, "rgba8"},
    {1, 1, LULL_VK_STORAGE_IMAGE, 1, 0, false, NULL, LULL_VK_3D, false, "r32ui"},
    {1, 2, LULL_VK_COMBINED, 3, 0, false, NULL, LULL_VK_2D, true, NULL},
    {1, 3, LULL_VK_SAMPLED_IMAGE, 1, 0, false, NULL, LULL_VK_CUBE, false, NULL},
    {1, 4, LULL_VK_ONLY_SAMPLER, 1, 0, false, NULL, LULL_VK_1D, false, NULL},
    {1, 5, LULL_VK_COMBINED, 1, 0, false, NULL, LULL_VK_1D, false, NULL},
    {2, 0, LULL_VK_STORAGE_TEXELS, 1, 0, false, NULL, LULL_VK_1D, false, "rgba32f"},
    {2, 1, LULL_VK_UNIFORM_TEXELS, 1, 0, false, NULL, LULL_VK_1D, false, NULL},
};

static const struct lull_vk_constant constants[] = {
    {3, 'f', 4}, {4, 'b', 4}, {5, 'i', 4}, {6, 'f', 8}, {7, 'u', 4}};

static bool is_image(enum lull_vk_class class)
{
    return class == LULL_VK_STORAGE_IMAGE || class == LULL_VK_SAMPLED_IMAGE ||
           class == LULL_VK_COMBINED;
}

static void var(const struct lull_vk_module *m, size_t i)
{
    char name[32] = "";
    snprintf(name, sizeof name, "binding %u.%u", vars[i].set, vars[i].binding);
    if (i >= m->nvars) {
        test_case(false, name, "only %zu bindings", m->nvars);
        return;
    }
    const struct lull_vk_var *v = &m->vars[i];
    const bool format = (v->format == NULL) == (vars[i].format == NULL) &&
                        (v->format == NULL || strcmp(v->format, vars[i].format) == 0);
    const bool dim =
        !is_image(v->class) || (v->dim == vars[i].dim && v->arrayed == vars[i].arrayed);
    const bool element = vars[i].element == NULL || strcmp(v->element, vars[i].element) == 0;
    test_case(v->set == vars[i].set && v->binding == vars[i].binding && v->class == vars[i].class &&
                  v->count == vars[i].count && v->min_bytes == vars[i].bytes &&
                  v->writable == vars[i].writable && format && dim && element,
              name, "%u.%u class %d count %u, %" PRIu64 " bytes, writable %d, %s, dim %d %d, %s",
              v->set, v->binding, (int)v->class, v->count, v->min_bytes, v->writable, v->element,
              (int)v->dim, v->arrayed, v->format != NULL ? v->format : "no format");
}

static void module(const uint8_t *bytes, size_t size)
{
    struct lull_vk_module *m = NULL;
    struct lull_error *err = lull_vk_module_parse(bytes, size, &m);
    if (!test_case(err == NULL, "all.comp", "%s", err != NULL ? lull_error_message(err) : "")) {
        lull_error_free(err);
        return;
    }
    test_case(m->nentries == 1 && strcmp(m->entries[0], "main") == 0 && m->push_bytes == 12 &&
                  m->nvars == TEST_ROWS(vars),
              "entry point and push constants", "%zu entries, push %" PRIu64 ", %zu bindings",
              m->nentries, m->push_bytes, m->nvars);
    for (size_t i = 0; i < TEST_ROWS(vars); i++) {
        var(m, i);
    }
    for (size_t i = 0; i < TEST_ROWS(constants); i++) {
        const struct lull_vk_constant *want = &constants[i];
        const struct lull_vk_constant none = {0}, *c = i < m->nconstants ? &m->constants[i] : &none;
        char name[32] = "";
        snprintf(name, sizeof name, "constant %u", want->id);
        test_case(c->id == want->id && c->kind == want->kind && c->size == want->size, name,
                  "id %u kind '%c' size %u", c->id, c->kind != '\0' ? c->kind : '0', c->size);
    }
    lull_vk_module_free(m);
}

/** A module that ends in the middle of an instruction, or is none, is refused with an error. */
static void damaged(const uint8_t *bytes, size_t size)
{
    static const uint8_t zeros[64];
    const struct {
        const char *name;
        const uint8_t *bytes;
        size_t size;
        enum lull_error_code code;
    } rows[] = {{"nothing", bytes, 0, LULL_ERR_UNSUPPORTED},
                {"a header that is cut", bytes, 16, LULL_ERR_BAD_DATA},
                {"half a word", bytes, size - 2, LULL_ERR_BAD_DATA},
                {"the last instruction without its end", bytes, size - 4 * 3, LULL_ERR_BAD_DATA},
                {"zeros", zeros, sizeof zeros, LULL_ERR_UNSUPPORTED}};
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        struct lull_vk_module *m = NULL;
        struct lull_error *err = lull_vk_module_parse(rows[i].bytes, rows[i].size, &m);
        test_case(err != NULL && m == NULL && lull_error_code(err) == rows[i].code, rows[i].name,
                  "%s", err != NULL ? lull_error_message(err) : "it was read");
        lull_error_free(err);
        lull_vk_module_free(m);
    }
}

/** "rgba16f": four components of 16 bits, floats. False: the name is not of this kind. */
static bool by_name(const char *name, uint32_t *ret_bytes, char type[32])
{
    const size_t n = strspn(name, "rgba");
    char *end = NULL;
    const unsigned long bits = strtoul(name + n, &end, 10);
    const char *const rests[] = {"", "_snorm", "ui", "i", "f"};
    const char kinds[] = "uiuif";
    for (size_t i = 0; i < TEST_ROWS(rests); i++) {
        if (strncmp(name, "rgba", n) == 0 && bits % 8 == 0 && bits != 0 &&
            strcmp(end, rests[i]) == 0) {
            *ret_bytes = (uint32_t)(n * bits / 8);
            snprintf(type, 32, "%c%lu", kinds[i], bits);
            return true;
        }
    }
    return false;
}

static void formats(void)
{
    struct lull_str names = {0};
    unsigned known = 0;
    lull_vk_format_names(&names);
    for (char *name = strtok(names.text, " "); name != NULL; name = strtok(NULL, " ")) {
        const struct lull_vk_format *f = lull_vk_format_find(name);
        uint32_t bytes = 0;
        char type[32] = "";
        if (by_name(name, &bytes, type)) {
            known++;
            test_case(f != NULL && f->bytes == bytes && strcmp(f->type, type) == 0, name,
                      "%u bytes of %s, want %u of %s", f != NULL ? f->bytes : 0,
                      f != NULL ? f->type : "", bytes, type);
        }
    }
    // GLSL 4.60, table 4.4.7, has 39 formats; all but r11f_g11f_b10f, rgb10_a2 and rgb10_a2ui have
    // components of one size. Besides them r64ui and r64i.
    test_case(known == 38, "all formats of GLSL", "%u", known);
    test_case(lull_vk_format_find("rgba7") == NULL && lull_vk_format_find("") == NULL,
              "no such format", "it was found");
    lull_str_free(&names);
}

/** Bytes of all levels, added up by hand. */
static void images(void)
{
    static const struct {
        const char *name, *format;
        struct lull_vk_image image;
        uint64_t bytes;
    } rows[] = {
        {"8x4, 3 levels, 2 layers", "r8", {8, 4, 1, 2, 3, 2, false, 0, false}, 2 * (32 + 8 + 2)},
        {"8x8x8, 4 levels", "rgba8", {8, 8, 8, 3, 4, 1, false, 0, false}, 4 * (512 + 64 + 8 + 1)},
        {"5x3, 2 levels", "rg16", {5, 3, 1, 2, 2, 1, false, 0, false}, 4 * (15 + 2)},
        {"7, 3 levels", "rgba32f", {7, 1, 1, 1, 3, 1, true, 0, false}, 16 * (7 + 3 + 1)},
    };
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        const struct lull_vk_format *f = lull_vk_format_find(rows[i].format);
        const uint64_t got = f != NULL ? lull_vk_image_bytes(&rows[i].image, f) : 0;
        test_case(got == rows[i].bytes, rows[i].name, "%" PRIu64 ", want %" PRIu64, got,
                  rows[i].bytes);
    }
}

int main(int argc, char **argv)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    struct lull_error *err = argc > 1 ? lull_run_read(argv[1], &bytes, &size) : NULL;
    if (argc < 2 || err != NULL) {
        test_case(false, "test_vk MODULE.spv", "%s", err != NULL ? lull_error_message(err) : "");
        lull_error_free(err);
        return test_end();
    }
    module(bytes, size);
    damaged(bytes, size);
    formats();
    images();
    free(bytes);
    return test_end();
}
