// SPDX-License-Identifier: MIT
// The reader of names files: lines that are wrong, a file that grows, and which dispatch of the GPU
// is which record. Files are written by the test; docs/formats/names.md says what they mean.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image/names.h"
#include "test.h"

static char dir[] = "/tmp/lull-names-XXXXXX";

static void append(unsigned pid, const char *text)
{
    char path[64] = "";
    snprintf(path, sizeof path, "%s/%u.names", dir, pid);
    FILE *f = fopen(path, "a");
    if (f != NULL) {
        fputs(text, f);
        fclose(f);
    }
}

static struct lull_names *open_names(unsigned pid)
{
    struct lull_names *n = NULL;
    struct lull_error *err = lull_names_open(dir, pid, &n);
    test_case(err == NULL, "open", "%s", err != NULL ? lull_error_message(err) : "");
    lull_error_free(err);
    return n;
}

static void update(struct lull_names *n)
{
    struct lull_error *err = lull_names_update(n);
    test_case(err == NULL, "update", "%s", err != NULL ? lull_error_message(err) : "");
    lull_error_free(err);
}

// Lines that must be told and skipped, and what is said of them.
static const struct {
    const char *name, *line, *want;
} bad[] = {
    {"no JSON", "{\"k\":", "no JSON"},
    {"no object", "[1]", "no object"},
    {"graphics without stages",
     "{\"k\":\"graphics\",\"pipeline\":\"0x1\",\"layout\":\"0x0\",\"attributes\":[]}", "'stages'"},
    {"attribute without format",
     "{\"k\":\"graphics\",\"pipeline\":\"0x1\",\"layout\":\"0x0\",\"stages\":[],"
     "\"attributes\":[{\"location\":0,\"binding\":0}]}",
     "'format'"},
    {"draw without a grid",
     "{\"k\":\"submit\",\"n\":0,\"family\":0,\"index\":0,\"dispatches\":[],"
     "\"draws\":[{\"cmd\":\"0x1\",\"pipeline\":\"0x1\",\"labels\":[]}]}",
     "draw 0"},
    {"a barrier of three numbers",
     "{\"k\":\"submit\",\"n\":0,\"family\":0,\"index\":0,\"dispatches\":[{\"cmd\":\"0x1\","
     "\"pipeline\":\"0x0\",\"grid\":[1,1,1],\"labels\":[],\"sets\":[],\"push\":\"\",\"after\":[[1,"
     "2,3]]}]}",
     "barrier"},
    {"barriers that are not a list",
     "{\"k\":\"submit\",\"n\":0,\"family\":0,\"index\":0,\"dispatches\":[],\"end\":{}}",
     "barriers"},
    {"no kind", "{}", "kind"},
    {"kind of number", "{\"k\":1}", "kind"},
    {"not UTF-8", "{\"k\":\"name\",\"type\":9,\"handle\":\"0x1\",\"name\":\"\xff\"}", "no JSON"},
    {"key twice", "{\"k\":\"start\",\"k\":\"start\"}", "no JSON"},
    {"later version", "{\"k\":\"start\",\"version\":2,\"program\":\"p\"}", "version 2"},
    {"handle as number", "{\"k\":\"free\",\"type\":9,\"handle\":1}", "'handle'"},
    {"handle too long", "{\"k\":\"free\",\"type\":9,\"handle\":\"0x10000000000000000\"}",
     "'handle'"},
    {"handle signed", "{\"k\":\"free\",\"type\":9,\"handle\":\"0x-1\"}", "'handle'"},
    {"type too large", "{\"k\":\"free\",\"type\":4294967296,\"handle\":\"0x1\"}", "'type'"},
    {"type negative", "{\"k\":\"free\",\"type\":-1,\"handle\":\"0x1\"}", "'type'"},
    {"path in a file name",
     "{\"k\":\"shader\",\"shader\":\"0x1\",\"hash\":\"0123456789abcdef\",\"file\":\"../x\"}",
     "file name"},
    {"hash", "{\"k\":\"shader\",\"shader\":\"0x1\",\"hash\":\"xyz\",\"file\":\"\"}", "hash"},
    {"bindings", "{\"k\":\"set_layout\",\"set_layout\":\"0x1\",\"flags\":0,\"bindings\":[7]}",
     "binding 0"},
    {"samplers that are not a number",
     "{\"k\":\"set_layout\",\"set_layout\":\"0x1\",\"flags\":0,\"bindings\":[{\"binding\":0,"
     "\"type\":0,\"count\":1,\"stages\":32,\"flags\":0,\"immutable\":true}]}",
     "'immutable'"},
    {"extent of two",
     "{\"k\":\"image\",\"image\":\"0x1\",\"extent\":[1,2],\"type\":1,\"format\":1,\"mips\":1,"
     "\"layers\":1,\"samples\":1,\"tiling\":0,\"usage\":1}",
     "'extent'"},
    {"submit without a queue", "{\"k\":\"submit\",\"n\":0}", "'family'"},
    {"a dispatch that is none",
     "{\"k\":\"submit\",\"n\":0,\"family\":0,\"index\":0,\"dispatches\":[3]}", "dispatch 0"},
    {"stack without a number", "{\"k\":\"stack\",\"stack\":0,\"frames\":[]}", "'stack'"},
    {"stack without frames", "{\"k\":\"stack\",\"stack\":1,\"frames\":{}}", "'frames'"},
    {"frame without a module",
     "{\"k\":\"stack\",\"stack\":1,\"frames\":[{\"module\":1,\"offset\":\"0x1\"}]}", "'module'"},
    {"frame without an offset",
     "{\"k\":\"stack\",\"stack\":1,\"frames\":[{\"module\":\"a\",\"offset\":1}]}", "'offset'"},
    {"a write of no handle",
     "{\"k\":\"set\",\"set\":\"0x1\",\"set_layout\":\"0x0\"}\n"
     "{\"k\":\"write\",\"set\":\"0x1\",\"binding\":0,\"element\":0,\"type\":7,\"to\":[[1]]}",
     "'to'"},
    {"a copy without a count",
     "{\"k\":\"copy\",\"set\":\"0x1\",\"binding\":0,\"element\":0,\"from\":\"0x1\","
     "\"from_binding\":0,\"from_element\":0}",
     "'count'"},
    {"odd push",
     "{\"k\":\"submit\",\"n\":0,\"family\":0,\"index\":0,\"dispatches\":[{\"cmd\":\"0x1\","
     "\"pipeline\":\"0x1\",\"grid\":[1,1,1],\"labels\":[],\"sets\":[],\"push\":\"abc\"}]}",
     "'push'"},
};

