// SPDX-License-Identifier: MIT
/** @file
 * Variables of the program: which a name is, where it is now, what it holds in each lane.
 *
 * Names and places come from DWARF (symbols/symbols.h). A variable belongs to the code that the
 * focused wave is in, or to a place that the session is asked about (lull_debug.place), as that of
 * a breakpoint with a condition.
 */
#ifndef LULL_DEBUG_VARIABLES_H
#define LULL_DEBUG_VARIABLES_H

#include "debug/session/symbols.h"

/** The innermost scope that names are looked up in now; NULL: none. @p ret_offset: where in it. */
const struct lull_symscope *lull_debug_scope(struct lull_debug *d, uint64_t *ret_offset);
/** The variable that @p name is now; NULL. In front of the end of a prologue, where the frame is
 * not set up, a buffer of the same name is meant: NULL, too. */
const struct lull_symvar *lull_debug_find_variable(struct lull_debug *d, const char *name);

/** The program's type of that name, if no variable has it here; NULL. */
const struct lull_symtype *lull_debug_find_type(struct lull_debug *d, const char *name);

/** Where it is for the focused wave; *@p ret_is false: in a register, or it is a constant. */
struct lull_error *lull_debug_locate_variable(struct lull_debug *d, const struct lull_symvar *v,
                                              bool only_type, bool *ret_is,
                                              struct lull_location *ret) LULL_MUST_USE;
/** Its value, if it is in registers or a constant. */
struct lull_error *lull_debug_variable_value(struct lull_debug *d, const struct lull_symvar *v,
                                             bool only_type, struct lull_value *ret) LULL_MUST_USE;
/** Write one that is in a register. Arguments as of lull_expr_scope.write. */
struct lull_error *lull_debug_set_variable(struct lull_debug *d, const struct lull_symvar *v,
                                           enum lull_lanes which, unsigned lane,
                                           const struct lull_value *value) LULL_MUST_USE;

/** Bytes of a variable with parts that is in registers. @p ctx: the debugger; @p held: the
 * variable. LULL_ERR_NOT_FOUND if they are optimised out. */
struct lull_error *lull_debug_read_held(void *ctx, const void *held, unsigned lane, uint64_t offset,
                                        void *buf, size_t size) LULL_MUST_USE;
struct lull_error *lull_debug_write_held(void *ctx, const void *held, unsigned lane,
                                         uint64_t offset, const void *buf,
                                         size_t size) LULL_MUST_USE;

/** A lane's own memory of the focused wave: @p address counts its bytes. @p ctx: the debugger. */
struct lull_error *lull_debug_read_scratch(void *ctx, unsigned lane, uint64_t address, void *buf,
                                           size_t size) LULL_MUST_USE;
struct lull_error *lull_debug_write_scratch(void *ctx, unsigned lane, uint64_t address,
                                            const void *buf, size_t size) LULL_MUST_USE;

/** A flat address that amdgpu's apertures say is in LDS or scratch: it becomes one of there. */
void lull_debug_resolve(void *ctx, uint64_t *address, bool *ret_lds, bool *ret_scratch);
/** The variable itself as an expression, whatever else has its name. */
struct lull_error *lull_debug_parse_variable(struct lull_debug *d, const struct lull_symvar *v,
                                             struct lull_expr **ret) LULL_MUST_USE;
/** Is its value a struct, a union or an array? */
bool lull_debug_has_parts(struct lull_debug *d, const struct lull_expr *e);

/** How expressions read and write what this session debugs. */
struct lull_expr_scope lull_debug_expr_scope(struct lull_debug *d);

#endif
