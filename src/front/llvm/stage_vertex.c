// SPDX-License-Identifier: MIT
// What vertices give to the stage behind that reads several of them: keys, and values as words.
#include <llvm-c/Target.h>
#include <spirv/unified1/spirv.h>

#include "front/llvm/stage.h"

enum {
    KEY_POSITION = LULL_FR_LOCATIONS, // locations first
    KEY_SIZE,
    KEY_CLIP, // eight numbers
    KEY_CULL = KEY_CLIP + 2,
    WAVE_INFO = 3, // parameter of the function
    COUNT_MASK = 0xff,
    SHARED_SPACE = 3,
    ALIGNMENT = 16,
};

unsigned lull_fl_vertex_key(const struct lull_fr_leaf *leaf)
{
    switch (leaf->decor.builtin) {
    case LULL_FR_NONE:
        return leaf->location;
    case SpvBuiltInPosition:
        return KEY_POSITION;
    case SpvBuiltInPointSize:
        return KEY_SIZE;
    case SpvBuiltInClipDistance:
        return KEY_CLIP;
    case SpvBuiltInCullDistance:
        return KEY_CULL;
    default:
        return LULL_FL_VERTEX_KEYS;
    }
}

unsigned lull_fl_leaf_words(const struct lull_fr_leaf *leaf)
{
    const struct lull_fr_type *t = leaf->type;
    const bool distances = lull_fl_vertex_key(leaf) >= KEY_CLIP;
    if (distances) {
        return t->kind == LULL_FR_ARRAY && t->element->kind == LULL_FR_FLOAT &&
                       t->element->bits == 32 && t->count <= LULL_FL_DISTANCES
                   ? t->count
                   : 0;
    }
    return lull_fr_is_plain(t) && lull_fr_scalar(t)->kind != LULL_FR_BOOL ? lull_fl_nwords(t) : 0;
}

unsigned lull_fl_leaf_to_words(const struct lull_fl *f, const struct lull_fr_leaf *leaf,
                               LLVMValueRef v, LLVMValueRef words[8])
{
    if (lull_fr_is_plain(leaf->type)) {
        return lull_fl_to_words(f, leaf->type, v, words);
    }
    for (unsigned i = 0; i < leaf->type->count; i++) {
        words[i] = LLVMBuildBitCast(f->b, LLVMBuildExtractValue(f->b, v, i, ""), f->i32, "");
    }
    return leaf->type->count;
}

LLVMValueRef lull_fl_leaf_from_words(const struct lull_fl *f, const struct lull_fr_leaf *leaf,
                                     const LLVMValueRef words[8])
{
    if (lull_fr_is_plain(leaf->type)) {
        return lull_fl_from_words(f, leaf->type, words);
    }
    LLVMValueRef v = LLVMGetPoison(LLVMArrayType2(f->f32, leaf->type->count));
    for (unsigned i = 0; i < leaf->type->count; i++) {
        LLVMValueRef part = LLVMBuildBitCast(f->b, words[i], f->f32, "");
        v = LLVMBuildInsertValue(f->b, v, part, i, "");
    }
    return v;
}

struct lull_error *lull_fl_list_variables(struct lull_fl *f, uint32_t storage,
                                          struct lull_fl_variables *to)
{
    struct lull_spv_insn in = {0};
    struct lull_error *err = NULL;
    const struct lull_spv *spv = &f->m->spv;
    for (size_t pos = LULL_SPV_HEADER_WORDS;
         err == NULL && pos < spv->functions && lull_spv_next(spv, &pos, &in);) {
        const bool is = in.op == SpvOpVariable && in.w[3] == storage &&
                        f->m->ids[in.w[2]].is_interface && f->m->ids[in.w[2]].uses != 0 &&
                        f->m->ids[in.w[2]].decor.stream == 0;
        const struct lull_fr_type *t = is ? lull_fr_type_of(f->m, in.w[1]) : NULL;
        if (t == NULL || t->kind != LULL_FR_POINTER) {
            continue;
        }
        if (to->n == LULL_FL_MOST_VARIABLES) {
            return lull_fl_refuse(f, "more than %d interface variables", LULL_FL_MOST_VARIABLES);
        }
        struct lull_fl_io *one = &to->list[to->n++];
        one->id = in.w[2];
        one->t = t->element;
        err = lull_fl_memory_type(f, t->element, &one->type);
    }
    return err;
}

uint64_t lull_fl_variables_bytes(const struct lull_fl *f, const struct lull_fl_variables *all)
{
    uint64_t bytes = 0;
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(f->module);
    for (unsigned i = 0; i < all->n; i++) {
        bytes += LLVMABISizeOfType(layout, all->list[i].type);
    }
    return bytes;
}

LLVMValueRef lull_fl_lds(const struct lull_fl *f, LLVMTypeRef type, uint64_t n, const char *name)
{
    LLVMTypeRef all = LLVMArrayType2(type, n);
    LLVMValueRef v = LLVMAddGlobalInAddressSpace(f->module, all, name, SHARED_SPACE);
    LLVMSetInitializer(v, LLVMGetPoison(all));
    LLVMSetLinkage(v, LLVMInternalLinkage);
    LLVMSetAlignment(v, ALIGNMENT);
    return v;
}

void lull_fl_run_part(struct lull_fl *f, LLVMValueRef args[LULL_FL_PART_INDEX + 1])
{
    LLVMValueRef part = f->stage->vertices;
    LLVMBasicBlockRef vertex = LLVMAppendBasicBlockInContext(f->c, f->fn, "vertex");
    LLVMBasicBlockRef after = LLVMAppendBasicBlockInContext(f->c, f->fn, "vertices");
    LLVMValueRef n = lull_fl_field(f, lull_fl_param(f, WAVE_INFO), 0, COUNT_MASK);
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntULT, f->stage->lane, n, ""), vertex, after);
    LLVMPositionBuilderAtEnd(f->b, vertex);
    args[LULL_FL_PART_INDEX] = f->stage->index;
    LLVMMetadataRef own = LLVMGetSubprogram(f->fn);
    if (own != NULL) { // a call of what may be inlined has a place
        LLVMSetCurrentDebugLocation2(f->b, LLVMDIBuilderCreateDebugLocation(f->c, 0, 0, own, NULL));
    }
    LLVMBuildCall2(f->b, LLVMGlobalGetValueType(part), part, args, LULL_FL_PART_INDEX + 1, "");
    LLVMSetCurrentDebugLocation2(f->b, NULL);
    LLVMBuildBr(f->b, after);
    LLVMPositionBuilderAtEnd(f->b, after);
}
