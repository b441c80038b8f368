// SPDX-License-Identifier: MIT
#include "link/link.h"

#include <stdlib.h>
#include <string.h>

#include "link/link_priv.h"
#include "printf/table.h"

static void done(struct lull_linker *l)
{
    for (size_t i = 0; i < l->nfiles; i++) {
        lull_elf_done(&l->files[i].elf);
        free(l->files[i].symbols);
        free(l->files[i].pieces);
        free(l->files[i].out_symbols);
    }
    for (uint32_t i = 0; i < l->nouts; i++) {
        lull_str_free(&l->outs[i].data);
        lull_str_free(&l->outs[i].relocs[0]);
        lull_str_free(&l->outs[i].relocs[1]);
    }
    free(l->files);
    free(l->outs);
    free(l->symbols);
    free(l->by_name);
    free(l->sites);
    free(l->lines);
    lull_str_free(&l->listing);
    free(l->decisions);
    free(l->warnings);
    lull_str_free(&l->other_notes);
    lull_str_free(&l->encoded[0]);
    lull_str_free(&l->encoded[1]);
    lull_printf_table_free(l->strings);
}

// Lists move into the arena, with the text that they point to.
LULL_MUST_USE static struct lull_error *keep_lists(struct lull_linker *l)
{
    struct lull_link_result *r = l->result;
    struct lull_link_decision *d = lull_arena_calloc(l->arena, r->ndecisions + 1, sizeof *d);
    const char **w = lull_arena_calloc(l->arena, r->nwarnings + 1, sizeof *w);
    if (d == NULL || w == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; i < r->ndecisions; i++) {
        d[i] = l->decisions[i];
    }
    for (size_t i = 0; i < r->nwarnings; i++) {
        w[i] = l->warnings[i];
    }
    r->decisions = d;
    r->warnings = w;
    return NULL;
}

LULL_MUST_USE static struct lull_error *run(struct lull_linker *l,
                                            const struct lull_link_input *inputs, size_t n)
{
    struct lull_error *err = lull_error_in(lull_layout_check_relocatable(l->layout), "layout");
    err = err != NULL ? err : lull_link_read_inputs(l, inputs, n);
    err = err != NULL ? err : lull_link_place(l);
    err = err != NULL ? err : lull_link_take_symbols(l);
    err = err != NULL ? err : lull_link_join(l);
    err = err != NULL ? err : lull_link_relocate(l);
    err = err != NULL ? err : lull_link_list_code(l);
    err = err != NULL ? err : lull_link_check_ends(l);
    err = err != NULL ? err : lull_link_fold(l);
    if (err == NULL) {
        lull_link_pad_code(l);
    }
    err = err != NULL ? err : lull_link_merge_metadata(l);
    err = err != NULL ? err : lull_link_match_interface(l);
    err = err != NULL ? err : lull_link_set_patch(l);
    err = err != NULL ? err : lull_link_check_views(l);
    err = err != NULL ? err : lull_link_fix_user_data(l);
    err = err != NULL ? err : lull_link_write(l);
    return err != NULL ? err : keep_lists(l);
}

struct lull_error *lull_link(const struct lull_link_input *inputs, size_t ninputs,
                             const struct lull_layout *layout,
                             const struct lull_link_options *options, struct lull_link_result *ret)
{
    static const struct lull_layout empty = {.num_samples = 1, .shadow_table = UINT32_MAX};
    struct lull_link_result result = {0};
    struct lull_linker l = {.layout = layout != NULL ? layout : &empty,
                            .result = &result,
                            .arena = &result.arena,
                            .spill_threshold = LULL_LINK_NO_SPILL};
    if (options != NULL) {
        l.options = *options;
    }
    struct lull_error *err = run(&l, inputs, ninputs);
    done(&l);
    if (err != NULL) {
        lull_link_done(&result);
        return err;
    }
    *ret = result;
    return NULL;
}

void lull_link_done(struct lull_link_result *result)
{
    lull_str_free(&result->image);
    lull_arena_done(&result->arena);
    *result = (struct lull_link_result){0};
}
