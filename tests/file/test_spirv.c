// SPDX-License-Identifier: MIT
// Reflection: what spirv/*.comp and hand.spvasm say is what is read, as lines of text; std140 and
// std430 offsets are worked out by hand from the GLSL specification, 7.6.2.2. Then damaged modules.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "file/spirv.h"
#include "test.h"

// A type as GLSL-like text; pointers are not followed.
static void add_type(struct lull_str *s, const struct lull_spirv_type *t)
{
    switch (t->kind) {
    case LULL_SPIRV_BOOL:
        lull_str_addf(s, "bool");
        break;
    case LULL_SPIRV_INT:
        lull_str_addf(s, "%s%u", t->is_signed ? "i" : "u", t->bits);
        break;
    case LULL_SPIRV_FLOAT:
        lull_str_addf(s, "f%u", t->bits);
        break;
    case LULL_SPIRV_VECTOR:
    case LULL_SPIRV_MATRIX:
        add_type(s, t->element);
        lull_str_addf(s, "x%u", t->count);
        break;
    case LULL_SPIRV_ARRAY:
    case LULL_SPIRV_RUNTIME_ARRAY:
        add_type(s, t->element);
        lull_str_addf(s, "[%u/%u]", t->count, t->stride);
        break;
    case LULL_SPIRV_STRUCT:
        lull_str_addf(s, "%s{", t->name);
        for (size_t i = 0; i < t->nmembers; i++) {
            const struct lull_spirv_member *m = &t->members[i];
            lull_str_addf(s, "%s%u %s:", i > 0 ? "; " : "", m->offset, m->name);
            add_type(s, m->type);
            if (m->matrix_stride != 0) {
                lull_str_addf(s, " %s %u", m->row_major ? "rows" : "columns", m->matrix_stride);
            }
        }
        lull_str_addf(s, "} %" PRIu64, t->size);
        break;
    case LULL_SPIRV_IMAGE:
        lull_str_addf(s, "%s%s%s %s ", lull_spirv_dim_name(t->image.dim),
                      t->image.arrayed ? "array" : "", t->image.ms ? "ms" : "",
                      lull_spirv_format_name(t->image.format));
        add_type(s, t->image.sampled_type);
        break;
    case LULL_SPIRV_SAMPLED_IMAGE:
        lull_str_addf(s, "sampled ");
        add_type(s, t->element);
        break;
    case LULL_SPIRV_POINTER:
        lull_str_addf(s, "%s*", t->element != NULL ? t->element->name : "?");
        break;
    case LULL_SPIRV_SAMPLER:
        lull_str_addf(s, "sampler");
        break;
    case LULL_SPIRV_VOID:
    case LULL_SPIRV_ACCELERATION_STRUCTURE:
    case LULL_SPIRV_OTHER:
        lull_str_addf(s, "other");
        break;
    }
}

static void add_entry(struct lull_str *s, const struct lull_spirv_entry *e)
{
    lull_str_addf(s, "entry %s %s", e->name, lull_spirv_model_name(e->model));
    for (unsigned i = 0; i < 3; i++) {
        lull_str_addf(s, " %u", e->local_size[i]);
        if (e->local_size_spec[i] != UINT32_MAX) {
            lull_str_addf(s, "=spec %u", e->local_size_spec[i]);
        }
    }
    lull_str_addf(s, "\n");
}

static void add_binding(struct lull_str *s, const struct lull_spirv_binding *b)
{
    lull_str_addf(s, "%u.%u %s", b->set, b->binding, lull_spirv_descriptor_name(b->descriptor));
    if (b->count != 1) {
        lull_str_addf(s, " x%u", b->count);
    }
    lull_str_addf(s, " '%s'%s%s ", b->name, b->non_writable ? " readonly" : "",
                  b->non_readable ? " writeonly" : "");
    add_type(s, b->type);
    lull_str_addf(s, "\n");
}

static void describe(struct lull_str *s, const struct lull_spirv *m)
{
    for (size_t i = 0; i < m->nentries; i++) {
        add_entry(s, &m->entries[i]);
    }
    for (size_t i = 0; i < m->nbindings; i++) {
        add_binding(s, &m->bindings[i]);
    }
    for (size_t i = 0; i < m->nconstants; i++) {
        const struct lull_spirv_constant *c = &m->constants[i];
        lull_str_addf(s, "spec %u '%s' ", c->spec_id, c->name);
        add_type(s, c->type);
        lull_str_addf(s, " 0x%" PRIx64 "\n", c->value);
    }
    if (m->push != NULL) {
        lull_str_addf(s, "push '%s' ", m->push_name);
        add_type(s, m->push);
        lull_str_addf(s, "\n");
    }
}

