// SPDX-License-Identifier: MIT
/** @file
 * Doubly linked lists whose links lie in the objects: nothing is allocated, and an object is taken
 * out in no time.
 */
#ifndef LULL_BASE_LIST_H
#define LULL_BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

/** The struct of type @p type whose member @p member lies at @p p. */
#define lull_container(p, type, member) ((type *)(void *)((char *)(p)-offsetof(type, member)))

/** A list (a ring through its head), or a link of one. All zero: a link in no list. */
struct lull_list {
    struct lull_list *next, *prev;
};

static inline void lull_list_init(struct lull_list *head)
{
    head->next = head->prev = head;
}

/** @p head: initialized, or all zero. */
static inline bool lull_list_empty(const struct lull_list *head)
{
    return head->next == head || head->next == NULL;
}

/** Put @p link at the end. */
static inline void lull_list_add(struct lull_list *head, struct lull_list *link)
{
    link->next = head;
    link->prev = head->prev;
    head->prev->next = link;
    head->prev = link;
}

/** Take @p link out; one that is in no list stays so. */
static inline void lull_list_remove(struct lull_list *link)
{
    if (link->next != NULL) {
        link->next->prev = link->prev;
        link->prev->next = link->next;
        *link = (struct lull_list){0};
    }
}

#endif
