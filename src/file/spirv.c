// SPDX-License-Identifier: MIT
#include "file/spirv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/NonSemanticShaderDebugInfo100.h>
#include <spirv/unified1/spirv.h>

#include "base/str.h"
#include "file/spirv_priv.h"

enum {
    HEADER_WORDS = 5,
    MAX_BOUND = 4194303 + 1, // Universal limit of the specification, 2.16.1.
};

static const char debug_set_name[] = "NonSemantic.Shader.DebugInfo.100";

bool lull_spirv_next(const struct lull_spirv_reader *r, size_t *pos, struct lull_spirv_insn *ret)
{
    if (*pos >= r->nwords) {
        return false;
    }
    struct lull_cur head = lull_cur_slice(&r->all, 4 * (uint64_t)*pos, 4);
    uint32_t word = lull_cur_u32(&head);
    size_t count = word >> SpvWordCountShift;
    if (count == 0 || count > r->nwords - *pos) {
        return false;
    }
    *ret = (struct lull_spirv_insn){
        .op = word & SpvOpCodeMask,
        .word = *pos,
        .c = lull_cur_slice(&r->all, 4 * (uint64_t)(*pos + 1), 4 * (uint64_t)(count - 1)),
    };
    *pos += count;
    return true;
}

struct lull_error *lull_spirv_bad(const struct lull_spirv_insn *in, const char *what)
{
    return lull_error_new(LULL_ERR_BAD_DATA, "word %zu: instruction %u: %s", in->word, in->op,
                          what);
}

struct lull_error *lull_spirv_id(struct lull_spirv_reader *r, const struct lull_spirv_insn *in,
                                 uint32_t id, struct lull_spirv_id **ret)
{
    if (in->c.bad) {
        return lull_spirv_bad(in, "operands are missing");
    }
    if (id == 0 || id >= r->m->bound) {
        return lull_error_new(LULL_ERR_BAD_DATA, "word %zu: id %u, bound is %u", in->word, id,
                              r->m->bound);
    }
    if (r->ids[id] == NULL) {
        struct lull_spirv_id *n = lull_arena_calloc(&r->m->arena, 1, sizeof *n);
        if (n == NULL) {
            return &lull_enomem;
        }
        n->decor.spec_id = LULL_SPIRV_NONE;
        n->decor.offset = LULL_SPIRV_NONE;
        r->ids[id] = n;
    }
    *ret = r->ids[id];
    return NULL;
}

const struct lull_spirv_id *lull_spirv_peek(const struct lull_spirv_reader *r, uint32_t id)
{
    return id < r->m->bound ? r->ids[id] : NULL;
}

// A literal string: bytes, NUL, zeros to the end of its word.
LULL_MUST_USE static struct lull_error *read_string(struct lull_spirv_reader *r,
                                                    struct lull_spirv_insn *in, const char **ret)
{
    size_t left = lull_cur_left(&in->c);
    const uint8_t *text = in->c.pos;
    const uint8_t *nul = left > 0 && !in->c.bad ? memchr(text, '\0', left) : NULL;
    if (nul == NULL) {
        return lull_spirv_bad(in, "a string is not terminated");
    }
    size_t size = (size_t)(nul - text) + 1;
    char *copy = lull_arena_calloc(&r->m->arena, 1, size);
    if (copy == NULL) {
        return &lull_enomem;
    }
    memcpy(copy, text, size);
    lull_cur_take(&in->c, (size + 3) / 4 * 4);
    *ret = copy;
    return NULL;
}

// Decorations that something here reads; the others are left alone.
static void decorate(struct lull_spirv_decor *d, uint32_t decoration, struct lull_cur *c)
{
    switch (decoration) {
    case SpvDecorationBlock:
        d->block = true;
        break;
    case SpvDecorationBufferBlock:
        d->buffer_block = true;
        break;
    case SpvDecorationNonWritable:
        d->non_writable = true;
        break;
    case SpvDecorationNonReadable:
        d->non_readable = true;
        break;
    case SpvDecorationRowMajor:
        d->row_major = true;
        break;
    case SpvDecorationDescriptorSet:
        d->set = lull_cur_u32(c);
        d->placed = true;
        break;
    case SpvDecorationBinding:
        d->binding = lull_cur_u32(c);
        d->placed = true;
        break;
    case SpvDecorationSpecId:
        d->spec_id = lull_cur_u32(c);
        break;
    case SpvDecorationOffset:
        d->offset = lull_cur_u32(c);
        break;
    case SpvDecorationArrayStride:
        d->array_stride = lull_cur_u32(c);
        break;
    case SpvDecorationMatrixStride:
        d->matrix_stride = lull_cur_u32(c);
        break;
    default:
        break;
    }
}

