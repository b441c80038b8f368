// SPDX-License-Identifier: MIT
// LLPC's pipeline files (.pipe) become the JSON form of a layout, with the line of each value.
// Source: LLPC, tool/vfx (sections, keys, comments), include/vkgcDefs.h (stages) at 40cb8d95a.
#include "link/layout_pipe.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "link/layout.h"

enum {
    IGNORED = 0, // a section that says nothing of a layout
    MAPPING = 1,
    STAGE = 2, // "VsInfo": nodes of one stage, in old files
    GRAPHICS = 4,
    COMPUTE = 8,
    VERTEX = 16,
    MAX_LIST = 1 << 14,
    MAX_KEY = 128,
    MAX_WORD = 64,
    MAX_DWORDS = 1 << 15, // of one list of numbers
};

enum kind { NUMBER, BOOLEAN, WORD, NUMBERS };
enum list { NODES, INNER, BINDINGS, ATTRIBUTES, DIVISORS, COLORS, RANGES, OPTIONS, TOP, NLISTS };

// A list of objects; path is what the reader of the JSON form calls it.
static const struct {
    const char *pattern, *path;
    unsigned sections;
} lists[NLISTS] = {
    [NODES] = {"userDataNode[]", "userDataNode", MAPPING | STAGE},
    [INNER] = {"userDataNode[].next[]", "userDataNode", MAPPING | STAGE},
    [BINDINGS] = {"binding[]", "bindings", VERTEX},
    [ATTRIBUTES] = {"attribute[]", "attributes", VERTEX},
    [DIVISORS] = {"divisor[]", "divisor", VERTEX},
    [COLORS] = {"colorBuffer[]", "color_targets", GRAPHICS},
    [RANGES] = {"descriptorRangeValue[]", "descriptorRangeValue", MAPPING | STAGE},
    [OPTIONS] = {"options", "", GRAPHICS | COMPUTE},
    [TOP] = {"", "", GRAPHICS | COMPUTE},
};

// json is what the reader's messages call the key; NULL: it says nothing here.
static const struct row {
    unsigned lists;
    const char *key, *json;
    enum kind kind;
} rows[] = {
    {1u << NODES | 1u << INNER, "type", "type", WORD},
    {1u << NODES | 1u << INNER, "visibility", "visibility", NUMBER},
    {1u << NODES | 1u << INNER, "offsetInDwords", "offset", NUMBER},
    {1u << NODES | 1u << INNER, "sizeInDwords", "size", NUMBER},
    {1u << NODES | 1u << INNER, "set", "set", NUMBER},
    {1u << NODES | 1u << INNER, "binding", "binding", NUMBER},
    {1u << NODES | 1u << INNER, "strideInDwords", "stride", NUMBER},
    {1u << NODES | 1u << INNER, "indirectUserDataCount", "indirect_size", NUMBER},
    {1u << BINDINGS | 1u << ATTRIBUTES | 1u << DIVISORS, "binding", "binding", NUMBER},
    {1u << BINDINGS, "stride", "stride", NUMBER},
    {1u << BINDINGS, "inputRate", "rate", WORD},
    {1u << ATTRIBUTES, "location", "location", NUMBER},
    {1u << ATTRIBUTES, "format", "format", WORD},
    {1u << ATTRIBUTES, "offset", "offset", NUMBER},
    {1u << ATTRIBUTES, "vbAddressLowBits", NULL, NUMBER},
    {1u << DIVISORS, "divisor", "divisor", NUMBER},
    {1u << COLORS, "format", "format", WORD},
    {1u << COLORS, "channelWriteMask", "write_mask", NUMBER},
    {1u << COLORS, "blendEnable", "blend", BOOLEAN},
    {1u << COLORS, "blendSrcAlphaToColor", "source_alpha", BOOLEAN},
    {1u << RANGES, "visibility", "visibility", NUMBER},
    {1u << RANGES, "type", "type", WORD},
    {1u << RANGES, "set", "set", NUMBER},
    {1u << RANGES, "binding", "binding", NUMBER},
    {1u << RANGES, "arraySize", "count", NUMBER},
    {1u << RANGES, "uintData", "immutable", NUMBERS},
    {1u << RANGES, "intData", "immutable", NUMBERS},
    {1u << TOP, "topology", "topology", WORD},
    {1u << TOP, "deviceIndex", "device_index", NUMBER},
    {1u << TOP, "numSamples", "num_samples", NUMBER},
    {1u << TOP, "samplePatternIdx", "sample_pattern_index", NUMBER},
    {1u << TOP, "patchControlPoints", "patch_control_points", NUMBER},
    {1u << TOP, "enableMultiView", "multiview", BOOLEAN},
    {1u << TOP, "alphaToCoverageEnable", "alpha_to_coverage", BOOLEAN},
    {1u << TOP, "dualSourceBlendEnable", "dual_source", BOOLEAN},
    {1u << OPTIONS, "shadowDescriptorTableUsage", "shadow_usage", WORD},
    {1u << OPTIONS, "shadowDescriptorTablePtrHigh", "shadow_table", NUMBER},
    {1u << OPTIONS, "resourceLayoutScheme", "scheme", WORD},
};