// push: m is at 48 (a mat3 is aligned like its vec3 columns), d at 96 (48 + 3 * 16).
// Uniforms, std140: rows are two columns of vec4, row-major: 4 rows of vec2, 16 bytes apart.
static const char want_full[] =
    "entry main GLCompute 1=spec 3 4 1\n"
    "0.0 storage image 'img' writeonly 2Darray Rgba8 f32\n"
    "0.1 combined image sampler 'tex' sampled 2D Unknown f32\n"
    "0.4 storage buffer 'input_block' readonly Input{0 values:u32[0/4]} 0\n"
    "0.5 sampled image 'volume' 3D Unknown f32\n"
    "0.6 sampler 'smp' sampler\n"
    "0.7 storage texel buffer 'texels' Buffer R32ui u32\n"
    "0.8 uniform texel buffer 'fetched' sampled Buffer Unknown f32\n"
    "1.2 storage buffer x3 'arrayed' Block{0 n:u32; 4 data:f32[0/4]} 4\n"
    "1.3 uniform buffer '' Uniforms{0 m:f32x3x3 columns 16; 48 rows:f32x4x2 rows 16; "
    "112 items:Item{0 at:f32x3; 12 small:u16} 14[2/16]} 144\n"
    "2.0 storage image x0 'many' 2D R32f f32\n"
    "2.1 combined image sampler x5 'cubes' sampled Cube Unknown f32\n"
    "spec 1 'on' bool 0x1\n"
    "spec 2 'scale' f32 0x3fc00000\n"
    "spec 3 '' u32 0x1\n"
    "spec 4 'big' i64 0xfffffffffffffffb\n"
    "spec 5 'negative' i32 0xfffffffe\n"
    "spec 7 'count' u32 0x9\n"
    "push 'push' Push{0 x:f32; 16 v:u32x4[2/16]; 48 m:f32x3x3 columns 16; 96 d:f64} 104\n";

static const char want_list[] = "entry main GLCompute 64 1 1\n"
                                "0.0 storage buffer '' Out{0 sum:u32} 4\n"
                                "push '' Args{0 head:Node*} 8\n";

static const char want_hand[] = "entry first GLCompute 32=spec 11 64 1\n"
                                "entry second GLCompute 8 8 2\n"
                                "5.6 storage buffer x64 'buf' {0 :u32; 16 :u32} 20\n"
                                "spec 11 'size' u32 0x20\n";

struct row {
    const char *name, *want;
    const char *file, *text; // of a source; what the file ends in, what the text contains
    unsigned line;           // a line that must be there; 0: no lines
};

static const struct row rows[] = {
    {"full", want_full, NULL, NULL, 0},
    {"debug", want_full, "full.comp", "arrayed[1].data[i] = sum;\n}\n", 32},
    {"list", want_list, "list.comp", "buffer_reference_align = 16", 10},
    {"hand", want_hand, "dir/shader.hlsl", "float4 x; // more", 12},
};

static bool ends_in(const char *text, const char *end)
{
    size_t a = strlen(text), b = strlen(end);
    return a >= b && strcmp(text + a - b, end) == 0;
}

static void check_source(const struct row *row, const struct lull_spirv *m)
{
    bool found = row->file == NULL && m->nlines == 0;
    for (size_t i = 0; i < m->nsources && row->file != NULL; i++) {
        const struct lull_spirv_source *s = &m->sources[i];
        found |=
            s->text != NULL && strstr(s->text, row->text) != NULL && ends_in(s->file, row->file);
    }
    test_case(found, row->name, "source text in '%s': not found in %zu", row->file, m->nsources);
    bool line = row->line == 0;
    for (size_t i = 0; i < m->nlines; i++) {
        line |= m->lines[i].line == row->line && ends_in(m->lines[i].file, row->file);
    }
    test_case(line, row->name, "line %u is not among %zu", row->line, m->nlines);
}

// Of preamble.spvasm: what each file has.
static const struct {
    const char *file, *text;
} files[] = {
    {"made.comp", "#version 450\nvoid main() {}\n"},
    {"comment.comp", "// OpModuleProcessed is what SPIR-V says\n#version 450\n#line 1\n"},
    {"line.comp", "#line 1\n#version 450\n"},
    {"only.comp", ""},
};

