// SPDX-License-Identifier: MIT
/** @file
 * Types as C writes them.
 */
#ifndef LULL_SYMBOLS_SHOW_H
#define LULL_SYMBOLS_SHOW_H

#include "base/str.h"
#include "symbols/symbols.h"

/** The type that typedefs, const and volatile stand for. */
const struct lull_symtype *lull_symtype_plain(const struct lull_symtype *t);
/** What a typedef stands for; another type is itself. */
const struct lull_symtype *lull_symtype_under(const struct lull_symtype *t);
/** "struct node", "local int *", "point[3]", "float4": as `whatis` says it. */
void lull_symtype_name(const struct lull_symtype *t, struct lull_str *out);
/** All of it, with members over several lines, as `ptype` says it; no newline at the end. */
void lull_symtype_show(const struct lull_symtype *t, struct lull_str *out);
/** The member of a struct or union, or of an unnamed one in it; *ret_offset: its place there, in
 * bytes. NULL: there is none. */
const struct lull_symmember *lull_symtype_member(const struct lull_symtype *t, const char *name,
                                                 size_t length, uint64_t *ret_offset);
/** Which element of a vector is named x, y, z, w, s0 to sf, or as in GLSL r, g, b, a, s, t, p, q;
 * -1: none. */
int lull_symtype_component(const struct lull_symtype *t, const char *name, size_t length);
/** The vector that @p name takes out of the vector @p t: "xy", "bgr", "s13", "lo"; made in
 * @p arena. NULL: it says none, or there is no memory. Source: OpenCL C 3.0, 6.3.7; GLSL 4.60, 5.5.
 */
const struct lull_symtype *lull_symtype_swizzle(struct lull_arena *arena,
                                                const struct lull_symtype *t, const char *name,
                                                size_t length);

#endif
