// SPDX-License-Identifier: MIT
// A VSIX is a ZIP archive whose extension/package.json says what VS Code shows and starts. Sources:
// PKWARE's APPNOTE.TXT 6.3.10, sections 4.3.7, 4.3.12, 4.3.16 (headers); VS Code's "Contribution
// Points" (languages, breakpoints, debuggers).
#include "cli/run/vsix.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/cleanup.h"
#include "base/output.h"
#include "base/str.h"

#define NAME "extension/package.json"

enum { LOCAL = 0x04034b50, CENTRAL = 0x02014b50, END = 0x06054b50, VERSION = 20 };
enum { FIRST_DAY = 1 << 5 | 1 }; ///< 1980-01-01, so that the file is the same each time.

/** Properties that `launch` and `attach` have, with what VS Code says of them. */
#define LIST "\"type\": \"array\", \"items\": {\"type\": \"string\"}"

static const char package[] =
    "{\"name\": \"lull\", \"displayName\": \"lull\", \"publisher\": \"local\","
    " \"version\": \"0.1.0\", \"description\": \"Debugs shaders and kernels by lull dap\","
    " \"engines\": {\"vscode\": \"^1.70.0\"}, \"categories\": [\"Debuggers\"],"
    " \"contributes\": {"
    "\"languages\": ["
    "{\"id\": \"opencl\", \"aliases\": [\"OpenCL C\"], \"extensions\": [\".cl\"]},"
    "{\"id\": \"glsl\", \"aliases\": [\"GLSL\"], \"extensions\": [\".comp\", \".vert\", \".frag\","
    " \".tesc\", \".tese\", \".geom\", \".mesh\", \".task\", \".glsl\"]},"
    "{\"id\": \"asm\", \"aliases\": [\"Assembly\"], \"extensions\": [\".s\"]}],"
    "\"breakpoints\": [{\"language\": \"opencl\"}, {\"language\": \"glsl\"},"
    " {\"language\": \"asm\"}, {\"language\": \"c\"}, {\"language\": \"cpp\"},"
    " {\"language\": \"hlsl\"}],"
    "\"debuggers\": [{\"type\": \"lull\", \"label\": \"lull\", \"args\": [\"dap\"],"
    " \"languages\": [\"opencl\", \"glsl\"],"
    " \"configurationAttributes\": {\"launch\": {\"properties\": {"
    "\"kernel\": {\"type\": \"string\", \"description\": \"A kernel, as of lull debug\"},"
    "\"grid\": {\"type\": [\"array\", \"number\"], \"description\": \"Work-items of a kernel\"},"
    "\"block\": {\"type\": [\"array\", \"number\"], \"description\": \"Work-items of a group\"},"
    "\"args\": {" LIST ", \"description\": \"Arguments: of a kernel as behind --arg\"},"
    "\"program\": {\"type\": \"string\", \"description\": \"A program that uses Vulkan\"},"
    "\"capture\": {\"type\": \"string\", \"description\": \"A capture or dump of an Adreno\"},"
    "\"options\": {" LIST ", \"description\": \"More options of lull debug\"},"
    "\"cwd\": {\"type\": \"string\", \"description\": \"The directory to be in\"},"
    "\"stopOnEntry\": {\"type\": \"boolean\", \"description\": \"Stop a kernel at its start\"},"
    "\"progressAfter\": {\"type\": \"number\", \"description\": \"Milliseconds until a run is"
    " shown\"},"
    "\"commands\": {" LIST ", \"description\": \"Commands that are done first\"}}},"
    "\"attach\": {\"required\": [\"socket\"], \"properties\": {"
    "\"socket\": {\"type\": \"string\", \"description\": \"That of lull exec --socket\"},"
    "\"commands\": {" LIST ", \"description\": \"Commands that are done first\"}}}},"
    " \"initialConfigurations\": [{\"type\": \"lull\", \"request\": \"launch\","
    " \"name\": \"the kernel in this file\", \"kernel\": \"${file}\", \"grid\": [64],"
    " \"args\": [\"zeros:256:name=out\"], \"stopOnEntry\": true}]}]}}";

/** package.json, with the path of this program. */
LULL_MUST_USE static struct lull_error *make_package(char **ret)
{
    lull_cleanup(lull_freep) char *self = realpath("/proc/self/exe", NULL);
    if (self == NULL) {
        return lull_error_os(errno, "/proc/self/exe");
    }
    json_t *root = json_loads(package, 0, NULL);
    json_t *debuggers = json_object_get(json_object_get(root, "contributes"), "debuggers");
    json_t *path = json_string(self);
    if (path == NULL) {
        json_decref(root);
        return lull_error_new(LULL_ERR_UNSUPPORTED, "the path of lull is not UTF-8: '%s'", self);
    }
    const bool bad = json_object_set_new(json_array_get(debuggers, 0), "program", path) != 0;
    *ret = bad ? NULL : json_dumps(root, JSON_INDENT(1));
    json_decref(root);
    return *ret != NULL ? NULL : &lull_enomem;
}

static void put(struct lull_str *s, uint32_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        const char byte = (char)(value >> 8 * i);
        lull_str_add(s, &byte, 1);
    }
}

/** The fields that a header in front of a file has in common with the directory's. */
static void put_file(struct lull_str *s, uint32_t crc, uint32_t size)
{
    put(s, VERSION, 2);
    put(s, 0, 2); // flags
    put(s, 0, 2); // stored as it is
    put(s, 0, 2); // midnight
    put(s, FIRST_DAY, 2);
    put(s, crc, 4);
    put(s, size, 4);
    put(s, size, 4);
    put(s, sizeof NAME - 1, 2);
    put(s, 0, 2); // no extra field
}

static void make_zip(struct lull_str *s, const char *text)
{
    const uint32_t size = (uint32_t)strlen(text);
    const uint32_t crc = (uint32_t)crc32(0, (const Bytef *)text, size);
    put(s, LOCAL, 4);
    put_file(s, crc, size);
    lull_str_add(s, NAME, sizeof NAME - 1);
    lull_str_add(s, text, size);
    const uint32_t directory = (uint32_t)s->size;
    put(s, CENTRAL, 4);
    put(s, VERSION, 2); // made by
    put_file(s, crc, size);
    put(s, 0, 2); // no comment
    put(s, 0, 2); // the first disk
    put(s, 0, 2); // internal attributes
    put(s, 0, 4); // external ones
    put(s, 0, 4); // where its header is
    lull_str_add(s, NAME, sizeof NAME - 1);
    const uint32_t end = (uint32_t)s->size;
    put(s, END, 4);
    put(s, 0, 4); // disks
    put(s, 1, 2); // files on this one
    put(s, 1, 2); // and in all
    put(s, end - directory, 4);
    put(s, directory, 4);
    put(s, 0, 2); // no comment
}

struct lull_error *lull_vsix_write(const char *path)
{
    lull_cleanup(lull_freep) char *text = NULL;
    lull_cleanup(lull_str_free) struct lull_str zip = {0};
    struct lull_error *err = make_package(&text);
    if (err != NULL) {
        return err;
    }
    make_zip(&zip, text);
    return zip.err != NULL ? &lull_enomem : lull_output_write(path, lull_str_text(&zip), zip.size);
}