static const char *const infos[] = {"TaskInfo", "VsInfo",   "TcsInfo",  "TesInfo",  "GsInfo",
                                    "MeshInfo", "FsInfo",   "CsInfo",   "rgenInfo", "sectInfo",
                                    "ahitInfo", "chitInfo", "missInfo", "callInfo"};

// What makes other primitives than those that a draw begins with.
static const char *const makers[] = {"Tcs", "Tes", "Gs", "Mesh", "Geometry"};

struct slice {
    const char *p;
    size_t n;
};

struct pipe {
    json_t *top, *nodes, *lists[NLISTS];
    struct lull_layout_lines *lines;
    unsigned line, section, stage, seen; // seen: sections
    uint32_t base, range_base;           // nodes and ranges of the stages before
    bool any;                            // a section was seen
    bool source, makes_primitives;       // source: the section is text of a shader
};

struct key {
    enum list list;
    const struct row *row;
    uint32_t index[2];
};

bool lull_layout_is_pipe(const char *text, size_t size)
{
    size_t i = 0;
    while (i < size && strchr(" \t\r\n", text[i]) != NULL && text[i] != '\0') {
        i++;
    }
    if (i < size && text[i] == '[') {
        for (i++; i < size && strchr(" \t\r\n", text[i]) != NULL && text[i] != '\0';) {
            i++;
        }
        const char c = (char)(i < size ? text[i] | 32 : 0);
        return c >= 'a' && c <= 'z';
    }
    return i < size && (text[i] == ';' || text[i] == '/');
}

void lull_layout_lines_done(struct lull_layout_lines *l)
{
    free(l->at);
    lull_arena_done(&l->arena);
    *l = (struct lull_layout_lines){0};
}

LULL_MUST_USE static struct lull_error *remember(struct lull_layout_lines *l, unsigned line,
                                                 const char *path)
{
    if (l->n == l->room) {
        const size_t room = 2 * l->room + 64;
        struct lull_layout_line *grown = realloc(l->at, room * sizeof *grown);
        if (grown == NULL) {
            return &lull_enomem;
        }
        l->at = grown;
        l->room = room;
    }
    const size_t size = strlen(path) + 1;
    char *copy = lull_arena_calloc(&l->arena, size, 1);
    if (copy == NULL) {
        return &lull_enomem;
    }
    l->at[l->n++] = (struct lull_layout_line){.path = memcpy(copy, path, size), .line = line};
    return NULL;
}

unsigned lull_layout_line_of(const struct lull_layout_lines *l, const char *message)
{
    size_t best = 0;
    unsigned line = 0;
    for (size_t i = 0; i < l->n; i++) {
        const char *path = l->at[i].path;
        size_t same = 0, dot = 0;
        for (; path[same] != '\0' && path[same] == message[same]; same++) {
            dot = path[same] == '.' ? same : dot;
        }
        // All of the path, or the object that it is in: its first line.
        const bool ends = strchr(":. ", message[same]) != NULL;
        const size_t good = ends && (path[same] == '\0' || path[same] == '.') ? same : dot;
        if (good > best) {
            best = good;
            line = l->at[i].line;
        }
    }
    return line;
}

LULL_NEW_ERROR LULL_PRINTF(2, 3) static struct lull_error *bad(const struct pipe *p,
                                                               const char *fmt, ...)
{
    char text[256] = "";
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return lull_error_new(LULL_ERR_BAD_DATA, "line %u: %s", p->line, text);
}

