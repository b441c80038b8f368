// SPDX-License-Identifier: MIT
// The table of strings goes into the module: for amdpal into the PAL metadata, which LLVM writes
// into the object's note; for other systems into a note of its own, and into a file if asked.
//
// Source: LLVM AMDGPUUsage, "Code Object Metadata" (amdpal.*); System V ABI, "Note Section".
#include <stdio.h>
#include <string.h>

#include "base/cur.h"
#include "cc/ir.h"
#include "cc/printf_pass.h"
#include "file/msgpack.h"
#include "file/msgpack_write.h"
#include "printf/note.h"

static const char pal_name[] = "amdgpu.pal.metadata.msgpack";
static const char pal_old_name[] = "amdgpu.pal.metadata";

// The document in the module's PAL metadata; NULL if there is none.
static const char *pal_document(const struct lull_printf_pass *p, unsigned *size)
{
    LLVMModuleRef m = p->cc->module;
    LLVMValueRef node = NULL, text = NULL;
    if (LLVMGetNamedMetadataNumOperands(m, pal_name) == 0) {
        return NULL;
    }
    LLVMGetNamedMetadataOperands(m, pal_name, &node);
    if (LLVMGetMDNodeNumOperands(node) == 0) {
        return NULL;
    }
    LLVMGetMDNodeOperands(node, &text);
    return text != NULL ? LLVMGetMDString(text, size) : NULL;
}

static bool is_ours(const struct lull_msgpack *key)
{
    return lull_msgpack_is(key, LULL_PRINTF_KEY_PLAIN) ||
           lull_msgpack_is(key, LULL_PRINTF_KEY_EXTRA);
}

// Copy the pairs of a document's root map, without our keys, to the end of `to`; how many.
LULL_MUST_USE static struct lull_error *other_keys(const struct lull_printf_pass *p,
                                                   const char *data, size_t size,
                                                   struct lull_str *to, size_t *ret)
{
    struct lull_cur c = lull_cur_of(data, size);
    struct lull_msgpack head = {0}, key = {0};
    bool ok = lull_msgpack_next(&c, &head) > 0 && head.kind == LULL_MSGPACK_MAP;
    size_t n = 0;
    for (size_t i = 0; ok && i < head.size; i++) {
        const uint8_t *from = c.pos;
        ok = lull_msgpack_next(&c, &key) > 0 && lull_msgpack_skip_rest(&c, &key) == 0 &&
             lull_msgpack_skip(&c) == 0;
        if (ok && !is_ours(&key)) {
            lull_str_add(to, (const char *)from, (size_t)(c.pos - from));
            n++;
        }
    }
    *ret = n;
    return ok ? to->err
              : lull_error_new(LULL_ERR_BAD_DATA,
                               "%s: the module's PAL metadata is damaged at byte %td",
                               p->cc->options->input, c.pos - c.start);
}

struct lull_error *lull_printf_known(struct lull_printf_pass *p)
{
    unsigned size = 0;
    const char *data = p->cc->amdpal ? pal_document(p, &size) : NULL;
    if (data == NULL) {
        if (p->cc->amdpal && LLVMGetNamedMetadataNumOperands(p->cc->module, pal_old_name) != 0) {
            return lull_error_new(LULL_ERR_UNSUPPORTED,
                                  "%s: PAL metadata of the old form (!%s) has no place for strings",
                                  p->cc->options->input, pal_old_name);
        }
        return NULL;
    }
    return lull_error_in(lull_printf_table_read(p->table, data, size, p->cc->options->input, NULL),
                         "%s: PAL metadata", p->cc->options->input);
}

