// SPDX-License-Identifier: MIT
/* Page-table walks in words. */
#include <inttypes.h>

#include "base/error.h"
#include "debug/session/fault.h"
#include "debug/shell/shell.h"
#include "hw/pte11_regs.h"

enum { NLEVELS = 4 };

const char *lull_walk_level_name(unsigned level)
{
    static const char *const names[NLEVELS] = {"PTB", "PDB0", "PDB1", "PDB2"};
    return level < NLEVELS ? names[level] : "?";
}

/* Which of 512 entries the address selects at @p level. */
static unsigned index_of(uint64_t va, unsigned level)
{
    const struct lull_reg_entry *e = lull_reg_at(&lull_regs_pte11, 0, LULL_PTE11_VA);
    const struct lull_field *f =
        lull_reg_field(lull_reg_of(&lull_regs_pte11, e), lull_walk_level_name(level));
    return f != NULL ? (unsigned)lull_field_of(f, va) : 0;
}

/* Every field by name with its value, those that are 0 too. */
static void show_fields(const struct lull_reg *reg, uint64_t value, struct lull_str *out)
{
    uint64_t rest = value;
    lull_str_addf(out, "     ");
    for (unsigned i = 0; i < reg->nfields; i++) {
        const struct lull_field *f = &reg->fields[i];
        uint64_t v = lull_field_of(f, value);
        rest &= ~(v << f->lo);
        lull_str_addf(out, " ");
        if (f->bits == 1 && lull_field_value_name(f, v) == NULL) {
            lull_str_addf(out, "%s=%u", f->name, (unsigned)v);
        } else {
            lull_field_show(f, value, out);
        }
    }
    if (rest != 0) {
        lull_str_addf(out, " unknown bits 0x%" PRIx64, rest);
    }
    lull_str_addf(out, "\n");
}

static void show_step(const struct lull_walk *walk, const struct lull_walk_step *s,
                      struct lull_str *out, struct lull_json *json)
{
    uint32_t kind = s->leaf || s->level == 0 ? LULL_PTE11_PTE : LULL_PTE11_PDE;
    const struct lull_reg *reg =
        lull_reg_of(&lull_regs_pte11, lull_reg_at(&lull_regs_pte11, 0, kind));
    const char *name = lull_walk_level_name(s->level);
    unsigned index = index_of(walk->va, s->level);
    lull_str_addf(out, "%-4s entry %3u at 0x%012" PRIx64 ": 0x%016" PRIx64 " %s%s\n", name, index,
                  s->entry_address, s->entry, s->leaf ? "page" : "table",
                  s->valid ? "" : ", NOT VALID: the walk ends here");
    show_fields(reg, s->entry, out);
    if (json != NULL) {
        lull_json_open(json, '{');
        lull_json_put_str(json, "level", name);
        lull_json_put_u64(json, "index", index);
        lull_json_put_hex(json, "entry_address", s->entry_address);
        lull_json_put_hex(json, "entry", s->entry);
        lull_json_put_bool(json, "valid", s->valid);
        lull_json_put_bool(json, "leaf", s->leaf);
        lull_json_close(json, '}');
    }
}

static void show_end(const struct lull_walk *walk, struct lull_str *out, struct lull_json *json)
{
    if (json != NULL) {
        lull_json_put_bool(json, "mapped", walk->mapped);
    }
    if (!walk->mapped) {
        lull_str_addf(out, "0x%012" PRIx64 " is not mapped\n", walk->va);
        return;
    }
    uint64_t pte = walk->nsteps > 0 ? walk->steps[walk->nsteps - 1].entry : 0;
    lull_str_addf(out,
                  "0x%012" PRIx64 " is %s address 0x%012" PRIx64 ", page of 0x%" PRIx64
                  " bytes, %s%s%s\n",
                  walk->va, walk->system ? "bus" : "VRAM", walk->address, walk->page_size,
                  (pte & LULL_PTE11_PTE__READABLE_MASK) != 0 ? "read" : "no read",
                  (pte & LULL_PTE11_PTE__WRITEABLE_MASK) != 0 ? ", write" : ", no write",
                  (pte & LULL_PTE11_PTE__EXECUTABLE_MASK) != 0 ? ", execute" : ", no execute");
    if (json != NULL) {
        lull_json_put_bool(json, "system", walk->system);
        lull_json_put_hex(json, "address", walk->address);
        lull_json_put_hex(json, "page_size", walk->page_size);
    }
}

void lull_walk_show(const struct lull_walk *walk, struct lull_str *out, struct lull_json *json)
{
    const struct lull_reg *base =
        lull_reg_of(&lull_regs_pte11, lull_reg_at(&lull_regs_pte11, 0, LULL_PTE11_BASE));
    lull_str_addf(out, "VMID %u, page table base ", walk->vmid);
    lull_reg_show(base, walk->root, out);
    lull_str_addf(out, "\n");
    if (json != NULL) {
        lull_json_put_hex(json, "va", walk->va);
        lull_json_put_u64(json, "vmid", walk->vmid);
        lull_json_put_hex(json, "root", walk->root);
        lull_json_key(json, "steps");
        lull_json_open(json, '[');
    }
    for (unsigned i = 0; i < walk->nsteps && i < NLEVELS; i++) {
        show_step(walk, &walk->steps[i], out, json);
    }
    if (json != NULL) {
        lull_json_close(json, ']');
    }
    show_end(walk, out, json);
}

struct lull_error *lull_cmd_vm(struct lull_cmd *c)
{
    const char *at = c->args;
    if (!lull_cmd_word(&at, "walk") || *at == '\0') {
        return lull_error_new(LULL_ERR_INVALID, "expected 'vm walk ADDRESS'");
    }
    uint64_t va = 0;
    struct lull_error *err = lull_debug_address(c->d, at, &va);
    struct lull_walk walk = {0};
    if (err == NULL) {
        err = lull_debug_walk(c->d, va, &walk);
    }
    if (err == NULL) {
        lull_walk_show(&walk, c->out, c->json);
        c->d->status = walk.mapped ? c->d->status : 1;
    }
    return err;
}