static struct slice trim(struct slice s)
{
    while (s.n > 0 && (s.p[0] == ' ' || s.p[0] == '\t')) {
        s.p++;
        s.n--;
    }
    while (s.n > 0 && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t' || s.p[s.n - 1] == '\r')) {
        s.n--;
    }
    return s;
}

static bool copy(struct slice s, char *out, size_t room)
{
    if (s.n >= room || memchr(s.p, '\0', s.n) != NULL) {
        return false;
    }
    memcpy(out, s.p, s.n);
    out[s.n] = '\0';
    return true;
}

static bool number(struct slice s, uint32_t *ret)
{
    char text[16] = "", *end = NULL;
    if (!copy(s, text, sizeof text) || text[0] < '0' || text[0] > '9') {
        return false;
    }
    const bool hex = text[0] == '0' && (text[1] | 32) == 'x';
    const unsigned long long v = strtoull(text, &end, hex ? 16 : 10);
    *ret = (uint32_t)v;
    return *end == '\0' && v <= UINT32_MAX;
}

// "a[1].b[2].c": "a[].b[]", the numbers, and "c".
static bool split(char *text, char pattern[MAX_KEY], uint32_t index[2], const char **name)
{
    size_t n = 0;
    unsigned found = 0;
    char *last = strrchr(text, '.');
    *name = last != NULL ? last + 1 : text;
    for (char *p = text; last != NULL && p < last; p++) {
        if (strchr(" \t", *p) != NULL) {
            continue;
        }
        pattern[n++] = *p;
        if (*p == '[') {
            char *close = strchr(p, ']');
            uint32_t spare = 0;
            if (close == NULL || close > last ||
                !number(trim((struct slice){p + 1, (size_t)(close - p) - 1}),
                        found < 2 ? &index[found] : &spare)) {
                return false;
            }
            found++;
            p = close;
            pattern[n++] = ']';
        }
    }
    pattern[n] = '\0';
    return true;
}

// NULL row: a key that says nothing of a layout.
LULL_MUST_USE static struct lull_error *find_key(const struct pipe *p, struct slice s,
                                                 struct key *ret)
{
    char text[MAX_KEY] = "", whole[MAX_KEY] = "", pattern[MAX_KEY] = "";
    const char *name = NULL;
    const bool all = (p->section & (MAPPING | VERTEX)) != 0;
    if (!copy(s, text, sizeof text)) {
        return all ? bad(p, "a key of %zu bytes", s.n) : NULL;
    }
    memcpy(whole, text, sizeof whole);
    if (!split(text, pattern, ret->index, &name)) {
        return all ? bad(p, "%s: not a number in brackets", whole) : NULL;
    }
    for (unsigned i = 0; i < NLISTS; i++) {
        if ((lists[i].sections & p->section) == 0 || strcmp(lists[i].pattern, pattern) != 0) {
            continue;
        }
        for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
            if ((rows[k].lists >> i & 1) != 0 && strcmp(rows[k].key, name) == 0) {
                ret->list = i;
                ret->row = &rows[k];
                return NULL;
            }
        }
    }
    // Options that stand alone come and go with LLPC's versions.
    return all && pattern[0] != '\0' ? bad(p, "%s: no such key", whole) : NULL;
}

// Element i of a list whose elements come in their order.
LULL_MUST_USE static struct lull_error *element(const struct pipe *p, json_t *list, uint32_t i,
                                                const char *what, json_t **ret)
{
    const size_t n = json_array_size(list);
    if (i >= MAX_LIST) {
        return bad(p, "%s[%" PRIu32 "]: more than %d", what, i, MAX_LIST);
    }
    if (i > n) {
        return bad(p, "%s[%" PRIu32 "] comes before %s[%zu]", what, i, what, n);
    }
    if (i == n && json_array_append_new(list, json_object()) != 0) {
        return &lull_enomem;
    }
    *ret = json_array_get(list, i);
    return NULL;
}

// The list `key` of o, made if it is not there.
static json_t *list_in(json_t *o, const char *key)
{
    json_t *list = json_object_get(o, key);
    if (list == NULL && json_object_set_new(o, key, json_array()) == 0) {
        list = json_object_get(o, key);
    }
    return list;
}