static size_t lines_of(const char *text)
{
    size_t n = 1;
    for (; *text != '\0'; text++) {
        n += *text == '\n';
    }
    return n;
}

static void check_bad(void)
{
    for (size_t i = 0; i < TEST_ROWS(bad); i++) {
        unsigned pid = 1000 + (unsigned)i;
        append(pid, bad[i].line);
        append(pid, "\n{\"k\":\"start\",\"version\":1,\"program\":\"after\"}\n");
        struct lull_names *n = open_names(pid);
        update(n);
        bool one = lull_names_ncomplaints(n) == 1;
        const char *text = one ? lull_names_complaint_at(n, 0)->text : "";
        test_case(one && strstr(text, bad[i].want) != NULL &&
                      lull_names_complaint_at(n, 0)->line == lines_of(bad[i].line),
                  bad[i].name, "%zu complaints, '%s', want '%s'", lull_names_ncomplaints(n), text,
                  bad[i].want);
        test_case(strcmp(lull_names_program(n), "after") == 0, bad[i].name, "next line was lost");
        lull_names_free(n);
    }
}

static void check_growing(void)
{
    struct lull_names *n = open_names(1);
    update(n); // not there yet
    append(1, "{\"k\":\"start\",\"version\":1,\"pid\":1,\"program\":\"/bin/x\"}\n{\"k\":\"buf");
    update(n);
    test_case(lull_names_nobjects(n) == 0 && strcmp(lull_names_program(n), "/bin/x") == 0,
              "half a line waits", "%zu objects", lull_names_nobjects(n));
    append(1, "fer\",\"buffer\":\"0x10\",\"size\":64,\"usage\":32}\n");
    append(1, "{\"k\":\"of a later "
              "version\"}\n{\"k\":\"name\",\"type\":9,\"handle\":\"0x10\",\"name\":\"n\"}\n"
              "{\"k\":\"bind\",\"buffer\":\"0x10\",\"memory\":\"0x20\",\"offset\":8}\n"
              "{\"k\":\"address\",\"buffer\":\"0x10\",\"address\":\"0xffff800000001000\"}\n");
    update(n);
    const struct lull_names_object *o =
        lull_names_nobjects(n) == 1 ? lull_names_object_at(n, 0) : NULL;
    test_case(o != NULL && o->size == 64 && strcmp(o->name, "n") == 0 && o->memory == 0x20 &&
                  o->offset == 8 && lull_names_at_address(n, 0xffff80000000103f) == o &&
                  lull_names_at_address(n, 0xffff800000001040) == NULL,
              "a line in two halves", "another object, or none");
    append(1, "{\"k\":\"free\",\"type\":9,\"handle\":\"0x10\"}\n");
    append(1, "{\"k\":\"buffer\",\"buffer\":\"0x10\",\"size\":8,\"usage\":1}\n");
    update(n);
    test_case(o != NULL && o->freed && lull_names_nobjects(n) == 2 &&
                  lull_names_object_at(n, 1)->name[0] == '\0',
              "a handle used again is another buffer", "it is not");
    test_case(lull_names_ncomplaints(n) == 0, "no complaint", "%zu", lull_names_ncomplaints(n));
    lull_names_free(n);
}

static void write_pipeline(unsigned pid, unsigned handle)
{
    char line[512] = "";
    snprintf(line, sizeof line,
             "{\"k\":\"shader\",\"shader\":\"0x%x\",\"hash\":\"%016x\",\"file\":\"\"}\n"
             "{\"k\":\"pipeline\",\"pipeline\":\"0x%x\",\"hash\":\"%016x\",\"shader\":\"0x%x\","
             "\"entry\":\"main\",\"layout\":\"0x0\",\"subgroup\":0,\"spec\":[]}\n",
             handle + 100, handle, handle, handle, handle + 100);
    append(pid, line);
}

static void write_submit(unsigned pid, unsigned family, unsigned pipeline, unsigned x)
{
    char line[512] = "";
    char grid[64] = "";
    snprintf(grid, sizeof grid,
             x == 99 ? "\"indirect\":{\"buffer\":\"0x1\",\"offset\":%u}" : "\"grid\":[%u,1,1]", x);
    snprintf(line, sizeof line,
             "{\"k\":\"submit\",\"n\":0,\"family\":%u,\"index\":0,\"dispatches\":[{\"cmd\":\"0x1\","
             "\"pipeline\":\"0x%x\",%s,\"labels\":[],\"sets\":[],\"push\":\"\"}]}\n",
             family, pipeline, grid);
    append(pid, line);
}

enum { NONE = -1, MAX = 8 };

struct record {
    unsigned family, pipeline, x; // x 99: indirect; pipeline 0: ends the list
};

struct dispatch {
    unsigned ring, x, code; // code 0: ends the list
    int want;               // record
    bool sure;
};