static void check_preamble(const char *path)
{
    static uint8_t data[4096];
    FILE *f = fopen(path, "rb");
    size_t size = f != NULL ? fread(data, 1, sizeof data, f) : 0;
    if (f != NULL) {
        fclose(f);
    }
    struct lull_spirv m = {0};
    struct lull_error *err = lull_spirv_read(data, size, &m);
    for (size_t i = 0; i < TEST_ROWS(files); i++) {
        const struct lull_spirv_source *s = i < m.nsources ? &m.sources[i] : NULL;
        const bool same = s != NULL && s->text != NULL && strcmp(s->file, files[i].file) == 0 &&
                          strcmp(s->text, files[i].text) == 0;
        test_case(same, files[i].file, "got '%s', want '%s'",
                  s != NULL && s->text != NULL ? s->text : "nothing", files[i].text);
    }
    lull_error_free(err);
    lull_spirv_done(&m);
}

// Damaged: every prefix, and each word in turn zero, all ones, and one more. Must not crash.
static void check_damaged(const struct row *row, const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size);
    size_t good = 0, all = 0;
    for (size_t at = 0; at < size && copy != NULL; at += 4) {
        for (unsigned how = 0; how < 4; how++) {
            memcpy(copy, data, size);
            uint32_t word = 0;
            memcpy(&word, copy + at, 4);
            word = how == 1 ? 0 : how == 2 ? UINT32_MAX : word + 1;
            memcpy(copy + at, &word, 4);
            struct lull_spirv m = {0};
            struct lull_error *err =
                lull_spirv_read(how == 0 ? data : copy, how == 0 ? at : size, &m);
            good += err == NULL;
            all++;
            lull_error_free(err);
            lull_spirv_done(&m);
        }
    }
    free(copy);
    test_case(all == size && good < all, row->name, "%zu of %zu damaged modules read", good, all);
}

static void check(const struct row *row, const char *path)
{
    static uint8_t data[65536];
    FILE *f = fopen(path, "rb");
    size_t size = f != NULL ? fread(data, 1, sizeof data, f) : 0;
    if (f != NULL) {
        fclose(f);
    }
    struct lull_spirv m = {0};
    struct lull_error *err = lull_spirv_read(data, size, &m);
    struct lull_str got = {0};
    describe(&got, &m);
    test_case(err == NULL && strcmp(lull_str_text(&got), row->want) == 0, row->name,
              "%s: %s\n#   got:\n%s#  want:\n%s", path, err != NULL ? lull_error_message(err) : "",
              lull_str_text(&got), row->want);
    lull_str_free(&got);
    lull_error_free(err);
    check_source(row, &m);
    lull_spirv_done(&m);
    check_damaged(row, data, size);
}

// Wrong modules and what the error must name.
static const struct {
    const char *name;
    uint32_t words[16];
    size_t nwords;
    const char *want;
} bad[] = {
    {"empty", {0}, 0, "not SPIR-V"},
    {"other magic", {0x464c457f, 0, 0, 0, 0}, 5, "not SPIR-V"},
    {"other byte order", {0x03022307, 0, 0, 1, 0}, 5, "big-endian"},
    {"cut header", {0x07230203, 0x10000, 0}, 3, "byte 12"},
    {"bound", {0x07230203, 0x10000, 0, 0x7fffffff, 0}, 5, "word 3"},
    {"length 0", {0x07230203, 0x10000, 0, 9, 0, 0}, 6, "word 5"},
    {"length 3 of 1", {0x07230203, 0x10000, 0, 9, 0, 0x30013}, 6, "word 5"},
    {"id over bound", {0x07230203, 0x10000, 0, 9, 0, 0x20013, 9}, 7, "word 5: id 9"},
    {"no terminator", {0x07230203, 0x10000, 0, 9, 0, 0x30005, 1, 0x61616161}, 8, "not terminated"},
    {"struct of itself", {0x07230203, 0x10000, 0, 9, 0, 0x3001e, 1, 1}, 8, "id 1 is not a type"},
    {"twice", {0x07230203, 0x10000, 0, 9, 0, 0x20013, 1, 0x20013, 1}, 9, "word 7: id 1"},
};

static void check_bad(void)
{
    for (size_t i = 0; i < TEST_ROWS(bad); i++) {
        struct lull_spirv m = {0};
        struct lull_error *err = lull_spirv_read(bad[i].words, 4 * bad[i].nwords, &m);
        const char *got = err != NULL ? lull_error_message(err) : "no error";
        test_case(strstr(got, bad[i].want) != NULL, bad[i].name, "got '%s', want '%s'", got,
                  bad[i].want);
        lull_error_free(err);
        lull_spirv_done(&m);
    }
}

int main(int argc, char **argv)
{
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        bool there = (size_t)argc > i + 1;
        if (there) {
            check(&rows[i], argv[i + 1]);
        } else {
            test_case(false, rows[i].name, "no module given");
        }
    }
    check_preamble(argc > 0 ? argv[argc - 1] : "");
    check_bad();
    return test_end();
}