// The object that a key is of, and its path.
LULL_MUST_USE static struct lull_error *object_of(struct pipe *p, const struct key *k, json_t **ret,
                                                  char *path, size_t room)
{
    const uint32_t first = k->index[0] + (k->list == NODES || k->list == INNER ? p->base
                                          : k->list == RANGES                  ? p->range_base
                                                                               : 0);
    if (k->list == TOP || k->list == OPTIONS) {
        *ret = p->top;
        path[0] = '\0';
        return NULL;
    }
    if (k->list == COLORS && k->index[0] >= LULL_LAYOUT_COLORS) {
        return bad(p, "colorBuffer[%" PRIu32 "]: there are %d", k->index[0], LULL_LAYOUT_COLORS);
    }
    (void)snprintf(path, room, "%s[%" PRIu32 "].", lists[k->list].path, first);
    for (size_t n = json_array_size(p->lists[COLORS]); k->list == COLORS && n < first; n++) {
        if (json_array_append_new(p->lists[COLORS], json_object()) != 0) {
            return &lull_enomem;
        }
    }
    struct lull_error *err =
        k->index[0] >= MAX_LIST
            ? bad(p, "%s[%" PRIu32 "]: more than %d", lists[k->list].path, k->index[0], MAX_LIST)
            : element(p, p->lists[k->list == INNER ? NODES : k->list], first, lists[k->list].path,
                      ret);
    if (err == NULL && k->list == INNER) {
        json_t *inner = list_in(*ret, "next");
        const size_t n = strlen(path);
        (void)snprintf(path + n, room - n, "next[%" PRIu32 "].", k->index[1]);
        err = inner == NULL ? &lull_enomem : element(p, inner, k->index[1], "next", ret);
    }
    return err;
}

LULL_MUST_USE static struct lull_error *numbers(const struct pipe *p, struct slice s, json_t **ret)
{
    json_t *list = json_array();
    struct lull_error *err = list == NULL ? &lull_enomem : NULL;
    while (err == NULL && s.n > 0) {
        const char *comma = memchr(s.p, ',', s.n);
        const size_t n = comma != NULL ? (size_t)(comma - s.p) : s.n;
        uint32_t v = 0;
        const struct slice one = trim((struct slice){s.p, n});
        if (one.n != 0 && !number(one, &v)) {
            err = bad(p, "not numbers of 32 bits, with commas between them");
        } else if (one.n != 0 && (json_array_size(list) >= MAX_DWORDS ||
                                  json_array_append_new(list, json_integer(v)) != 0)) {
            err = bad(p, "too many numbers");
        }
        s.p += n + (comma != NULL);
        s.n -= n + (comma != NULL);
    }
    *ret = err == NULL ? list : NULL;
    if (err != NULL) {
        json_decref(list);
    }
    return err;
}

LULL_MUST_USE static struct lull_error *value_of(const struct pipe *p, const struct row *row,
                                                 struct slice s, json_t **ret)
{
    char word[MAX_WORD] = "";
    uint32_t v = 0;
    if (row->kind == NUMBERS) {
        return numbers(p, s, ret);
    }
    const bool fits = copy(s, word, sizeof word);
    if (row->kind == WORD) {
        if (!fits || (*ret = json_string(word)) == NULL) {
            return bad(p, "%s: not a word", row->key);
        }
        return NULL;
    }
    if (row->kind == BOOLEAN && fits && (strcmp(word, "true") == 0 || strcmp(word, "false") == 0)) {
        *ret = json_boolean(word[0] == 't');
        return NULL;
    }
    if (!number(s, &v)) {
        return bad(p,
                   row->kind == NUMBER ? "%s: \"%s\" is not a number of 32 bits"
                                       : "%s: \"%s\" is not 0, 1, true or false",
                   row->key, word);
    }
    *ret = row->kind == NUMBER ? json_integer(v) : json_boolean(v != 0);
    return *ret == NULL ? &lull_enomem : NULL;
}

// "key = value"
LULL_MUST_USE static struct lull_error *take_pair(struct pipe *p, struct slice s)
{
    const char *equal = memchr(s.p, '=', s.n);
    const bool all = (p->section & (MAPPING | VERTEX)) != 0;
    if (equal == NULL) {
        return all ? bad(p, "not \"key = value\"") : NULL;
    }
    const size_t n = (size_t)(equal - s.p);
    struct key k = {.row = NULL};
    struct lull_error *err = find_key(p, trim((struct slice){s.p, n}), &k);
    if (err != NULL || k.row == NULL || k.row->json == NULL) {
        return err;
    }
    json_t *o = NULL, *v = NULL;
    char path[MAX_KEY] = "";
    err = value_of(p, k.row, trim((struct slice){equal + 1, s.n - n - 1}), &v);
    err = err != NULL ? err : object_of(p, &k, &o, path, sizeof path - MAX_WORD);
    if (err == NULL) {
        const size_t used = strlen(path);
        (void)snprintf(path + used, sizeof path - used, "%s", k.row->json);
        err = json_object_get(o, k.row->json) != NULL ? bad(p, "%s: given twice", k.row->key)
                                                      : remember(p->lines, p->line, path);
    }
    if (err == NULL && json_object_set(o, k.row->json, v) != 0) {
        err = &lull_enomem;
    }
    json_decref(v);
    return err;
}