// What a group says besides what the target says.
static void decorate_by_group(struct lull_spirv_decor *d, const struct lull_spirv_decor *group)
{
    d->block |= group->block;
    d->buffer_block |= group->buffer_block;
    d->non_writable |= group->non_writable;
    d->non_readable |= group->non_readable;
    d->row_major |= group->row_major;
    if (group->placed) {
        d->placed = true;
        d->set = group->set != 0 ? group->set : d->set;
        d->binding = group->binding != 0 ? group->binding : d->binding;
    }
    d->spec_id = group->spec_id != LULL_SPIRV_NONE ? group->spec_id : d->spec_id;
    d->offset = group->offset != LULL_SPIRV_NONE ? group->offset : d->offset;
    d->array_stride = group->array_stride != 0 ? group->array_stride : d->array_stride;
    d->matrix_stride = group->matrix_stride != 0 ? group->matrix_stride : d->matrix_stride;
}

LULL_MUST_USE static struct lull_error *add_member(struct lull_spirv_reader *r,
                                                   const struct lull_spirv_insn *in, uint32_t id,
                                                   uint32_t index,
                                                   struct lull_spirv_member_info **ret)
{
    struct lull_spirv_id *of = NULL;
    struct lull_error *err = lull_spirv_id(r, in, id, &of);
    if (err != NULL) {
        return err;
    }
    struct lull_spirv_member_info *info = lull_arena_calloc(&r->m->arena, 1, sizeof *info);
    if (info == NULL) {
        return &lull_enomem;
    }
    info->index = index;
    info->decor.offset = LULL_SPIRV_NONE;
    info->decor.spec_id = LULL_SPIRV_NONE;
    info->next = of->members;
    of->members = info;
    *ret = info;
    return NULL;
}

LULL_MUST_USE static struct lull_error *read_member(struct lull_spirv_reader *r,
                                                    struct lull_spirv_insn *in)
{
    uint32_t id = lull_cur_u32(&in->c);
    uint32_t index = lull_cur_u32(&in->c);
    struct lull_spirv_member_info *info = NULL;
    struct lull_error *err = add_member(r, in, id, index, &info);
    if (err != NULL) {
        return err;
    }
    if (in->op == SpvOpMemberName) {
        return read_string(r, in, &info->name);
    }
    decorate(&info->decor, lull_cur_u32(&in->c), &in->c);
    return in->c.bad ? lull_spirv_bad(in, "operands are missing") : NULL;
}

LULL_MUST_USE static struct lull_error *read_decorate(struct lull_spirv_reader *r,
                                                      struct lull_spirv_insn *in)
{
    uint32_t id = lull_cur_u32(&in->c);
    struct lull_spirv_id *of = NULL;
    struct lull_error *err = lull_spirv_id(r, in, id, &of);
    if (err != NULL) {
        return err;
    }
    uint32_t decoration = lull_cur_u32(&in->c);
    if (decoration == SpvDecorationBuiltIn && lull_cur_u32(&in->c) == SpvBuiltInWorkgroupSize) {
        r->workgroup_size = id;
    }
    decorate(&of->decor, decoration, &in->c);
    return in->c.bad ? lull_spirv_bad(in, "operands are missing") : NULL;
}

LULL_MUST_USE static struct lull_error *read_group_decorate(struct lull_spirv_reader *r,
                                                            struct lull_spirv_insn *in)
{
    struct lull_spirv_id *group = NULL;
    struct lull_error *err = lull_spirv_id(r, in, lull_cur_u32(&in->c), &group);
    while (err == NULL && lull_cur_left(&in->c) > 0) {
        uint32_t id = lull_cur_u32(&in->c);
        if (in->op == SpvOpGroupDecorate) {
            struct lull_spirv_id *of = NULL;
            err = lull_spirv_id(r, in, id, &of);
            if (err == NULL) {
                decorate_by_group(&of->decor, &group->decor);
            }
        } else {
            uint32_t index = lull_cur_u32(&in->c);
            struct lull_spirv_member_info *info = NULL;
            err = add_member(r, in, id, index, &info);
            if (err == NULL) {
                decorate_by_group(&info->decor, &group->decor);
            }
        }
    }
    return err;
}

