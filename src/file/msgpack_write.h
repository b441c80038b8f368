// SPDX-License-Identifier: MIT
/** @file
 * MessagePack, written: each call appends one object's head to a string builder.
 *
 * Every object takes the shortest form that holds it, as LLVM's writer does, so a document that
 * LLVM wrote comes out unchanged. (One difference: a float takes 32 bits only if nothing is lost;
 * one that was read keeps its width and its bits.) The items of an array or a map are the calls
 * that follow. Errors are kept in the builder (lull_str.err): look at it once, at the end.
 */
#ifndef LULL_FILE_MSGPACK_WRITE_H
#define LULL_FILE_MSGPACK_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "file/msgpack.h"

void lull_msgpack_put_nil(struct lull_str *to);
void lull_msgpack_put_bool(struct lull_str *to, bool value);
void lull_msgpack_put_uint(struct lull_str *to, uint64_t value);
/** Written as put_uint() does if it is not negative. */
void lull_msgpack_put_int(struct lull_str *to, int64_t value);
/** In 32 bits if they hold it; not a NaN. */
void lull_msgpack_put_float(struct lull_str *to, double value);

/** @p size bytes, up to UINT32_MAX (else LULL_ERR_INVALID in the builder). */
void lull_msgpack_put_str(struct lull_str *to, const void *text, size_t size);
/** A terminated string. */
void lull_msgpack_put_text(struct lull_str *to, const char *text);
void lull_msgpack_put_bin(struct lull_str *to, const void *data, size_t size);
void lull_msgpack_put_ext(struct lull_str *to, int8_t type, const void *data, size_t size);

/** @p count objects follow, up to UINT32_MAX. */
void lull_msgpack_put_array(struct lull_str *to, size_t count);
/** @p count pairs follow, up to UINT32_MAX: key, value. */
void lull_msgpack_put_map(struct lull_str *to, size_t count);

/** The head @p m as lull_msgpack_next() read it, in the shortest form but for floats; a scalar with
 * its contents. */
void lull_msgpack_put(struct lull_str *to, const struct lull_msgpack *m);

/**
 * Copy one object with everything in it from @p c, each as lull_msgpack_put() writes it.
 *
 * @return 0, or an enum lull_msgpack_fault; what was written until then stays in @p to.
 */
int lull_msgpack_copy(struct lull_cur *c, struct lull_str *to);

#endif