// A stage's nodes are for it alone.
LULL_MUST_USE static struct lull_error *end_stage(struct pipe *p)
{
    json_t *nodes = p->lists[NODES];
    for (size_t i = p->base; p->section == STAGE && i < json_array_size(nodes); i++) {
        json_t *bit = json_integer((json_int_t)1 << p->stage);
        if (bit == NULL || json_object_set_new(json_array_get(nodes, i), "visibility", bit) != 0) {
            return &lull_enomem;
        }
    }
    p->base = (uint32_t)json_array_size(nodes);
    p->range_base = (uint32_t)json_array_size(p->lists[RANGES]);
    return NULL;
}

static unsigned section_of(struct pipe *p, const char *name)
{
    for (unsigned i = 0; i < sizeof infos / sizeof infos[0]; i++) {
        if (strcmp(name, infos[i]) == 0) {
            p->stage = i;
            return STAGE;
        }
    }
    return strcmp(name, "ResourceMapping") == 0           ? MAPPING
           : strcmp(name, "GraphicsPipelineState") == 0   ? GRAPHICS
           : strcmp(name, "ComputePipelineState") == 0    ? COMPUTE
           : strcmp(name, "RayTracingPipelineState") == 0 ? COMPUTE
           : strcmp(name, "VertexInputState") == 0        ? VERTEX
                                                          : IGNORED;
}

LULL_MUST_USE static struct lull_error *begin_section(struct pipe *p, struct slice s)
{
    const char *close = memchr(s.p, ']', s.n);
    char name[MAX_WORD] = "";
    struct lull_error *err = end_stage(p);
    if (err != NULL) {
        return err;
    }
    if (close == NULL) {
        return bad(p, "no ']' behind a section's name");
    }
    struct slice n = {s.p + 1, (size_t)(close - s.p) - 1};
    const char *comma = memchr(n.p, ',', n.n);
    n.n = comma != NULL ? (size_t)(comma - n.p) : n.n;
    p->section = copy(trim(n), name, sizeof name) ? section_of(p, name) : IGNORED;
    p->source =
        strstr(name, "Glsl") != NULL || strstr(name, "Sp") != NULL || strstr(name, "Hlsl") != NULL;
    for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++) {
        p->makes_primitives |= strncmp(name, makers[i], strlen(makers[i])) == 0;
    }
    if ((p->section & p->seen & ~(unsigned)STAGE) != 0) {
        return bad(p, "a second section [%s]", name);
    }
    if (p->section == STAGE && (p->seen & MAPPING) != 0) {
        p->section = IGNORED;
    } else if (p->section == MAPPING && p->base + p->range_base != 0) {
        json_array_clear(p->lists[NODES]); // [ResourceMapping] is what counts
        json_array_clear(p->lists[RANGES]);
        p->base = 0;
        p->range_base = 0;
        p->lines->n = 0;
    }
    p->seen |= p->section;
    p->any = true;
    return NULL;
}

// One line, without its end.
LULL_MUST_USE static struct lull_error *take_line(struct pipe *p, struct slice s)
{
    if (!p->source) {
        const char *comment = memchr(s.p, ';', s.n);
        s.n = comment != NULL ? (size_t)(comment - s.p) : s.n;
    }
    if (s.n > 0 && s.p[0] == '[') {
        return begin_section(p, s);
    }
    s = trim(s);
    return s.n == 0 || p->section == IGNORED ? NULL : take_pair(p, s);
}

// The line of a value that was kept.
static void back_to(struct pipe *p, const char *path)
{
    p->line = lull_layout_line_of(p->lines, path);
}

