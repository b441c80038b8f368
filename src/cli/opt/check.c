// SPDX-License-Identifier: MIT
#include "cli/opt/check.h"

#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "base/path.h"
#include "base/str.h"
#include "check/ir3/ir3.h"
#include "check/rdna/rdna.h"
#include "model/adreno/gpu.h"
#include "model/amd/gpu/gpu.h"
#include "vdrm/amdgpu/vdrm.h"
#include "vdrm/msm/vdrm.h"

struct lull_error *lull_check_start(struct lull_check *c, struct lull_kernel *k)
{
    if (!c->wanted) {
        return NULL;
    }
    struct lull_error *err = lull_hazards_new(
        c->adreno ? &lull_hazard_rules_ir3 : &lull_hazard_rules_rdna3, &c->hazards);
    if (err == NULL && c->adreno) {
        lull_agpu_observe(lull_vdm_gpu(k), lull_hazards_observer(c->hazards));
    } else if (err == NULL) {
        lull_gpu_observe(lull_vdrm_gpu(k), lull_hazards_observer(c->hazards));
    }
    return err;
}

static void add_place(const struct lull_check_code *code, uint64_t pc, struct lull_str *s)
{
    if (pc < code->va || pc - code->va >= code->size) {
        return;
    }
    const uint64_t offset = pc - code->va;
    if (code->image == NULL) {
        if (code->insn_bytes != 0) {
            lull_str_addf(s, "instruction %" PRIu64, offset / code->insn_bytes);
        }
        return;
    }
    const struct lull_symbol *symbol = lull_image_symbol_at(code->image, offset);
    struct lull_line line = {0};
    if (symbol != NULL) {
        lull_str_addf(s, "%s+0x%" PRIx64, symbol->name, offset - symbol->offset);
    }
    if (lull_image_line_at(code->image, offset, &line)) {
        lull_str_addf(s, "%s%s:%u", symbol != NULL ? " " : "", lull_path_from_here(line.file),
                      line.line);
    }
}

static void add_lanes(const struct lull_hazard *h, struct lull_str *s)
{
    if (h->lanes[1] != 0) {
        lull_str_addf(s, "0x%" PRIx64 "%016" PRIx64, h->lanes[1], h->lanes[0]);
    } else {
        lull_str_addf(s, "0x%" PRIx64, h->lanes[0]);
    }
}

static void add_text(const struct lull_hazards *all, const struct lull_hazard *h,
                     const struct lull_check_code *code, struct lull_str *s)
{
    lull_str_addf(s, "%s: 0x%" PRIx64 " ", lull_hazard_name(h->kind), h->pc);
    const size_t before = s->size;
    add_place(code, h->pc, s);
    lull_str_addf(s, "%s%s\n  ", s->size > before ? "  " : " ", h->insn != NULL ? h->insn : "");
    lull_hazard_text(all, h, s);
    lull_str_addf(s, "\n  %" PRIu64 " time%s, lanes ", h->count, h->count == 1 ? "" : "s");
    add_lanes(h, s);
    lull_str_addf(s, "; first in workgroup %u,%u,%u, ", h->group[0], h->group[1], h->group[2]);
    if (lull_hazards_numbered(all)) {
        lull_str_addf(s, "wave %u\n", h->place);
    } else {
        lull_str_addf(s, "HW_ID1 0x%08x, VMID %u\n", h->place, h->vmid);
    }
}

static void add_json(const struct lull_hazards *all, const struct lull_hazard *h,
                     const struct lull_check_code *code, struct lull_json *j)
{
    struct lull_str place = {0}, text = {0}, lanes = {0};
    add_lanes(h, &lanes);
    add_place(code, h->pc, &place);
    lull_hazard_text(all, h, &text);
    lull_json_open(j, '{');
    lull_json_put_str(j, "kind", lull_hazard_name(h->kind));
    lull_json_put_hex(j, "pc", h->pc);
    lull_json_put_str(j, "place", lull_str_text(&place));
    lull_json_put_str(j, "instruction", h->insn != NULL ? h->insn : "");
    lull_json_put_str(j, "text", lull_str_text(&text));
    lull_json_put_hex(j, "cause", h->cause);
    lull_json_put_u64(j, "count", h->count);
    lull_json_put_str(j, "lanes", lull_str_text(&lanes));
    lull_json_key(j, "workgroup");
    lull_json_open(j, '[');
    for (unsigned i = 0; i < 3; i++) {
        lull_json_u64(j, h->group[i]);
    }
    lull_json_close(j, ']');
    if (lull_hazards_numbered(all)) {
        lull_json_put_u64(j, "wave", h->place);
    } else {
        lull_json_put_hex(j, "hw_id1", h->place);
        lull_json_put_u64(j, "vmid", h->vmid);
    }
    lull_json_close(j, '}');
    lull_str_free(&place);
    lull_str_free(&text);
    lull_str_free(&lanes);
}

bool lull_check_report(const struct lull_check *c, const struct lull_check_code *code, bool json,
                       FILE *to)
{
    if (c->hazards == NULL) {
        return false;
    }
    const size_t n = lull_hazards_count(c->hazards);
    const uint64_t lost = lull_hazards_lost(c->hazards);
    struct lull_str s = {0};
    struct lull_json j = {.out = &s};
    if (json) {
        lull_json_open(&j, '{');
        lull_json_put_str(&j, "check", "hazards");
        lull_json_key(&j, "findings");
        lull_json_open(&j, '[');
    }
    for (size_t i = 0; i < n; i++) {
        const struct lull_hazard *h = lull_hazards_at(c->hazards, i);
        if (json) {
            add_json(c->hazards, h, code, &j);
        } else {
            add_text(c->hazards, h, code, &s);
        }
    }
    if (json) {
        lull_json_close(&j, ']');
        lull_json_put_u64(&j, "lost", lost);
        lull_json_close(&j, '}');
        lull_str_addf(&s, "\n");
    } else {
        lull_str_addf(&s, "hazards: %zu finding%s%s\n", n, n == 1 ? "" : "s",
                      lost != 0 ? ", and some that were lost" : "");
    }
    fputs(s.err != NULL ? "hazards: no memory to tell them\n" : lull_str_text(&s), to);
    const bool found = n > 0 || lost > 0 || s.err != NULL;
    lull_str_free(&s);
    return found;
}

void lull_check_done(struct lull_check *c)
{
    lull_hazards_free(c->hazards);
    c->hazards = NULL;
}