LULL_MUST_USE static struct lull_error *read_named(struct lull_spirv_reader *r,
                                                   struct lull_spirv_insn *in)
{
    uint32_t id = lull_cur_u32(&in->c);
    struct lull_spirv_id *of = NULL;
    struct lull_error *err = lull_spirv_id(r, in, id, &of);
    const char *text = NULL;
    if (err == NULL) {
        err = read_string(r, in, &text);
    }
    if (err != NULL) {
        return err;
    }
    if (in->op == SpvOpName) {
        of->name = text;
        r->m->names[id] = text;
    } else if (in->op == SpvOpString) {
        of->string = text;
    } else if (strcmp(text, debug_set_name) == 0) {
        r->debug_set = id;
    }
    return NULL;
}

// The first pass: what stands before, or apart from, what it is about; and how much there is.
LULL_MUST_USE static struct lull_error *read_annotation(struct lull_spirv_reader *r,
                                                        struct lull_spirv_insn *in)
{
    switch (in->op) {
    case SpvOpName:
    case SpvOpString:
    case SpvOpExtInstImport:
        return read_named(r, in);
    case SpvOpMemberName:
    case SpvOpMemberDecorate:
        return read_member(r, in);
    case SpvOpDecorate:
        return read_decorate(r, in);
    case SpvOpGroupDecorate:
    case SpvOpGroupMemberDecorate:
        return read_group_decorate(r, in);
    case SpvOpEntryPoint:
        r->nentries++;
        break;
    case SpvOpSpecConstant:
    case SpvOpSpecConstantTrue:
    case SpvOpSpecConstantFalse:
        r->nconstants++;
        break;
    case SpvOpVariable:
        r->nvariables++;
        break;
    case SpvOpSource:
        r->nsources++;
        break;
    case SpvOpExtInst:
        r->nsources++;
        r->nlines++;
        break;
    case SpvOpLine:
    case SpvOpNoLine:
    case SpvOpFunctionEnd:
        r->nlines++;
        break;
    default:
        break;
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *read_entry(struct lull_spirv_reader *r,
                                                   struct lull_spirv_insn *in)
{
    struct lull_spirv_entry *e = &r->entries[r->m->nentries];
    e->model = lull_cur_u32(&in->c);
    e->compute = e->model == SpvExecutionModelGLCompute;
    e->id = lull_cur_u32(&in->c);
    for (unsigned i = 0; i < 3; i++) {
        e->local_size_spec[i] = LULL_SPIRV_NONE;
    }
    struct lull_error *err = read_string(r, in, &e->name);
    if (err != NULL) {
        return err;
    }
    e->ninterface = lull_cur_left(&in->c) / 4;
    uint32_t *ids = lull_arena_calloc(&r->m->arena, e->ninterface + 1, sizeof *ids);
    if (ids == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; i < e->ninterface; i++) {
        ids[i] = lull_cur_u32(&in->c);
    }
    e->interface = ids;
    r->m->nentries++;
    return NULL;
}

LULL_MUST_USE static struct lull_error *read_entries(struct lull_spirv_reader *r)
{
    r->entries = lull_arena_calloc(&r->m->arena, r->nentries + 1, sizeof *r->entries);
    if (r->entries == NULL) {
        return &lull_enomem;
    }
    r->m->entries = r->entries;
    struct lull_spirv_insn in = {0};
    for (size_t pos = HEADER_WORDS; lull_spirv_next(r, &pos, &in);) {
        struct lull_error *err = NULL;
        if (in.op == SpvOpEntryPoint) {
            err = read_entry(r, &in);
        } else if (in.op == SpvOpExecutionMode || in.op == SpvOpExecutionModeId) {
            err = lull_spirv_local_size(r, &in);
        } else if (in.op == SpvOpFunction) {
            break;
        }
        if (err != NULL) {
            return err;
        }
    }
    lull_spirv_workgroup_size(r);
    return NULL;
}

static const char *string_of(const struct lull_spirv_reader *r, uint32_t id, const char *none)
{
    const struct lull_spirv_id *of = lull_spirv_peek(r, id);
    return of != NULL && of->string != NULL ? of->string : none;
}

static uint32_t value_of(const struct lull_spirv_reader *r, uint32_t id)
{
    const struct lull_spirv_id *of = lull_spirv_peek(r, id);
    return of != NULL && of->has_value && of->value <= UINT32_MAX ? (uint32_t)of->value : 0;
}

// The debug instruction that in is, with the cursor behind its number; UINT32_MAX: none.
static uint32_t debug_instruction(const struct lull_spirv_reader *r, struct lull_spirv_insn *in)
{
    if (in->op != SpvOpExtInst || r->debug_set == 0) {
        return UINT32_MAX;
    }
    lull_cur_u32(&in->c); // result type
    lull_cur_u32(&in->c); // result
    uint32_t set = lull_cur_u32(&in->c);
    uint32_t number = lull_cur_u32(&in->c);
    return set == r->debug_set && !in->c.bad ? number : UINT32_MAX;
}

// Length of the lines that glslang puts in front of a source in SPIR-V 1.0, which has no
// OpModuleProcessed: each in a comment, then "#line 1". The file does not have them.
// Source: glslang, SPIRV/GlslangToSpv.cpp.
static size_t preamble(const char *text)
{
    static const char processed[] = "// OpModuleProcessed ";
    static const char line[] = "#line 1\n";
    const char *at = text;
    while (strncmp(at, processed, sizeof processed - 1) == 0 && strchr(at, '\n') != NULL) {
        at = strchr(at, '\n') + 1;
    }
    const bool ends = at != text && strncmp(at, line, sizeof line - 1) == 0;
    return ends ? (size_t)(at - text) + sizeof line - 1 : 0;
}

// The text so far becomes that of the last source.
LULL_MUST_USE static struct lull_error *end_source(struct lull_spirv_reader *r,
                                                   struct lull_spirv_source *last,
                                                   struct lull_str *text)
{
    if (last == NULL || text->size == 0) {
        return text->err;
    }
    char *copy = lull_arena_calloc(&r->m->arena, 1, text->size + 1);
    if (copy == NULL) {
        return &lull_enomem;
    }
    memcpy(copy, lull_str_text(text), text->size);
    last->text = copy + preamble(copy);
    lull_str_free(text);
    return NULL;
}

// OpSource: language, version, file and text may be missing.
LULL_MUST_USE static struct lull_error *start_source(struct lull_spirv_reader *r,
                                                     struct lull_spirv_insn *in,
                                                     struct lull_spirv_source *s,
                                                     struct lull_str *text)
{
    *s = (struct lull_spirv_source){.file = ""};
    s->language = lull_cur_u32(&in->c);
    s->version = lull_cur_u32(&in->c);
    if (in->c.bad) {
        return lull_spirv_bad(in, "operands are missing");
    }
    if (lull_cur_left(&in->c) >= 4) {
        s->file = string_of(r, lull_cur_u32(&in->c), "");
    }
    const char *part = "";
    struct lull_error *err = lull_cur_left(&in->c) > 0 ? read_string(r, in, &part) : NULL;
    lull_str_addf(text, "%s", part);
    return err;
}

LULL_MUST_USE static struct lull_error *read_source(struct lull_spirv_reader *r,
                                                    struct lull_spirv_insn *in,
                                                    struct lull_spirv_source *sources,
                                                    struct lull_str *text)
{
    size_t *n = &r->m->nsources;
    struct lull_spirv_source *last = *n > 0 ? &sources[*n - 1] : NULL;
    struct lull_error *err = NULL;
    uint32_t debug = debug_instruction(r, in);
    if (in->op == SpvOpSource || debug == NonSemanticShaderDebugInfo100DebugSource) {
        err = end_source(r, last, text);
        if (err != NULL) {
            return err;
        }
        (*n)++;
    }
    if (in->op == SpvOpSource) {
        return start_source(r, in, &sources[*n - 1], text);
    }
    if (in->op == SpvOpSourceContinued) {
        const char *part = "";
        err = read_string(r, in, &part);
        lull_str_addf(text, "%s", part);
    } else if (debug == NonSemanticShaderDebugInfo100DebugSource) {
        sources[*n - 1].file = string_of(r, lull_cur_u32(&in->c), "");
        if (lull_cur_left(&in->c) >= 4) {
            lull_str_addf(text, "%s", string_of(r, lull_cur_u32(&in->c), ""));
        }
    } else if (debug == NonSemanticShaderDebugInfo100DebugSourceContinued) {
        lull_str_addf(text, "%s", string_of(r, lull_cur_u32(&in->c), ""));
    }
    return err;
}

LULL_MUST_USE static struct lull_error *read_sources(struct lull_spirv_reader *r)
{
    struct lull_spirv_source *sources =
        lull_arena_calloc(&r->m->arena, r->nsources + 1, sizeof *sources);
    if (sources == NULL) {
        return &lull_enomem;
    }
    r->m->sources = sources;
    struct lull_str text = {0};
    struct lull_error *err = NULL;
    struct lull_spirv_insn in = {0};
    for (size_t pos = HEADER_WORDS; err == NULL && lull_spirv_next(r, &pos, &in);) {
        err = read_source(r, &in, sources, &text);
    }
    if (err == NULL) {
        err = end_source(r, r->m->nsources > 0 ? &sources[r->m->nsources - 1] : NULL, &text);
    }
    lull_str_free(&text);
    return err;
}

// The file of a DebugSource.
static const char *file_of_source(const struct lull_spirv_reader *r, const uint32_t *files,
                                  uint32_t source)
{
    return source < r->m->bound ? string_of(r, files[source], "") : "";
}

// Does in start a new line? Fills in *ret.
static bool line_of(const struct lull_spirv_reader *r, struct lull_spirv_insn *in, uint32_t *files,
                    struct lull_spirv_line *ret)
{
    *ret = (struct lull_spirv_line){.word = in->word, .file = ""};
    if (in->op == SpvOpNoLine || in->op == SpvOpFunctionEnd) {
        return true;
    }
    if (in->op == SpvOpLine) {
        ret->file = string_of(r, lull_cur_u32(&in->c), "");
        ret->line = lull_cur_u32(&in->c);
        ret->column = lull_cur_u32(&in->c);
        return !in->c.bad;
    }
    struct lull_cur whole = in->c;
    uint32_t debug = debug_instruction(r, in);
    uint32_t a = debug != UINT32_MAX && lull_cur_left(&in->c) >= 4 ? lull_cur_u32(&in->c) : 0;
    if (debug == NonSemanticShaderDebugInfo100DebugSource) {
        lull_cur_u32(&whole); // result type
        uint32_t id = lull_cur_u32(&whole);
        if (id < r->m->bound) {
            files[id] = a;
        }
    } else if (debug == NonSemanticShaderDebugInfo100DebugLine) {
        ret->file = file_of_source(r, files, a);
        ret->line = value_of(r, lull_cur_u32(&in->c));
        lull_cur_u32(&in->c); // last line
        ret->column = value_of(r, lull_cur_u32(&in->c));
        return !in->c.bad;
    }
    return debug == NonSemanticShaderDebugInfo100DebugNoLine;
}

LULL_MUST_USE static struct lull_error *read_lines(struct lull_spirv_reader *r)
{
    struct lull_spirv_line *lines = lull_arena_calloc(&r->m->arena, r->nlines + 1, sizeof *lines);
    uint32_t *files = calloc(r->m->bound, sizeof *files); // DebugSource's id to its file's
    if (lines == NULL || files == NULL) {
        free(files);
        return &lull_enomem;
    }
    struct lull_spirv_insn in = {0};
    size_t n = 0;
    for (size_t pos = HEADER_WORDS; lull_spirv_next(r, &pos, &in);) {
        struct lull_spirv_line line = {0};
        // Where there is no line already, its end says nothing new.
        if (line_of(r, &in, files, &line) &&
            (line.line != 0 || (n > 0 && lines[n - 1].line != 0))) {
            lines[n++] = line;
        }
    }
    free(files);
    r->m->lines = lines;
    r->m->nlines = n;
    return NULL;
}

LULL_MUST_USE static struct lull_error *read_annotations(struct lull_spirv_reader *r)
{
    struct lull_spirv_insn in = {0};
    size_t pos = HEADER_WORDS;
    while (lull_spirv_next(r, &pos, &in)) {
        struct lull_error *err = read_annotation(r, &in);
        if (err != NULL) {
            return err;
        }
    }
    if (pos != r->nwords) {
        return lull_error_new(LULL_ERR_BAD_DATA,
                              "word %zu: an instruction of no words, or of more than the %zu left",
                              pos, r->nwords - pos);
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *read_module(struct lull_spirv_reader *r)
{
    struct lull_spirv *m = r->m;
    m->names = lull_arena_calloc(&m->arena, m->bound, sizeof *m->names);
    r->ids = calloc(m->bound, sizeof *r->ids);
    if (m->names == NULL || r->ids == NULL) {
        return &lull_enomem;
    }
    struct lull_error *err = read_annotations(r);
    if (err == NULL) {
        err = lull_spirv_read_globals(r);
    }
    if (err == NULL) {
        err = read_entries(r);
    }
    if (err == NULL) {
        err = read_sources(r);
    }
    return err != NULL ? err : read_lines(r);
}

LULL_MUST_USE static struct lull_error *read_header(struct lull_cur *c, struct lull_spirv *m)
{
    uint32_t magic = lull_cur_u32(c);
    if (!c->bad && magic == __builtin_bswap32(SpvMagicNumber)) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "SPIR-V of big-endian words");
    }
    if (c->bad || magic != SpvMagicNumber) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "not SPIR-V");
    }
    m->version = lull_cur_u32(c);
    m->generator = lull_cur_u32(c);
    m->bound = lull_cur_u32(c);
    lull_cur_u32(c); // schema
    struct lull_error *err = lull_cur_error(c, "SPIR-V header");
    if (err == NULL && (m->bound == 0 || m->bound > MAX_BOUND)) {
        return lull_error_new(LULL_ERR_BAD_DATA, "word 3: id bound %u, must be 1 to %d", m->bound,
                              MAX_BOUND);
    }
    return err;
}

