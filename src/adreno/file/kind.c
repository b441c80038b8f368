// SPDX-License-Identifier: MIT
#include "adreno/file/kind.h"

#include <stdbool.h>
#include <string.h>

#include "adreno/file/rd.h"
#include "base/cur.h"
#include "hw/rd_regs.h"

// What stands at the margin of a crash dump. Source: docs/formats/devcore.md.
static const char *const heads[] = {"kernel",
                                    "module",
                                    "time",
                                    "comm",
                                    "cmdline",
                                    "fault-info",
                                    "revision",
                                    "ringbuffer",
                                    "bos",
                                    "gmu-log",
                                    "gmu-hfi",
                                    "gmu-debug",
                                    "registers",
                                    "clusters",
                                    "debugbus",
                                    "registers-gmu",
                                    "registers-hlsq",
                                    "shader-blocks",
                                    "indexed-registers"};

static bool is_head(const uint8_t *line, size_t size)
{
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        const size_t n = strlen(heads[i]);
        if (size > n + 1 && memcmp(line, heads[i], n) == 0 && line[n] == ':' &&
            (line[n + 1] == ' ' || line[n + 1] == '\n')) {
            return true;
        }
    }
    return false;
}

static bool is_devcore(const uint8_t *data, size_t size)
{
    for (size_t at = 0; at < size;) {
        if (is_head(data + at, size - at)) {
            return true;
        }
        const uint8_t *end = memchr(data + at, '\n', size - at);
        at = end != NULL ? (size_t)(end - data) + 1 : size;
    }
    return false;
}

static bool is_rd(const uint8_t *data, size_t size)
{
    struct lull_cur c = lull_cur_of(data, size);
    const uint32_t type = lull_cur_u32(&c), bytes = lull_cur_u32(&c);
    return size >= 8 &&
           (type == LULL_RD_FILLER ? bytes == LULL_RD_FILLER
                                   : type != LULL_RD_NONE && lull_rd_type_name(type) != NULL);
}

enum lull_kind lull_kind_of(struct lull_stream *s)
{
    static const uint8_t elf[] = {0x7f, 'E', 'L', 'F'};
    const uint8_t *data = NULL;
    const size_t size = lull_stream_peek(s, &data);
    bool zeros = true, text = true;
    if (size == 0) {
        struct lull_error *err = lull_stream_error(s);
        lull_error_free(err);
        return err == NULL ? LULL_KIND_EMPTY : LULL_KIND_OTHER;
    }
    for (size_t i = 0; i < size; i++) {
        zeros = zeros && data[i] == 0;
        text = text && (data[i] >= ' ' || (data[i] >= '\t' && data[i] <= '\r') || data[i] == 0x1b);
    }
    return zeros                                                      ? LULL_KIND_ZEROS
           : is_rd(data, size)                                        ? LULL_KIND_RD
           : is_devcore(data, size)                                   ? LULL_KIND_DEVCORE
           : size >= sizeof elf && memcmp(data, elf, sizeof elf) == 0 ? LULL_KIND_ELF
           : text                                                     ? LULL_KIND_TEXT
                                                                      : LULL_KIND_OTHER;
}

static const char *name(enum lull_kind kind)
{
    static const char *const names[] = {
        [LULL_KIND_OTHER] = "nothing that lull knows",
        [LULL_KIND_EMPTY] = "empty",
        [LULL_KIND_ZEROS] = "nothing but zeros",
        [LULL_KIND_RD] = "an rd capture ('lull rd show' reads it)",
        [LULL_KIND_DEVCORE] = "a crash dump ('lull crash show' reads it)",
        [LULL_KIND_ELF] = "an ELF file",
        [LULL_KIND_TEXT] = "some other text",
    };
    return names[kind];
}

struct lull_error *lull_kind_want_rd(struct lull_stream *s)
{
    const enum lull_kind kind = lull_kind_of(s);
    return kind == LULL_KIND_RD || kind == LULL_KIND_OTHER
               ? NULL
               : lull_error_new(LULL_ERR_BAD_DATA, "byte 0: not an rd capture, but %s", name(kind));
}

struct lull_error *lull_kind_want_devcore(struct lull_stream *s)
{
    const enum lull_kind kind = lull_kind_of(s);
    if (kind == LULL_KIND_DEVCORE) {
        return NULL;
    }
    struct lull_error *err = kind == LULL_KIND_OTHER ? lull_stream_error(s) : NULL;
    return err != NULL
               ? err
               : lull_error_new(LULL_ERR_BAD_DATA, "line 1: not a crash dump, but %s", name(kind));
}