// The whole PAL document, with the table of strings in place of an older one.
LULL_MUST_USE static struct lull_error *pal_with_strings(struct lull_printf_pass *p,
                                                         struct lull_str *to)
{
    unsigned size = 0;
    size_t n = 0;
    const char *data = pal_document(p, &size);
    struct lull_str others = {0};
    struct lull_error *err = data != NULL ? other_keys(p, data, size, &others, &n) : NULL;
    if (err == NULL) {
        lull_msgpack_put_map(to, n + 2);
        lull_str_add(to, others.text != NULL ? others.text : "", others.size);
        lull_msgpack_put_text(to, LULL_PRINTF_KEY_PLAIN);
        lull_printf_table_put_plain(p->table, to);
        lull_msgpack_put_text(to, LULL_PRINTF_KEY_EXTRA);
        lull_printf_table_put_extra(p->table, to);
        err = to->err;
    }
    lull_str_free(&others);
    return err;
}

LULL_MUST_USE static struct lull_error *into_pal(struct lull_printf_pass *p)
{
    LLVMContextRef c = p->cc->context;
    LLVMModuleRef m = p->cc->module;
    unsigned none = 0;
    struct lull_str document = {0};
    struct lull_error *err = pal_with_strings(p, &document);
    if (err == NULL) {
        LLVMMetadataRef text = LLVMMDStringInContext2(c, document.text, document.size);
        LLVMValueRef node = NULL;
        if (pal_document(p, &none) != NULL) {
            LLVMGetNamedMetadataOperands(m, pal_name, &node);
            LLVMReplaceMDNodeOperandWith(node, 0, text);
        } else {
            LLVMMetadataRef fresh = LLVMMDNodeInContext2(c, &text, 1);
            LLVMAddNamedMetadataOperand(m, pal_name, LLVMMetadataAsValue(c, fresh));
        }
    }
    lull_str_free(&document);
    return err;
}

// A note section: kept by linkers, several in a row after linking.
LULL_MUST_USE static struct lull_error *into_note(struct lull_printf_pass *p,
                                                  const struct lull_str *document)
{
    LLVMContextRef c = p->cc->context;
    struct lull_str note = {0};
    static const char zeros[4] = "";
    lull_str_le32(&note, sizeof LULL_PRINTF_NOTE_NAME);
    lull_str_le32(&note, (uint32_t)document->size);
    lull_str_le32(&note, LULL_PRINTF_NOTE_TYPE);
    lull_str_add(&note, LULL_PRINTF_NOTE_NAME, sizeof LULL_PRINTF_NOTE_NAME);
    lull_str_add(&note, zeros, (4 - note.size % 4) % 4);
    lull_str_add(&note, document->text, document->size);
    lull_str_add(&note, zeros, (4 - note.size % 4) % 4);
    if (note.err == NULL) {
        LLVMValueRef bytes = LLVMConstStringInContext2(c, note.text, note.size, 1);
        LLVMValueRef g = LLVMAddGlobal(p->cc->module, LLVMTypeOf(bytes), "__lull_printf_note");
        LLVMSetInitializer(g, bytes);
        LLVMSetGlobalConstant(g, 1);
        LLVMSetLinkage(g, LLVMPrivateLinkage);
        LLVMSetSection(g, LULL_PRINTF_NOTE_SECTION);
        LLVMSetAlignment(g, 4);
        lull_ir_keep(p->cc, g);
    }
    struct lull_error *err = note.err;
    note.err = NULL; // the caller's now
    lull_str_free(&note);
    return err;
}

struct lull_error *lull_printf_strings(struct lull_printf_pass *p)
{
    for (size_t i = 0; i < lull_printf_table_warnings(p->table); i++) {
        fprintf(stderr, "lull cc: warning: %s: %s\n", p->cc->options->input,
                lull_printf_table_warning(p->table, i));
    }
    struct lull_str *document = &p->cc->strings;
    lull_printf_table_document(p->table, document);
    if (document->err != NULL) {
        struct lull_error *err = document->err;
        document->err = NULL; // the caller's now
        return err;
    }
    return p->cc->amdpal ? into_pal(p) : into_note(p, document);
}