static const struct {
    const char *name;
    struct record rec[MAX];
    struct dispatch hw[MAX];
} matches[] = {
    {"one to one", {{0, 1, 4}, {0, 2, 5}}, {{0, 4, 10, 0, true}, {0, 5, 20, 1, true}}},
    {"the driver's own between",
     {{0, 1, 4}, {0, 2, 5}},
     {{0, 7, 90, NONE, false}, {0, 4, 10, 0, true}, {0, 8, 91, NONE, false}, {0, 5, 20, 1, true}}},
    {"not there yet", {{0, 1, 4}, {0, 2, 5}}, {{0, 4, 10, 0, true}}},
    // Dispatch 0 fits record 0 too, but record 1 needs its code, which record 2 tells.
    {"code learned later",
     {{0, 1, 4}, {0, 1, 6}},
     {{0, 4, 90, NONE, false}, {0, 4, 10, 0, true}, {0, 6, 10, 1, true}}},
    {"undecided", {{0, 1, 4}}, {{0, 4, 10, 0, false}, {0, 4, 11, NONE, false}}},
    {"another pipeline's code is not one's own",
     {{0, 1, 4}, {0, 2, 5}, {0, 1, 5}},
     {{0, 4, 10, 0, true}, {0, 5, 10, NONE, false}, {0, 5, 20, 1, true}, {0, 5, 10, 2, true}}},
    {"indirect fits any grid", {{0, 1, 99}, {0, 2, 5}}, {{0, 3, 10, 0, true}, {0, 5, 20, 1, true}}},
    {"two rings, each in its order",
     {{1, 1, 4}, {0, 2, 4}, {1, 1, 5}},
     {{0, 4, 20, 1, true}, {1, 4, 10, 0, true}, {1, 5, 10, 2, true}}},
    {"empty grids are not looked for", {{0, 1, 0}, {0, 1, 4}}, {{0, 4, 10, 1, true}}},
};

static void check_match(size_t row)
{
    unsigned pid = 2000 + (unsigned)row;
    for (unsigned p = 1; p < 4; p++) {
        write_pipeline(pid, p);
    }
    for (const struct record *r = matches[row].rec; r->pipeline != 0; r++) {
        write_submit(pid, r->family, r->pipeline, r->x);
    }
    struct lull_names *n = open_names(pid);
    update(n);
    struct lull_names_hw hw[MAX] = {0};
    struct lull_names_matched got[MAX] = {0};
    size_t count = 0;
    for (; matches[row].hw[count].code != 0; count++) {
        const struct dispatch *d = &matches[row].hw[count];
        hw[count] = (struct lull_names_hw){
            .ring = d->ring, .grid = {d->x, 1, 1}, .block = {64, 1, 1}, .code = d->code};
    }
    struct lull_error *err = lull_names_match(n, hw, count, got);
    test_case(err == NULL, matches[row].name, "error");
    for (size_t i = 0; i < count; i++) {
        int at = got[i].record != NULL ? (int)got[i].record->number : NONE;
        test_case(at == matches[row].hw[i].want && got[i].sure == matches[row].hw[i].sure,
                  matches[row].name, "dispatch %zu is record %d (sure: %d), want %d (%d)", i, at,
                  got[i].sure, matches[row].hw[i].want, matches[row].hw[i].sure);
    }
    lull_error_free(err);
    lull_names_free(n);
}

// A list, the same indexed, one of the driver's with as many vertices between, and an indirect one.
static const char drawn[] =
    "{\"k\":\"shader\",\"shader\":\"0x21\",\"hash\":\"0000000000000021\",\"file\":\"\"}\n"
    "{\"k\":\"graphics\",\"pipeline\":\"0x11\",\"layout\":\"0x0\",\"stages\":[{\"stage\":1,"
    "\"hash\":\"0000000000000021\",\"shader\":\"0x21\",\"entry\":\"vertices\",\"spec\":[]}],"
    "\"attributes\":[{\"location\":3,\"binding\":1,\"format\":106,\"offset\":8,\"stride\":32,"
    "\"rate\":0}]}\n"
    "{\"k\":\"name\",\"type\":19,\"handle\":\"0x11\",\"name\":\"glass\"}\n"
    "{\"k\":\"buffer\",\"buffer\":\"0x70\",\"size\":256,\"usage\":32}\n"
    "{\"k\":\"submit\",\"n\":0,\"family\":0,\"index\":0,\"dispatches\":[],\"draws\":["
    "{\"cmd\":\"0x1\",\"grid\":[36,2,1],\"pipeline\":\"0x11\",\"labels\":[\"a\",\"b\"]},"
    "{\"cmd\":\"0x1\",\"grid\":[36,2,2],\"pipeline\":\"0x11\",\"labels\":[],\"sets\":[null,"
    "\"push\"],"
    "\"pushed\":[{\"set\":1,\"binding\":5,\"element\":2,\"type\":7,\"to\":[[\"0x70\",16,64]]}]},"
    "{\"cmd\":\"0x1\",\"indirect\":{\"buffer\":\"0x1\",\"offset\":0},\"pipeline\":\"0x11\","
    "\"labels\":[]}]}\n";

// A dispatch of a stack, submitted by another, and one whose stack no line has told.
static const char stacks[] =
    "{\"k\":\"stack\",\"stack\":1,\"frames\":[{\"module\":\"/a\",\"offset\":\"0x12\"},"
    "{\"module\":\"/b\",\"offset\":\"0xffffffffffffffff\"}]}\n"
    "{\"k\":\"stack\",\"stack\":2,\"frames\":[]}\n"
    "{\"k\":\"submit\",\"n\":0,\"family\":0,\"index\":0,\"stack\":2,\"dispatches\":["
    "{\"cmd\":\"0x1\",\"grid\":[1,1,1],\"stack\":1,\"pipeline\":\"0x1\",\"labels\":[],"
    "\"sets\":[],\"push\":\"\"},"
    "{\"cmd\":\"0x1\",\"grid\":[1,1,1],\"stack\":3,\"pipeline\":\"0x1\",\"labels\":[],"
    "\"sets\":[],\"push\":\"\"}]}\n";