bool lull_spirv_is(const void *data, size_t size)
{
    struct lull_cur c = lull_cur_of(data, size);
    uint32_t magic = lull_cur_u32(&c);
    return !c.bad && (magic == SpvMagicNumber || magic == __builtin_bswap32(SpvMagicNumber));
}

struct lull_error *lull_spirv_read(const void *data, size_t size, struct lull_spirv *ret)
{
    struct lull_spirv m = {0};
    struct lull_spirv_reader r = {.all = lull_cur_of(data, size), .nwords = size / 4, .m = &m};
    struct lull_cur c = r.all;
    struct lull_error *err = read_header(&c, &m);
    if (err == NULL && size % 4 != 0) {
        err = lull_error_new(LULL_ERR_BAD_DATA, "%zu bytes, not a whole number of words", size);
    }
    if (err == NULL) {
        err = read_module(&r);
    }
    free(r.ids);
    if (err != NULL) {
        lull_arena_done(&m.arena);
        return err;
    }
    *ret = m;
    return NULL;
}

void lull_spirv_done(struct lull_spirv *m)
{
    lull_arena_done(&m->arena);
    *m = (struct lull_spirv){0};
}

const struct lull_spirv_entry *lull_spirv_find_entry(const struct lull_spirv *m, const char *name)
{
    const struct lull_spirv_entry *found = NULL;
    for (size_t i = 0; i < m->nentries; i++) {
        const struct lull_spirv_entry *e = &m->entries[i];
        if (strcmp(e->name, name) == 0 && (found == NULL || (e->compute && !found->compute))) {
            found = e;
        }
    }
    return found;
}

