// SPDX-License-Identifier: MIT
#include "cli/replay/look.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "cli/opt/manifests.h"
#include "cli/opt/opt.h"
#include "cli/replay/compare.h"

/** ADDR:SIZE=FILE. */
LULL_MUST_USE static struct lull_error *range(const char *option, const char *text,
                                              struct lull_replay_look *ret)
{
    char address[32] = "", size[32] = "";
    int n = 0;
    if (sscanf(text, "%31[^:=]:%31[^=]=%n", address, size, &n) != 2 || n == 0 || text[n] == '\0') {
        return lull_error_new(LULL_ERR_INVALID, "%s: '%s' is not ADDR:SIZE=FILE", option, text);
    }
    *ret = (struct lull_replay_look){.text = text, .file = text + n};
    struct lull_error *err = lull_opt_number(option, address, 0, UINT64_MAX, &ret->address);
    return err != NULL ? err : lull_opt_number(option, size, 1, UINT32_MAX, &ret->size);
}

struct lull_error *lull_replay_looks_dump(struct lull_replay_looks *l, const char *option,
                                          const char *text)
{
    if (l->ndumps == LULL_REPLAY_LOOKS) {
        return lull_error_new(LULL_ERR_INVALID, "%s: more than %d", option, LULL_REPLAY_LOOKS);
    }
    return range(option, text, &l->dumps[l->ndumps++]);
}

struct lull_error *lull_replay_looks_image(struct lull_replay_looks *l, const char *option,
                                           const char *text)
{
    if (l->nimages == LULL_REPLAY_LOOKS) {
        return lull_error_new(LULL_ERR_INVALID, "%s: more than %d", option, LULL_REPLAY_LOOKS);
    }
    struct lull_error *err = lull_replay_picture_parse(option, text, &l->images[l->nimages].picture,
                                                       &l->images[l->nimages].file);
    l->nimages += err == NULL;
    return err;
}

LULL_MUST_USE static struct lull_error *write_dump(const struct lull_replay_look *l,
                                                   const struct lull_replay *r)
{
    uint64_t left = 0;
    const uint8_t *at = lull_rp_device_memory(r->device, l->address, &left);
    if (at == NULL || left < l->size) {
        return lull_error_fault(l->address + left,
                                "--dump %s: nothing is at 0x%" PRIx64 " in the last submit",
                                l->text, l->address + left);
    }
    return lull_output_write(l->file, at, l->size);
}

/** What instrumented shaders have written, for each manifest of @p dir. */
LULL_MUST_USE static struct lull_error *write_records(const char *dir, const struct lull_replay *r)
{
    struct lull_manifests all = {0};
    struct lull_error *err = lull_manifests_read(dir, &all);
    for (size_t i = 0; err == NULL && i < all.n; i++) {
        const struct lull_manifest_file *f = &all.all[i];
        uint64_t left = 0;
        const uint8_t *at = lull_rp_device_memory(r->device, f->manifest.buffer, &left);
        if (at == NULL || left < f->manifest.bytes) {
            err = lull_error_fault(f->manifest.buffer,
                                   "--records: %s is of another capture: nothing is at 0x%" PRIx64
                                   " in the last submit",
                                   f->path, f->manifest.buffer);
        } else {
            err = lull_manifest_dump(f, at);
        }
    }
    lull_manifests_done(&all);
    return err;
}

struct lull_error *lull_replay_looks_write(const struct lull_replay_looks *l,
                                           const struct lull_replay *r)
{
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && i < l->ndumps; i++) {
        err = write_dump(&l->dumps[i], r);
    }
    for (size_t i = 0; err == NULL && i < l->nimages; i++) {
        err = lull_replay_picture_write(&l->images[i].picture, r, l->images[i].file);
    }
    if (err == NULL && l->targets_dir != NULL) {
        err = lull_replay_targets_write(&l->targets, r, l->targets_dir);
    }
    if (err == NULL && l->all_dir != NULL) {
        err = lull_replay_dump_all(r, l->all_dir);
    }
    if (err == NULL && l->records_dir != NULL) {
        err = write_records(l->records_dir, r);
    }
    return err;
}