LULL_MUST_USE static struct lull_error *put_divisors(struct pipe *p)
{
    size_t i = 0, k = 0;
    json_t *d = NULL, *b = NULL;
    json_array_foreach(p->lists[DIVISORS], i, d)
    {
        const json_t *want = json_object_get(d, "binding"), *n = json_object_get(d, "divisor");
        json_t *found = NULL;
        json_array_foreach(p->lists[BINDINGS], k, b)
        {
            found = json_equal(json_object_get(b, "binding"), want) ? b : found;
        }
        if (found == NULL || n == NULL) {
            char path[MAX_KEY] = "";
            (void)snprintf(path, sizeof path, "divisor[%zu].", i);
            back_to(p, path);
            return bad(p, "divisor[%zu]: %s", i,
                       n == NULL ? "no divisor" : "its binding is not one of the binding[]");
        }
        if (json_object_set(found, "divisor", json_object_get(d, "divisor")) != 0) {
            return &lull_enomem;
        }
    }
    return NULL;
}

static void place_key(const json_t *o, char out[MAX_WORD])
{
    (void)snprintf(out, MAX_WORD, "%lld.%lld",
                   (long long)json_integer_value(json_object_get(o, "set")),
                   (long long)json_integer_value(json_object_get(o, "binding")));
}

// A list of numbers becomes one of samplers.
LULL_MUST_USE static struct lull_error *put_immutable(json_t *node, json_t *dwords)
{
    const char *type = json_string_value(json_object_get(node, "type"));
    const bool ycbcr = type != NULL && strcmp(type, "DescriptorYCbCrSampler") == 0;
    const size_t words = ycbcr ? 8 : 4;
    if (type == NULL || (strcmp(type, "DescriptorSampler") != 0 && !ycbcr &&
                         strcmp(type, "DescriptorCombinedTexture") != 0)) {
        return NULL;
    }
    json_t *samplers = list_in(node, "immutable"), *one = NULL;
    for (size_t i = 0; samplers != NULL && i < json_array_size(dwords); i++) {
        if (i % words == 0) {
            one = json_array();
            if (one == NULL || json_array_append_new(samplers, one) != 0) {
                return &lull_enomem;
            }
        }
        if (json_array_append(one, json_array_get(dwords, i)) != 0) {
            return &lull_enomem;
        }
    }
    return samplers == NULL ? &lull_enomem : NULL;
}

