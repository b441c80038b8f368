// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <string.h>

#include "cli/elf/elf_show.h"
#include "hw/pal_regs.h"

enum { ISA_NAME = 11, PAL_REGISTERS = 12, METADATA = 32, HEX_SHOWN = 64 };

static const char *type_name(const struct lull_elf_note *n)
{
    const bool amd = strcmp(n->name, "AMD") == 0;
    return amd && n->type == ISA_NAME                              ? "NT_AMD_HSA_ISA_NAME"
           : amd && n->type == PAL_REGISTERS                       ? "NT_AMD_PAL_METADATA"
           : strcmp(n->name, "AMDGPU") == 0 && n->type == METADATA ? "NT_AMDGPU_METADATA"
           : strcmp(n->name, "GNU") == 0 && n->type == 3           ? "NT_GNU_BUILD_ID"
                                                                   : "";
}

static void put_lines(struct lull_str *out, const char *text, unsigned indent)
{
    for (const char *end = NULL; (end = strchr(text, '\n')) != NULL; text = end + 1) {
        lull_str_addf(out, "%*s", (int)indent, "");
        lull_str_add(out, text, (size_t)(end + 1 - text));
    }
}

static void metadata(struct lull_elf_show *s, const struct lull_elf_note *n)
{
    struct lull_msgtree *t = NULL;
    struct lull_cur c = n->data;
    struct lull_error *err = lull_msgtree_read(&s->arena, &c, &t);
    if (s->json) {
        lull_json_key(&s->j, "metadata");
        if (t != NULL) {
            lull_elf_show_tree_json(t, &s->j);
        } else {
            lull_json_str(&s->j, "");
        }
    } else if (t != NULL) {
        struct lull_str yaml = {0};
        lull_elf_show_yaml(t, &yaml);
        lull_str_addf(&s->out, "    ---\n");
        put_lines(&s->out, lull_str_text(&yaml), 4);
        lull_str_addf(&s->out, "    ...\n");
        lull_str_free(&yaml);
    }
    if (err == NULL && lull_cur_left(&c) > 0) {
        err = lull_error_new(LULL_ERR_BAD_DATA, "%zu bytes behind the document", lull_cur_left(&c));
    }
    lull_elf_show_fault(s, lull_error_in(err, "metadata"));
    s->metadata = s->metadata != NULL ? s->metadata : t;
}

// The old form of PAL metadata: pairs of register and value.
static void registers(struct lull_elf_show *s, const struct lull_elf_note *n)
{
    struct lull_cur c = n->data;
    if (s->json) {
        lull_json_key(&s->j, "registers");
        lull_json_open(&s->j, '[');
    }
    while (lull_cur_left(&c) >= 8) {
        const uint32_t reg = lull_cur_u32(&c), value = lull_cur_u32(&c);
        const struct lull_reg_entry *e = lull_reg_at(&lull_regs_pal, 0, reg);
        if (s->json) {
            lull_json_open(&s->j, '{');
            lull_json_put_hex(&s->j, "register", reg);
            lull_json_put_str(&s->j, "name", e != NULL ? e->name : "");
            lull_json_put_hex(&s->j, "value", value);
            lull_json_close(&s->j, '}');
        } else {
            lull_str_addf(&s->out, "    0x%04" PRIx32 " %s: 0x%" PRIx32 "\n", reg,
                          e != NULL ? e->name : "", value);
        }
    }
    if (s->json) {
        lull_json_close(&s->j, ']');
    }
}

static void bytes(struct lull_elf_show *s, const struct lull_elf_note *n)
{
    const size_t size = lull_cur_left(&n->data), most = size < HEX_SHOWN ? size : HEX_SHOWN;
    struct lull_str hex = {0};
    for (size_t i = 0; i < most; i++) {
        lull_str_addf(&hex, "%02x", n->data.start[i]);
    }
    if (s->json) {
        lull_json_put_str(&s->j, "bytes", lull_str_text(&hex));
    } else if (size > 0) {
        lull_str_addf(&s->out, "    %s%s\n", lull_str_text(&hex), most < size ? "..." : "");
    }
    lull_str_free(&hex);
}

static void isa_name(struct lull_elf_show *s, const struct lull_elf_note *n)
{
    struct lull_str text = {0};
    const char *p = (const char *)n->data.start;
    lull_str_add(&text, p, strnlen(p, lull_cur_left(&n->data)));
    if (s->json) {
        lull_json_put_str(&s->j, "target", lull_str_text(&text));
    } else {
        lull_str_addf(&s->out, "    ");
        lull_elf_show_text(&s->out, lull_str_text(&text));
        lull_str_addf(&s->out, "\n");
    }
    lull_str_free(&text);
}

static void note(struct lull_elf_show *s, const struct lull_elf_note *n)
{
    const char *type = type_name(n);
    if (s->json) {
        lull_json_open(&s->j, '{');
        lull_json_put_str(&s->j, "owner", n->name);
        lull_json_put_u64(&s->j, "type", n->type);
        lull_json_put_str(&s->j, "type_name", type);
        lull_json_put_u64(&s->j, "size", lull_cur_left(&n->data));
    } else {
        lull_str_addf(&s->out, "  ");
        lull_elf_show_text(&s->out, n->name);
        lull_str_addf(&s->out, ", type %" PRIu32 "%s%s, %zu bytes:\n", n->type,
                      type[0] != '\0' ? " " : "", type, lull_cur_left(&n->data));
    }
    if (strcmp(type, "NT_AMDGPU_METADATA") == 0) {
        metadata(s, n);
    } else if (strcmp(type, "NT_AMD_PAL_METADATA") == 0) {
        registers(s, n);
    } else if (strcmp(type, "NT_AMD_HSA_ISA_NAME") == 0 && lull_cur_left(&n->data) > 0) {
        isa_name(s, n);
    } else {
        bytes(s, n);
    }
    if (s->json) {
        lull_json_close(&s->j, '}');
    }
}

static void notes(struct lull_elf_show *s, const char *where, struct lull_cur c)
{
    struct lull_elf_note n = {0};
    int more = 0;
    if (!s->json) {
        lull_str_addf(&s->out, "\nnotes (");
        lull_elf_show_text(&s->out, where);
        lull_str_addf(&s->out, "):\n");
    }
    while ((more = lull_elf_next_note(&c, &n)) > 0) {
        note(s, &n);
    }
    if (more < 0) {
        lull_elf_show_fault(s,
                            lull_error_new(LULL_ERR_BAD_DATA, "%s: malformed note before byte %zu",
                                           where, (size_t)(c.pos - c.start)));
    }
}

void lull_elf_show_notes(struct lull_elf_show *s)
{
    enum { PT_NOTE = 4 };
    bool any = false;
    if (s->json) {
        lull_json_key(&s->j, "notes");
        lull_json_open(&s->j, '[');
    }
    for (size_t i = 0; i < s->elf.nsections; i++) {
        if (s->elf.sections[i].type == LULL_ELF_NOTE) {
            any = true;
            notes(s, s->elf.sections[i].name, s->elf.sections[i].data);
        }
    }
    for (size_t i = 0; !any && i < s->elf.nsegments; i++) {
        if (s->elf.segments[i].type == PT_NOTE) {
            notes(s, "segment", s->elf.segments[i].data);
        }
    }
    if (s->json) {
        lull_json_close(&s->j, ']');
    }
}
