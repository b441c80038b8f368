// SPDX-License-Identifier: MIT
/* Instructions in words. */
#include <inttypes.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/shell/shell.h"

struct lull_error *lull_debug_show_insn(struct lull_cmd *c, uint64_t va, bool here, unsigned lanes,
                                        unsigned *ret_size, struct lull_json *json)
{
    lull_cleanup(lull_str_free) struct lull_str text = {0};
    struct lull_error *err = lull_debug_insn_text(c->d, va, lanes, &text, ret_size);
    if (err != NULL) {
        return err;
    }
    lull_cleanup(lull_str_free) struct lull_str symbol = {0};
    lull_debug_show_symbol(c->d, va, &symbol);
    lull_str_addf(c->out, "%s 0x%012" PRIx64 "%s%s: %s\n", here ? "=>" : "  ", va,
                  symbol.size != 0 ? " " : "", lull_str_text(&symbol), lull_str_text(&text));
    if (json != NULL) {
        lull_json_open(json, '{');
        lull_json_put_hex(json, "address", va);
        lull_json_put_u64(json, "size", *ret_size);
        lull_json_put_str(json, "text", lull_str_text(&text));
        lull_json_put_bool(json, "here", here);
        lull_json_put_bool(json, "breakpoint", lull_debug_breakpoint_at(c->d, va) != NULL);
        lull_json_close(json, '}');
    }
    return NULL;
}