LULL_MUST_USE static struct lull_error *put_ranges_in(const json_t *list, const json_t *by_place)
{
    size_t i = 0;
    json_t *node = NULL;
    struct lull_error *err = NULL;
    json_array_foreach(list, i, node)
    {
        char key[MAX_WORD] = "";
        place_key(node, key);
        json_t *dwords = json_object_get(by_place, key);
        err = dwords != NULL ? put_immutable(node, dwords) : NULL;
        err = err != NULL ? err : put_ranges_in(json_object_get(node, "next"), by_place);
        if (err != NULL) {
            return err;
        }
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *put_ranges(const struct pipe *p)
{
    size_t i = 0;
    json_t *range = NULL, *by_place = json_object();
    struct lull_error *err = by_place == NULL ? &lull_enomem : NULL;
    json_array_foreach(p->lists[RANGES], i, range)
    {
        char key[MAX_WORD] = "";
        place_key(range, key);
        json_t *dwords = json_object_get(range, "immutable");
        if (err == NULL && dwords != NULL && json_object_set(by_place, key, dwords) != 0) {
            err = &lull_enomem;
        }
    }
    err = err != NULL ? err : put_ranges_in(p->lists[NODES], by_place);
    json_decref(by_place);
    return err;
}

// The word that our reader has for one of LLPC's; a pair of them ends with NULL.
LULL_MUST_USE static struct lull_error *rename_word(struct pipe *p, const char *key,
                                                    const char *const (*words)[2])
{
    const char *text = json_string_value(json_object_get(p->top, key));
    if (text == NULL) {
        return NULL;
    }
    for (unsigned i = 0; words[i][0] != NULL; i++) {
        if (strcmp(words[i][0], text) == 0) {
            return json_object_set_new(p->top, key, json_string(words[i][1])) != 0 ? &lull_enomem
                                                                                   : NULL;
        }
    }
    back_to(p, key);
    return bad(p, "%s: \"%s\" is none of the words that it may be", key, text);
}

static const char *const schemes[][2] = {
    {"Compact", "compact"}, {"Indirect", "indirect"}, {NULL, NULL}};
static const char *const usages[][2] = {
    {"Auto", "auto"}, {"Enable", "enable"}, {"Disable", "disable"}, {NULL, NULL}};
static const char *const topologies[][2] = {
    {"VK_PRIMITIVE_TOPOLOGY_POINT_LIST", "points"},
    {"VK_PRIMITIVE_TOPOLOGY_LINE_LIST", "lines"},
    {"VK_PRIMITIVE_TOPOLOGY_LINE_STRIP", "lines"},
    {"VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY", "lines"},
    {"VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY", "lines"},
    {"VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST", "triangles"},
    {"VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP", "triangles"},
    {"VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN", "triangles"},
    {"VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST_WITH_ADJACENCY", "triangles"},
    {"VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY", "triangles"},
    {"VK_PRIMITIVE_TOPOLOGY_PATCH_LIST", "none"},
    {NULL, NULL}};

// "Enable" takes the address; "Auto" and nothing leave what a layout without the keys has.
LULL_MUST_USE static struct lull_error *put_options(struct pipe *p)
{
    struct lull_error *err = rename_word(p, "scheme", schemes);
    err = err != NULL ? err : rename_word(p, "shadow_usage", usages);
    err = err != NULL ? err : rename_word(p, "topology", topologies);
    const char *usage = json_string_value(json_object_get(p->top, "shadow_usage"));
    if (usage == NULL || strcmp(usage, "enable") != 0) {
        (void)json_object_del(p->top, "shadow_table");
    } else if (err == NULL && json_object_get(p->top, "shadow_table") == NULL &&
               json_object_set_new(p->top, "shadow_table", json_integer(0)) != 0) {
        err = &lull_enomem;
    }
    (void)json_object_del(p->top, "shadow_usage");
    if (p->makes_primitives) {
        (void)json_object_del(p->top, "topology");
    }
    return err;
}

LULL_MUST_USE static struct lull_error *finish(struct pipe *p)
{
    static const struct {
        enum list list;
        const char *key;
        unsigned section;
    } put[] = {{NODES, "userDataNode", 0},
               {BINDINGS, "vertexBindings", VERTEX},
               {ATTRIBUTES, "vertexAttributes", VERTEX},
               {COLORS, "colorBuffer", GRAPHICS}};
    size_t i = 0;
    json_t *color = NULL;
    struct lull_error *err = end_stage(p);
    if (err == NULL && !p->any) {
        p->line = 1;
        err = bad(p, "comments, and no section such as [ResourceMapping]");
    }
    err = err != NULL ? err : put_divisors(p);
    err = err != NULL ? err : put_ranges(p);
    err = err != NULL ? err : put_options(p);
    json_array_foreach(p->lists[COLORS], i, color)
    {
        if (err == NULL && json_object_get(color, "format") == NULL &&
            json_object_set_new(color, "format", json_string("VK_FORMAT_UNDEFINED")) != 0) {
            err = &lull_enomem;
        }
    }
    if (err == NULL && json_object_set_new(p->top, "overlap", json_true()) != 0) {
        err = &lull_enomem;
    }
    for (unsigned k = 0; err == NULL && k < sizeof put / sizeof put[0]; k++) {
        if ((put[k].section == 0 || (p->seen & put[k].section) != 0) &&
            json_object_set(p->top, put[k].key, p->lists[put[k].list]) != 0) {
            err = &lull_enomem;
        }
    }
    return err;
}

struct lull_error *lull_layout_pipe_read(const char *text, size_t size, json_t **ret,
                                         struct lull_layout_lines *lines)
{
    struct pipe p = {.top = json_object(), .lines = lines};
    struct lull_error *err = p.top == NULL ? &lull_enomem : NULL;
    for (unsigned i = 0; err == NULL && i < NLISTS; i++) {
        p.lists[i] = json_array();
        err = p.lists[i] == NULL ? &lull_enomem : NULL;
    }
    for (size_t at = 0; err == NULL && at < size;) {
        const char *end = memchr(text + at, '\n', size - at);
        const size_t n = end != NULL ? (size_t)(end - text) - at : size - at;
        p.line++;
        err = take_line(&p, (struct slice){text + at, n});
        at += n + 1;
    }
    err = err != NULL ? err : finish(&p);
    for (unsigned i = 0; i < NLISTS; i++) {
        json_decref(p.lists[i]);
    }
    if (err != NULL) {
        json_decref(p.top);
        return err;
    }
    *ret = p.top;
    return NULL;
}
