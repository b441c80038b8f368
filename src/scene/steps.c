// SPDX-License-Identifier: MIT
// Lines that do something: draws, clears, queries, conditions, feedback.
#include <stdlib.h>
#include <string.h>

#include "scene/parse.h"

enum { MAX_STEPS = 4096 };

/** A new step, or one that does not matter after an error. */
static struct lull_scene_step *step(struct scene_parse *p, enum lull_scene_step_kind kind)
{
    static const struct lull_scene_step none;
    struct lull_scene *s = p->s;
    if (s->steps == NULL) {
        s->steps = calloc(MAX_STEPS + 1, sizeof *s->steps);
    }
    if (s->steps == NULL) {
        scene_fail(p, &lull_enomem);
        return NULL;
    }
    if (s->nsteps == MAX_STEPS) {
        scene_complain(p, "too many draws", "");
    }
    struct lull_scene_step *t = &s->steps[s->nsteps < MAX_STEPS ? s->nsteps++ : MAX_STEPS];
    *t = none;
    t->kind = kind;
    t->line = p->line;
    memcpy(t->text, p->text, sizeof t->text);
    return t;
}

/** What draws take: "b" a buffer, "n" a number, "1" and "0" numbers that may be left out. */
static void draw(struct scene_parse *p, enum lull_scene_step_kind kind, const char *args)
{
    struct lull_scene_step *t = step(p, kind);
    if (t == NULL) {
        return;
    }
    for (unsigned i = 0; args[i] != '\0'; i++) {
        if (args[i] == 'b') {
            t->args[i] = scene_buffer(p);
        } else if (args[i] == 'n' || scene_more(p)) {
            t->args[i] = scene_number(p);
        } else {
            t->args[i] = args[i] == '1';
        }
    }
    t->state = malloc(sizeof *t->state);
    if (t->state == NULL) {
        scene_fail(p, &lull_enomem);
        return;
    }
    *t->state = p->now;
}

static void word_query(struct scene_parse *p)
{
    enum { PRECISE = VK_QUERY_TYPE_MAX_ENUM - 1, END = VK_QUERY_TYPE_MAX_ENUM };
    static const struct lull_scene_word kinds[] = {
        {"occlusion", VK_QUERY_TYPE_OCCLUSION},
        {"precise", PRECISE},
        {"statistics", VK_QUERY_TYPE_PIPELINE_STATISTICS},
        {"feedback", VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT},
        {"generated", VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT},
        {"timestamp", VK_QUERY_TYPE_TIMESTAMP},
        {"end", END},
        {0},
    };
    const uint32_t kind = scene_choice(p, kinds);
    struct lull_scene_step *t =
        step(p, kind == END ? LULL_SCENE_QUERY_END : LULL_SCENE_QUERY_BEGIN);
    if (t != NULL) {
        t->args[0] = kind == PRECISE ? VK_QUERY_TYPE_OCCLUSION : kind;
        t->args[1] = kind == PRECISE ? VK_QUERY_CONTROL_PRECISE_BIT : 0;
        t->args[2] = scene_more(p) ? scene_number_in(p, 0, LULL_SCENE_FEEDBACKS - 1) : 0;
    }
}

static void word_condition(struct scene_parse *p)
{
    const bool ends = scene_optional(p, "end");
    struct lull_scene_step *t =
        step(p, ends ? LULL_SCENE_CONDITION_END : LULL_SCENE_CONDITION_BEGIN);
    if (t != NULL && !ends) {
        t->args[0] = scene_buffer(p);
        t->args[1] = scene_number(p);
        t->args[2] = scene_optional(p, "inverted");
    }
}

static void word_feedback(struct scene_parse *p)
{
    const bool ends = scene_optional(p, "end");
    struct lull_scene_step *t = step(p, ends ? LULL_SCENE_FEEDBACK_END : LULL_SCENE_FEEDBACK_BEGIN);
    for (unsigned i = 0; t != NULL && !ends && i < LULL_SCENE_DRAW_ARGS; i++) {
        t->args[i] = i < 2 || i % 2 != 0 || scene_more(p) ? scene_buffer(p) : LULL_SCENE_NONE;
        if (t->args[i] == LULL_SCENE_NONE) {
            t->args[++i] = LULL_SCENE_NONE;
        }
    }
}

static void word_clear(struct scene_parse *p)
{
    const struct lull_scene *s = p->s;
    struct lull_scene_step *t = step(p, LULL_SCENE_CLEAR);
    if (t == NULL) {
        return;
    }
    const bool depth = scene_optional(p, "depth");
    if ((depth && s->depth.format == NULL) || (!depth && s->ntargets == 0)) {
        scene_complain(p, "there is nothing like that to clear", "");
        return;
    }
    t->args[0] = depth ? LULL_SCENE_NONE : scene_number_in(p, 0, s->ntargets - 1);
    for (unsigned i = 1; i < 5; i++) {
        t->args[i] = scene_number_in(p, 0, i % 2 != 0 ? s->width : s->height);
    }
    t->clear = scene_clear_value(p, depth ? LULL_SCENE_DEPTH : s->targets[t->args[0]].format->type);
}

static const struct {
    const char *word;
    enum lull_scene_step_kind kind;
    const char *args; ///< As draw() says: 1, 0: may be left out and are this then.
} draws[] = {
    {"draw", LULL_SCENE_DRAW, "n100"},
    {"draw_indexed", LULL_SCENE_DRAW_INDEXED, "n1000"},
    {"draw_indirect", LULL_SCENE_DRAW_INDIRECT, "bnnn"},
    {"draw_indexed_indirect", LULL_SCENE_DRAW_INDEXED_INDIRECT, "bnnn"},
    {"draw_indirect_count", LULL_SCENE_DRAW_INDIRECT_COUNT, "bnbnn"},
    {"draw_indexed_indirect_count", LULL_SCENE_DRAW_INDEXED_INDIRECT_COUNT, "bnbnn"},
    {"draw_mesh", LULL_SCENE_DRAW_MESH, "n11"},
    {"draw_mesh_indirect", LULL_SCENE_DRAW_MESH_INDIRECT, "bnnn"},
    {"draw_mesh_indirect_count", LULL_SCENE_DRAW_MESH_INDIRECT_COUNT, "bnbnn"},
    {"draw_feedback", LULL_SCENE_DRAW_FEEDBACK, "bn1"},
};

static const struct {
    const char *word;
    void (*fn)(struct scene_parse *p);
} words[] = {
    {"query", word_query},
    {"condition", word_condition},
    {"feedback", word_feedback},
    {"clear", word_clear},
};

bool scene_line_step(struct scene_parse *p, const char *word)
{
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(words[i].word, word) == 0) {
            words[i].fn(p);
            return true;
        }
    }
    for (size_t i = 0; i < sizeof draws / sizeof draws[0]; i++) {
        if (strcmp(draws[i].word, word) == 0) {
            draw(p, draws[i].kind, draws[i].args);
            return true;
        }
    }
    return false;
}