static void check_stacks(void)
{
    append(3001, stacks);
    struct lull_names *n = open_names(3001);
    update(n);
    if (test_case(lull_names_ndispatches(n) == 2 && lull_names_ncomplaints(n) == 0, "stacks",
                  "%zu dispatches, %zu complaints", lull_names_ndispatches(n),
                  lull_names_ncomplaints(n))) {
        const struct lull_names_stack *s = lull_names_dispatch_at(n, 0)->recorded;
        test_case(s != NULL && s->nframes == 2 && strcmp(s->frames[0].module, "/a") == 0 &&
                      s->frames[0].offset == 0x12 && s->frames[1].offset == UINT64_MAX,
                  "stack of a dispatch", "not what was told");
        s = lull_names_dispatch_at(n, 0)->submitted;
        test_case(s != NULL && s->nframes == 0, "stack of a submission", "not what was told");
        test_case(lull_names_dispatch_at(n, 1)->recorded == NULL, "a stack not told", "is there");
    }
    lull_names_free(n);
}

/* Bindings 1 and 4, which stands in front, have two dynamic storage buffers each, 6 has one. Three
 * elements are written from 1.1 on: of 1, then 4.0 and 4.1. Set 2 has copies of 1.1 and 4.0, the
 * first written anew behind the submission; set 3 was pushed to; what set 4 had before it was
 * allocated again it has no more. */
#define BUFFER(handle) "{\"k\":\"buffer\",\"buffer\":\"" handle "\",\"size\":1000,\"usage\":32}\n"
#define SET(handle) "{\"k\":\"set\",\"set\":\"" handle "\",\"set_layout\":\"0x9\"}\n"
#define BINDING(n, type, count)                                                                    \
    "{\"binding\":" n ",\"type\":" type ",\"count\":" count ",\"stages\":32,\"flags\":0}"
static const char written[] = BUFFER("0x10") BUFFER("0x20") BUFFER(
    "0x30") "{\"k\":\"place\",\"buffer\":\"0x20\",\"address\":\"0xffff800000001000\"}\n"
            "{\"k\":\"set_layout\",\"set_layout\":\"0x9\",\"flags\":0,\"bindings\":[" BINDING(
                "4", "9", "2") "," BINDING("1", "9",
                                           "2") "," BINDING("6", "7",
                                                            "1") "]}\n" SET("0x1") SET("0x2")
                SET("0x4") "{\"k\":\"write\",\"set\":\"0x1\",\"binding\":1,\"element\":1,"
                           "\"type\":9,\"to\":["
                           "[\"0x10\",16,100],[\"0x20\",32],[\"0x30\",48,300]]}\n"
                           "{\"k\":\"copy\",\"set\":\"0x2\",\"binding\":1,\"element\":1,"
                           "\"from\":\"0x1\","
                           "\"from_binding\":1,\"from_element\":1,\"count\":2}\n"
                           "{\"k\":\"write\",\"set\":\"0x4\",\"binding\":6,\"element\":0,"
                           "\"type\":7,\"to\":["
                           "[\"0x10\",0]]}\n" SET(
                               "0x4") "{\"k\":\"submit\",\"n\":0,\"family\":0,\"index\":0,"
                                      "\"dispatches\":[{\"cmd\":\"0x1\","
                                      "\"pipeline\":\"0x1\",\"grid\":[1,1,1],\"labels\":[],"
                                      "\"sets\":[\"0x1\",\"0x2\",\"push\","
                                      "\"0x4\"],\"offsets\":[[1,2,3,4],[4,8,12,16]],\"push\":\"\","
                                      "\"pushed\":[{\"set\":2,\"binding\":6,"
                                      "\"element\":0,\"type\":7,\"to\":[[\"0x30\",64]]}]}]}\n"
                                      "{\"k\":\"write\",\"set\":\"0x2\",\"binding\":1,"
                                      "\"element\":1,\"type\":7,\"to\":["
                                      "[\"0x30\",0]]}\n";

static void check_written(void)
{
    static const struct lull_names_descriptor want[] = {
        {.set = 0, .binding = 1, .element = 1, .offset = 16 + 2, .range = 100},
        {.set = 0, .binding = 4, .element = 0, .offset = 32 + 3, .range = 1000 - 35},
        {.set = 0, .binding = 4, .element = 1, .offset = 48 + 4, .range = 300},
        {.set = 1, .binding = 1, .element = 1, .offset = 16 + 8, .range = 100},
        {.set = 1, .binding = 4, .element = 0, .offset = 32 + 12, .range = 1000 - 44},
        {.set = 2, .binding = 6, .element = 0, .offset = 64, .range = 1000 - 64},
    };
    static const uint64_t buffers[] = {0x10, 0x20, 0x30, 0x10, 0x20, 0x30};
    enum { ROOM = 16 };
    struct lull_names_descriptor got[ROOM];
    append(3002, written);
    struct lull_names *n = open_names(3002);
    update(n);
    test_case(lull_names_ncomplaints(n) == 0 && lull_names_ndispatches(n) == 1, "descriptors",
              "%zu complaints: %s", lull_names_ncomplaints(n),
              lull_names_ncomplaints(n) != 0 ? lull_names_complaint_at(n, 0)->text : "");
    const size_t count = lull_names_ndispatches(n) != 0
                             ? lull_names_descriptors(lull_names_dispatch_at(n, 0), got, ROOM)
                             : 0;
    test_case(count == TEST_ROWS(want), "as many as were written", "%zu", count);
    for (size_t i = 0; i < TEST_ROWS(want); i++) {
        size_t k = 0;
        while (k < count && (got[k].set != want[i].set || got[k].binding != want[i].binding ||
                             got[k].element != want[i].element)) {
            k++;
        }
        test_case(k < count && got[k].object != NULL && got[k].object->handle == buffers[i] &&
                      got[k].offset == want[i].offset && got[k].range == want[i].range,
                  "a descriptor", "row %zu: offset %llu, range %llu", i,
                  (unsigned long long)(k < count ? got[k].offset : 0),
                  (unsigned long long)(k < count ? got[k].range : 0));
    }
    test_case(lull_names_nobjects(n) == 3 &&
                  lull_names_object_at(n, 1)->place == 0xffff800000001000 &&
                  lull_names_object_at(n, 1)->address == 0,
              "where a buffer is", "not there");
    lull_names_free(n);
}

