// SPDX-License-Identifier: MIT
/** @file
 * The inside of src/scene: words of a line, one after the other. The first error is kept and ends
 * the reading; until then what is given for a word that is wrong does no harm.
 */
#ifndef LULL_SCENE_PARSE_H
#define LULL_SCENE_PARSE_H

#include "scene/scene.h"

struct scene_parse {
    struct lull_scene *s;
    struct lull_scene_state now; ///< What the next draw has.
    const char *path;            ///< Of the scene.
    unsigned line;
    char *rest; ///< Of the line, behind the words taken.
    char *next; ///< The lines behind it; NULL: none.
    char text[LULL_SCENE_LINE];
    struct lull_error *err;
};

/** "path:line: what: word"; word may be "". */
void scene_complain(struct scene_parse *p, const char *what, const char *word);

/** Keep an error. */
void scene_fail(struct scene_parse *p, struct lull_error *err);

/** The next line without its end, into @p p->rest; false: there is none. */
bool scene_next_line(struct scene_parse *p);

/** The rest of the line from the next word on; "" at its end. */
const char *scene_peek(struct scene_parse *p);

/** Is there a word left, and no error? */
bool scene_more(struct scene_parse *p);

/** The next word; an error at the end of the line. */
const char *scene_take(struct scene_parse *p);

/** A number of 32 bits, with or without a sign; one from low to high; a float; a finite one. */
uint32_t scene_number(struct scene_parse *p);
uint32_t scene_number_in(struct scene_parse *p, uint32_t low, uint32_t high);
float scene_real(struct scene_parse *p);
float scene_finite(struct scene_parse *p);

/** The value of a word of @p table. */
uint32_t scene_choice(struct scene_parse *p, const struct lull_scene_word *table);

/** Skip @p word if it is the next one. */
bool scene_optional(struct scene_parse *p, const char *word);

const struct lull_scene_format *scene_format(struct scene_parse *p);

/** The index of a buffer by its name. */
uint32_t scene_buffer(struct scene_parse *p);

/** Texels' or depth's values, as @p type says. */
VkClearValue scene_clear_value(struct scene_parse *p, enum lull_scene_class type);

/** Values of @p type, a word of scene_value_types, up to the end of the line; so many bytes. */
size_t scene_values(struct scene_parse *p, const char *type, uint8_t *out, size_t room);

/** f32, u32, i32, u16, u8 are 0, zeros is 1. */
extern const struct lull_scene_word scene_value_types[];

/** A line whose first word was taken: of the whole scene, of the state, a step. False: not one. */
bool scene_line_whole(struct scene_parse *p, const char *word);
bool scene_line_state(struct scene_parse *p, const char *word);
bool scene_line_step(struct scene_parse *p, const char *word);

/** What no single line can know. */
void scene_check(struct scene_parse *p);

#endif
