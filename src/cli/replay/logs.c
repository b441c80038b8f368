// SPDX-License-Identifier: MIT
#include "cli/replay/logs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cur.h"
#include "base/output.h"

enum { LINE = 8 };

static const uint32_t filled = 0xdeadbeef;

struct lull_error *lull_replay_logs_clear(struct lull_rp_submit *s)
{
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && i < s->nlogs; i++) {
        const struct lull_rp_log *l = &s->logs[i];
        const struct lull_rp_buffer *in =
            l->clear && l->size != 0 ? lull_rp_buffer_at(s, l->address) : NULL;
        if (in == NULL || l->size > in->size - (l->address - in->address)) {
            continue;
        }
        const uint32_t size = (uint32_t)l->size, value = filled;
        uint8_t *bytes = malloc(size);
        for (uint32_t at = 0; bytes != NULL && at < size; at += 4) {
            memcpy(bytes + at, &value, size - at < 4 ? size - at : 4);
        }
        const struct lull_rp_buffer b = {
            .address = l->address, .size = size, .held = size, .data = bytes};
        err = bytes != NULL ? lull_rp_submit_add(s, &b) : &lull_enomem;
        free(bytes);
    }
    return err;
}

/** What was written to a log, behind its first @p head bytes. */
static struct lull_cur written(const struct lull_rp_device *d, const struct lull_rp_log *l,
                               uint64_t head)
{
    uint64_t left = 0;
    const uint8_t *at = lull_rp_device_memory(d, l->address, &left);
    const uint64_t size = left < l->size ? left : l->size;
    struct lull_cur c = lull_cur_of(at, at != NULL ? size : 0);
    const uint64_t end = lull_cur_u64(&c) - l->address;
    return size < head || end < head ? lull_cur_of(NULL, 0)
                                     : lull_cur_of(at + head, (end < size ? end : size) - head);
}

/** Dwords of one entry, or of a log. */
static void dwords(struct lull_cur c, uint64_t bytes, struct lull_str *out, struct lull_json *j)
{
    for (uint64_t i = 0; i < bytes / 4 && lull_cur_left(&c) >= 4; i++) {
        const uint32_t v = lull_cur_u32(&c);
        float f = 0;
        memcpy(&f, &v, sizeof f);
        if (j != NULL) {
            lull_json_u64(j, v);
        } else {
            lull_str_addf(out, "%s0x%08" PRIx32 " %g",
                          i == 0          ? ""
                          : i % LINE == 0 ? "\n        "
                                          : "  ",
                          v, (double)f);
        }
    }
}

static void show(const struct lull_rp_device *d, const struct lull_rp_log *l, struct lull_str *out,
                 struct lull_json *j)
{
    enum { CP_HEAD = 16, SHADER_HEAD = 8 };
    const bool cp = l->kind == LULL_RP_LOG_CP;
    struct lull_cur c = written(d, l, cp ? CP_HEAD : SHADER_HEAD);
    if (j != NULL) {
        lull_json_key(j, cp ? "cp_log" : "shader_log");
        lull_json_open(j, '[');
    }
    for (uint64_t i = 0; lull_cur_left(&c) >= (cp ? 8 : 4); i++) {
        const uint64_t size = cp ? lull_cur_u64(&c) : 4;
        const uint64_t bytes = size < lull_cur_left(&c) ? size : lull_cur_left(&c);
        if (j != NULL && cp) {
            lull_json_open(j, '[');
        } else if (j == NULL) {
            lull_str_addf(out, "  %s [%" PRIu64 "] ", cp ? "cp log" : "shader log", i);
        }
        dwords(c, bytes, out, j);
        (void)lull_cur_take(&c, bytes);
        if (j != NULL && cp) {
            lull_json_close(j, ']');
        } else if (j == NULL) {
            lull_str_addf(out, "\n");
        }
    }
    if (j != NULL) {
        lull_json_close(j, ']');
    }
}

void lull_replay_logs_text(const struct lull_rp_device *d, const struct lull_rp_submit *s,
                           struct lull_str *out)
{
    for (size_t i = 0; i < s->nlogs; i++) {
        if (s->logs[i].kind != LULL_RP_LOG_FILE) {
            show(d, &s->logs[i], out, NULL);
        }
    }
}

void lull_replay_logs_json(const struct lull_rp_device *d, const struct lull_rp_submit *s,
                           struct lull_json *j)
{
    for (size_t i = 0; i < s->nlogs; i++) {
        if (s->logs[i].kind != LULL_RP_LOG_FILE) {
            show(d, &s->logs[i], NULL, j);
        }
    }
}

struct lull_error *lull_replay_logs_files(const struct lull_rp_device *d,
                                          const struct lull_rp_submit *s, const char *dir)
{
    struct lull_error *err = NULL;
    if (mkdir(dir, 0777) != 0 && errno != EEXIST) {
        return lull_error_os(errno, "%s", dir);
    }
    for (size_t i = 0; err == NULL && i < s->nlogs; i++) {
        const struct lull_rp_log *l = &s->logs[i];
        struct lull_str path = {0};
        uint64_t left = 0;
        if (l->kind != LULL_RP_LOG_FILE) {
            continue;
        }
        const uint8_t *at = lull_rp_device_memory(d, l->address, &left);
        if (l->name[0] == '\0' || l->name[0] == '.' || strchr(l->name, '/') != NULL) {
            return lull_error_new(LULL_ERR_BAD_DATA, "WRBUFFER: '%s' is not the name of a file",
                                  l->name);
        }
        if (at == NULL || left < l->size) {
            return lull_error_new(LULL_ERR_BAD_DATA,
                                  "WRBUFFER '%s': %" PRIu64 " bytes at 0x%" PRIx64
                                  " are in no buffer",
                                  l->name, l->size, l->address);
        }
        lull_str_addf(&path, "%s/%s", dir, l->name);
        err = path.err != NULL ? &lull_enomem : lull_output_write(path.text, at, l->size);
        lull_str_free(&path);
    }
    return err;
}