/* An image of three layers, a view of the second on; in an older file nothing is said of views. */
static const char seen[] =
    "{\"k\":\"image\",\"image\":\"0x50\",\"type\":1,\"format\":98,\"extent\":[8,8,1],"
    "\"mips\":3,\"layers\":3,\"samples\":1,\"tiling\":0,\"usage\":8}\n"
    "{\"k\":\"place\",\"image\":\"0x50\",\"address\":\"0x10000\",\"size\":8192}\n"
    "{\"k\":\"set_layout\",\"set_layout\":\"0x9\",\"flags\":0,\"bindings\":[" BINDING(
        "0", "3", "2") "]}\n" SET("0x1") "{\"k\":\"write\",\"set\":\"0x1\",\"binding\":0,"
                                         "\"element\":0,\"type\":3,\"to\":[[\"0x50\",2,1],"
                                         "[\"0x50\",0]]}\n"
                                         "{\"k\":\"submit\",\"n\":0,\"family\":0,\"index\":0,"
                                         "\"dispatches\":[{\"cmd\":\"0x1\",\"pipeline\":\"0x1\","
                                         "\"grid\":[1,1,1],\"labels\":[],\"sets\":[\"0x1\"],"
                                         "\"push\":\"\"}]}\n";

static void check_images(void)
{
    enum { ROOM = 4 };
    struct lull_names_descriptor got[ROOM] = {{0}};
    append(3004, seen);
    struct lull_names *n = open_names(3004);
    update(n);
    const size_t count = lull_names_ndispatches(n) != 0
                             ? lull_names_descriptors(lull_names_dispatch_at(n, 0), got, ROOM)
                             : 0;
    const struct lull_names_object *o =
        lull_names_nobjects(n) != 0 ? lull_names_object_at(n, 0) : NULL;
    test_case(o != NULL && o->place == 0x10000 && o->place_bytes == 8192, "where an image is",
              "not there");
    test_case(count == 2, "descriptors of an image", "%zu", count);
    for (size_t i = 0; i < count; i++) {
        const bool first = got[i].element == 0;
        test_case(got[i].object == o && got[i].offset == 0 && got[i].level == (first ? 2 : 0) &&
                      got[i].layer == (first ? 1 : 0),
                  "a view", "level %u, layer %u, offset %llu", got[i].level, got[i].layer,
                  (unsigned long long)got[i].offset);
    }
    lull_names_free(n);
}

static void check_draws(void)
{
    enum { DRAWS = 4 };
    static const struct lull_names_hw hw[DRAWS] = {{.grid = {36, 2, 1}, .code = 7},
                                                   {.grid = {3, 1, 1}, .code = 9},
                                                   {.grid = {36, 2, 2}, .code = 7},
                                                   {.grid = {5, 1, 1}, .code = 7}};
    static const int want[DRAWS] = {0, NONE, 1, 2};
    append(3000, drawn);
    struct lull_names *n = open_names(3000);
    update(n);
    struct lull_names_matched got[DRAWS] = {0};
    struct lull_error *err = lull_names_match_draws(n, hw, DRAWS, got);
    test_case(err == NULL && lull_names_ndraws(n) == 3 && lull_names_ndispatches(n) == 0, "draws",
              "%zu of 3", lull_names_ndraws(n));
    for (size_t i = 0; i < DRAWS; i++) {
        int at = got[i].record != NULL ? (int)got[i].record->number : NONE;
        test_case(at == want[i], "draws", "draw %zu is record %d, want %d", i, at, want[i]);
    }
    const struct lull_names_dispatch *d = got[0].record;
    const struct lull_names_pipeline *p = d != NULL ? d->pipeline : NULL;
    test_case(d != NULL && d->nlabels == 2 && strcmp(d->labels[1], "b") == 0, "labels of a draw",
              "not b");
    test_case(p != NULL && strcmp(p->name, "glass") == 0 && p->nstages == 1 &&
                  p->stages[0].shader != NULL && strcmp(p->stages[0].entry, "vertices") == 0,
              "stages of a graphics pipeline", "%s", p != NULL ? p->name : "none");
    test_case(p != NULL && p->nattributes == 1 && p->attributes[0].location == 3 &&
                  p->attributes[0].format == 106 && p->attributes[0].stride == 32,
              "attributes of a graphics pipeline", "they differ");
    struct lull_names_descriptor of[2] = {{0}};
    test_case(got[2].record != NULL && lull_names_descriptors(got[2].record, of, 2) == 1 &&
                  of[0].set == 1 && of[0].binding == 5 && of[0].element == 2 &&
                  of[0].offset == 16 && of[0].object != NULL && of[0].object->handle == 0x70,
              "descriptors of a draw", "set %u binding %u", of[0].set, of[0].binding);
    test_case(d != NULL && lull_names_descriptors(d, of, 2) == 0, "... of an older file",
              "some are there");
    lull_error_free(err);
    lull_names_free(n);
}

#define DISPATCH(more)                                                                             \
    "{\"cmd\":\"0x1\",\"pipeline\":\"0x0\",\"grid\":[1,1,1],\"labels\":[],\"sets\":[],\"push\":"   \
    "\"\"" more "}"
#define SUBMIT(queue, list, more)                                                                  \
    "{\"k\":\"submit\",\"n\":0,\"queue\":\"0x1\",\"family\":0,\"index\":" queue                    \
    ",\"dispatches\":[" list "]" more "}\n"
#define LATER ",\"waits\":false"

#define TIMELINE(value) "{\"k\":\"semaphore\",\"semaphore\":\"0x5\",\"value\":" value "}\n"
#define SIGNALS(value)                                                                             \
    ",\"waits\":false,\"sync\":[{\"at\":0,\"end\":1,\"waits\":[],\"signals\":[[\"0x5\"," value     \
    ",65536]]}]"
#define EMPTY(value)                                                                               \
    ",\"waits\":false,\"sync\":[{\"at\":0,\"end\":0,\"waits\":[],\"signals\":[[\"0x5\"," value     \
    ",65536]]}]"