const struct lull_spirv_binding *lull_spirv_find_binding(const struct lull_spirv *m, uint32_t set,
                                                         uint32_t binding)
{
    for (size_t i = 0; i < m->nbindings; i++) {
        if (m->bindings[i].set == set && m->bindings[i].binding == binding) {
            return &m->bindings[i];
        }
    }
    return NULL;
}

const char *lull_spirv_descriptor_name(enum lull_spirv_descriptor d)
{
    switch (d) {
    case LULL_SPIRV_DESC_SAMPLER:
        return "sampler";
    case LULL_SPIRV_DESC_COMBINED_IMAGE_SAMPLER:
        return "combined image sampler";
    case LULL_SPIRV_DESC_SAMPLED_IMAGE:
        return "sampled image";
    case LULL_SPIRV_DESC_STORAGE_IMAGE:
        return "storage image";
    case LULL_SPIRV_DESC_UNIFORM_TEXEL_BUFFER:
        return "uniform texel buffer";
    case LULL_SPIRV_DESC_STORAGE_TEXEL_BUFFER:
        return "storage texel buffer";
    case LULL_SPIRV_DESC_UNIFORM_BUFFER:
        return "uniform buffer";
    case LULL_SPIRV_DESC_STORAGE_BUFFER:
        return "storage buffer";
    case LULL_SPIRV_DESC_INPUT_ATTACHMENT:
        return "input attachment";
    case LULL_SPIRV_DESC_ACCELERATION_STRUCTURE:
        return "acceleration structure";
    }
    return "?";
}