#define WAITS(value, stages)                                                                       \
    ",\"waits\":true,\"sync\":[{\"at\":0,\"end\":1,\"waits\":[[\"0x5\"," value "," stages          \
    "]],\"signals\":[[\"0x5\",9,65536]]}]"

// Numbers of stages: 1 top, 2 indirect, 0x80 fragment, 0x800 compute, 0x1000 transfer, 0x2000
// bottom, 0x4000 host, 0x10000 all commands; of accesses: 0x20 and 0x40 the shader reads and
// writes, 0x1000 a transfer writes, 0x10000 anything writes. Source: vulkan_core.h.
static const struct {
    const char *name, *text;
    enum lull_names_order want;
} orders[] = {
    {"nothing between", SUBMIT("0", DISPATCH("") "," DISPATCH(""), LATER), LULL_NAMES_UNORDERED},
    {"an older file", SUBMIT("0", DISPATCH("") "," DISPATCH(""), ""), LULL_NAMES_ORDERED},
    {"compute to compute",
     SUBMIT("0", DISPATCH("") "," DISPATCH(",\"after\":[[2048,64,2048,32]]"), LATER),
     LULL_NAMES_ORDERED},
    {"in front of both",
     SUBMIT("0", DISPATCH(",\"after\":[[2048,64,2048,32]]") "," DISPATCH(""), LATER),
     LULL_NAMES_UNORDERED},
    {"all commands",
     SUBMIT("0", DISPATCH("") "," DISPATCH(",\"after\":[[65536,65536,65536,32768]]"), LATER),
     LULL_NAMES_ORDERED},
    {"execution alone",
     SUBMIT("0", DISPATCH("") "," DISPATCH(",\"after\":[[2048,0,2048,0]]"), LATER),
     LULL_NAMES_NO_MEMORY},
    {"made available, but not visible",
     SUBMIT("0", DISPATCH("") "," DISPATCH(",\"after\":[[2048,64,2048,0]]"), LATER),
     LULL_NAMES_NO_MEMORY},
    {"for another access",
     SUBMIT("0", DISPATCH("") "," DISPATCH(",\"after\":[[2048,32,2048,32]]"), LATER),
     LULL_NAMES_ACCESSES},
    {"from transfer",
     SUBMIT("0", DISPATCH("") "," DISPATCH(",\"after\":[[4096,4096,2048,32]]"), LATER),
     LULL_NAMES_UNORDERED},
    {"to transfer",
     SUBMIT("0", DISPATCH("") "," DISPATCH(",\"after\":[[2048,64,4096,2048]]"), LATER),
     LULL_NAMES_UNORDERED},
    {"a chain over transfer",
     SUBMIT("0", DISPATCH("") "," DISPATCH(",\"after\":[[2048,64,4096,2048],[4096,0,2048,32]]"),
            LATER),
     LULL_NAMES_ORDERED},
    {"a chain turned round",
     SUBMIT("0", DISPATCH("") "," DISPATCH(",\"after\":[[4096,0,2048,32],[2048,64,4096,2048]]"),
            LATER),
     LULL_NAMES_UNORDERED},
    {"a chain of other stages",
     SUBMIT("0", DISPATCH("") "," DISPATCH(",\"after\":[[2048,64,16384,8192],[4096,0,2048,32]]"),
            LATER),
     LULL_NAMES_UNORDERED},
    {"from the top: behind nothing",
     SUBMIT("0", DISPATCH("") "," DISPATCH(",\"after\":[[1,0,2048,32]]"), LATER),
     LULL_NAMES_UNORDERED},
    {"to the bottom: in front of nothing",
     SUBMIT("0", DISPATCH("") "," DISPATCH(",\"after\":[[2048,64,8192,0]]"), LATER),
     LULL_NAMES_UNORDERED},
    {"behind the last of another submission",
     SUBMIT("0", DISPATCH(""), ",\"end\":[[2048,64,2048,32]]" LATER)
         SUBMIT("0", DISPATCH(""), LATER),
     LULL_NAMES_ORDERED},
    {"two submissions", SUBMIT("0", DISPATCH(""), LATER) SUBMIT("0", DISPATCH(""), LATER),
     LULL_NAMES_UNORDERED},
    {"a semaphore", SUBMIT("0", DISPATCH(""), LATER) SUBMIT("1", DISPATCH(""), ",\"waits\":true"),
     LULL_NAMES_ORDERED},
    {"a wait of the host",
     SUBMIT("0", DISPATCH(""), LATER) "{\"k\":\"wait\"}\n" SUBMIT("0", DISPATCH(""), LATER),
     LULL_NAMES_ORDERED},
    {"a timeline semaphore",
     TIMELINE("0") SUBMIT("0", DISPATCH(""), SIGNALS("2"))
         SUBMIT("1", DISPATCH(""), WAITS("2", "2048")),
     LULL_NAMES_ORDERED},
    {"a value that is less, but signals nothing else",
     TIMELINE("0") SUBMIT("0", DISPATCH(""), SIGNALS("2"))
         SUBMIT("1", DISPATCH(""), WAITS("1", "2048")),
     LULL_NAMES_ORDERED},
    {"the value behind the first, and one in front of it",
     TIMELINE("0") SUBMIT("0", "", EMPTY("1")) SUBMIT("0", DISPATCH(""), SIGNALS("2"))
         SUBMIT("1", DISPATCH(""), WAITS("2", "2048")),
     LULL_NAMES_ORDERED},
    {"a value that was there at first",
     TIMELINE("1") SUBMIT("0", DISPATCH(""), SIGNALS("2"))
         SUBMIT("1", DISPATCH(""), WAITS("1", "2048")),
     LULL_NAMES_LOW},
    {"a value that is signalled before",
     TIMELINE("0") SUBMIT("0", "", EMPTY("1")) SUBMIT("0", DISPATCH(""), SIGNALS("2"))
         SUBMIT("0", DISPATCH(""), WAITS("1", "2048")),
     LULL_NAMES_LOW},
    {"a value that the host may signal",
     TIMELINE("0") SUBMIT("0", "", EMPTY("1")) SUBMIT(
         "0", DISPATCH(""),
         SIGNALS("2")) "{\"k\":\"signal\",\"semaphore\":\"0x5\",\"value\":3}\n" SUBMIT("0",
                                                                                       DISPATCH(""),
                                                                                       WAITS(
                                                                                           "1",
                                                                                           "2048")),
     LULL_NAMES_ORDERED},
    {"a value that nothing known signals",
     TIMELINE("0") SUBMIT("0", DISPATCH(""), LATER) SUBMIT("1", DISPATCH(""), WAITS("1", "2048")),
     LULL_NAMES_ORDERED},
    {"a wait in another stage",
     TIMELINE("0") SUBMIT("0", DISPATCH(""), SIGNALS("1"))
         SUBMIT("0", DISPATCH(""), WAITS("1", "4096")),
     LULL_NAMES_UNORDERED},
    {"a wait in another stage, and a barrier from that",
     TIMELINE("0") SUBMIT("0", DISPATCH(""), SIGNALS("1"))
         SUBMIT("0", DISPATCH(",\"after\":[[4096,4096,2048,32]]"), WAITS("1", "4096")),
     LULL_NAMES_ORDERED},
    {"a semaphore behind another",
     TIMELINE("0") SUBMIT("0", DISPATCH(""), SIGNALS("1"))
         SUBMIT("2", "",
                ",\"waits\":true,\"sync\":[{\"at\":0,\"end\":0,\"waits\":[[\"0x5\",1,4096]],"
                "\"signals\":[[\"0x5\",2,65536]]}]") SUBMIT("1", DISPATCH(""), WAITS("2", "2048")),
     LULL_NAMES_ORDERED},
    {"signalled in front of the first on its queue",
     TIMELINE("0") SUBMIT("0", "", EMPTY("1")) SUBMIT("0", DISPATCH(""), LATER)
         SUBMIT("1", DISPATCH(""), WAITS("1", "2048")),
     LULL_NAMES_QUEUES},
    {"two queues", SUBMIT("0", DISPATCH(""), LATER) SUBMIT("1", DISPATCH(""), LATER),
     LULL_NAMES_QUEUES},
};

// Buffer 0x20 of 4096 bytes at 0x10000, and 0x21 behind it; 0x22 has no place. Image 0x30 is in
// memory behind both, 0x31 in front.
#define HELD(k, handle, offset)                                                                    \
    "{\"k\":\"bind\",\"" k "\":\"" handle "\",\"memory\":\"0x9\",\"offset\":" offset "}\n"
#define PLACED(handle, offset)                                                                     \
    "{\"k\":\"buffer\",\"buffer\":\"" handle                                                       \
    "\",\"size\":4096,\"usage\":32}\n" HELD("buffer", handle, offset)
#define IMAGE(handle, offset)                                                                      \
    "{\"k\":\"image\",\"image\":\"" handle                                                         \
    "\",\"type\":1,\"format\":37,\"extent\":[8,8,1],\"mips\":1,"                                   \
    "\"layers\":1,\"samples\":1,\"tiling\":0,\"usage\":8}\n" HELD("image", handle, offset)
#define PLACE(handle, address)                                                                     \
    "{\"k\":\"place\",\"buffer\":\"" handle "\",\"address\":\"" address "\"}\n"
static const char objects[] =
    "{\"k\":\"memory\",\"memory\":\"0x9\",\"size\":65536,\"type\":0}\n" PLACED("0x20", "4096")
        PLACED("0x21", "8192") PLACED("0x22", "16384") IMAGE("0x30", "12288") IMAGE("0x31", "0")
            PLACE("0x20", "0x10000") PLACE("0x21", "0x11000");

static const struct {
    const char *name, *barriers;
    struct lull_names_access what;
    enum lull_names_order want;
} parts[] = {
    {"to reads, stored", "[2048,64,2048,32]", {LULL_NAMES_WRITE, 0x10000}, LULL_NAMES_ORDERED},
    {"to writes, stored", "[2048,64,2048,64]", {LULL_NAMES_WRITE, 0x10000}, LULL_NAMES_ORDERED},
    {"to writes, loaded", "[2048,64,2048,64]", {LULL_NAMES_READ, 0x10000}, LULL_NAMES_ACCESSES},
    {"from reads, stored behind a load",
     "[2048,32,2048,32]",
     {LULL_NAMES_AFTER, 0x10000},
     LULL_NAMES_ORDERED},
    {"all commands, of transfers",
     "[65536,4096,65536,2048]",
     {LULL_NAMES_READ, 0x10000},
     LULL_NAMES_ACCESSES},
    {"to the indirect stage alone", "[2048,64,2,1]", {LULL_NAMES_READ, 0}, LULL_NAMES_ACCESSES},
    {"a buffer's bytes, the first",
     "[2048,64,2048,32,{\"buffer\":\"0x20\",\"offset\":16,\"size\":16}]",
     {LULL_NAMES_READ, 0x10010},
     LULL_NAMES_ORDERED},
    {"a buffer's bytes, the last",
     "[2048,64,2048,32,{\"buffer\":\"0x20\",\"offset\":16,\"size\":16}]",
     {LULL_NAMES_READ, 0x1001f},
     LULL_NAMES_ORDERED},
    {"in front of a buffer's bytes",
     "[2048,64,2048,32,{\"buffer\":\"0x20\",\"offset\":16,\"size\":16}]",
     {LULL_NAMES_READ, 0x1000f},
     LULL_NAMES_ELSEWHERE},
    {"behind a buffer's bytes",
     "[2048,64,2048,32,{\"buffer\":\"0x20\",\"offset\":16,\"size\":16}]",
     {LULL_NAMES_READ, 0x10020},
     LULL_NAMES_ELSEWHERE},
    {"behind a buffer's end",
     "[2048,64,2048,32,{\"buffer\":\"0x20\",\"offset\":16}]",
     {LULL_NAMES_READ, 0x11000},
     LULL_NAMES_ELSEWHERE},
    {"to a buffer's end",
     "[2048,64,2048,32,{\"buffer\":\"0x20\",\"offset\":16}]",
     {LULL_NAMES_READ, 0x10fff},
     LULL_NAMES_ORDERED},
    {"two halves",
     "[2048,64,2048,32,{\"buffer\":\"0x20\",\"offset\":0,\"size\":16}],"
     "[2048,64,2048,32,{\"buffer\":\"0x20\",\"offset\":16}]",
     {LULL_NAMES_READ, 0x10020},
     LULL_NAMES_ORDERED},
    {"other bytes, stored behind a load",
     "[2048,64,2048,32,{\"buffer\":\"0x20\",\"offset\":16,\"size\":16}]",
     {LULL_NAMES_AFTER, 0x10020},
     LULL_NAMES_ORDERED},
    {"a byte that is not known",
     "[2048,64,2048,32,{\"buffer\":\"0x20\",\"offset\":16,\"size\":16}]",
     {LULL_NAMES_READ, 0},
     LULL_NAMES_ORDERED},
    {"a buffer whose place is not known",
     "[2048,64,2048,32,{\"buffer\":\"0x22\",\"offset\":0}]",
     {LULL_NAMES_READ, 0x10020},
     LULL_NAMES_ORDERED},
    {"a buffer that is not known",
     "[2048,64,2048,32,{\"buffer\":\"0x23\",\"offset\":0}]",
     {LULL_NAMES_READ, 0x10020},
     LULL_NAMES_ORDERED},
    {"an image behind it in memory",
     "[2048,64,2048,32,{\"image\":\"0x30\"}]",
     {LULL_NAMES_READ, 0x10020},
     LULL_NAMES_ELSEWHERE},
    {"an image that may be in the same memory",
     "[2048,64,2048,32,{\"image\":\"0x31\"}]",
     {LULL_NAMES_READ, 0x10020},
     LULL_NAMES_ORDERED},
    {"an event behind the first",
     "{\"set\":\"0x7\",\"stages\":2048},[2048,64,2048,32,{\"events\":[\"0x7\"]}]",
     {LULL_NAMES_READ, 0},
     LULL_NAMES_ORDERED},
    {"an event of another stage",
     "{\"set\":\"0x7\",\"stages\":4096},[2048,64,2048,32,{\"events\":[\"0x7\"]}]",
     {LULL_NAMES_READ, 0},
     LULL_NAMES_UNORDERED},
    {"an event that nothing is known of",
     "[2048,64,2048,32,{\"events\":[\"0x7\"]}]",
     {LULL_NAMES_READ, 0},
     LULL_NAMES_ORDERED},
    {"an event in front of the first",
     "[2048,64,2048,32,{\"events\":[\"0x8\"]}]",
     {LULL_NAMES_READ, 0},
     LULL_NAMES_EARLY},
    {"two events, one behind the first",
     "{\"set\":\"0x7\",\"stages\":2048},[2048,64,2048,32,{\"events\":[\"0x7\",\"0x8\"]}]",
     {LULL_NAMES_READ, 0},
     LULL_NAMES_ORDERED},
    {"an event that is reset",
     "{\"reset\":\"0x8\"},[2048,64,2048,32,{\"events\":[\"0x8\"]}]",
     {LULL_NAMES_READ, 0},
     LULL_NAMES_ORDERED},
    {"an event that the host has set, too",
     "[2048,64,2048,32,{\"events\":[\"0x9\"]}]",
     {LULL_NAMES_READ, 0},
     LULL_NAMES_ORDERED},
    {"an image, and no buffer is there",
     "[2048,64,2048,32,{\"image\":\"0x30\"}]",
     {LULL_NAMES_READ, 0x30000},
     LULL_NAMES_ORDERED},
};

static void check_order(unsigned pid, const char *name, enum lull_names_order want,
                        const struct lull_names_access *what)
{
    struct lull_names *n = open_names(pid);
    update(n);
    const bool both = lull_names_ndispatches(n) == 2 && lull_names_ncomplaints(n) == 0;
    const enum lull_names_order got =
        both ? lull_names_order(n, lull_names_dispatch_at(n, 0), lull_names_dispatch_at(n, 1), what)
             : LULL_NAMES_ORDERED;
    test_case(both && got == want, name, "got %d, want %d; %zu dispatches", (int)got, (int)want,
              lull_names_ndispatches(n));
    lull_names_free(n);
}

// In front of both dispatches.
static const char events[] =
    SUBMIT("0", "",
           ",\"end\":[{\"set\":\"0x8\",\"stages\":2048},{\"set\":\"0x9\",\"stages\":"
           "2048}]" LATER) "{\"k\":\"event\",\"event\":\"0x9\"}\n";

static void check_orders(void)
{
    static const struct lull_names_access any = {LULL_NAMES_READ, 0};
    for (size_t i = 0; i < TEST_ROWS(orders); i++) {
        append(500 + (unsigned)i, orders[i].text);
        check_order(500 + (unsigned)i, orders[i].name, orders[i].want, &any);
    }
    for (size_t i = 0; i < TEST_ROWS(parts); i++) {
        char text[1024] = "";
        snprintf(text, sizeof text,
                 SUBMIT("0", DISPATCH("") "," DISPATCH(",\"after\":[%s]"), LATER),
                 parts[i].barriers);
        append(600 + (unsigned)i, objects);
        append(600 + (unsigned)i, events);
        append(600 + (unsigned)i, text);
        check_order(600 + (unsigned)i, parts[i].name, parts[i].want, &parts[i].what);
    }
}

int main(void)
{
    if (mkdtemp(dir) == NULL) {
        printf("Bail out! no temporary directory\n");
        return 1;
    }
    check_bad();
    check_growing();
    check_draws();
    check_stacks();
    check_written();
    check_images();
    for (size_t i = 0; i < TEST_ROWS(matches); i++) {
        check_match(i);
    }
    check_orders();
    char command[64] = "";
    snprintf(command, sizeof command, "rm -r %s", dir);
    return system(command) == 0 ? test_end() : 1;
}
