// SPDX-License-Identifier: MIT
#include "cli/opt/check_marks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/opt/input.h"

enum { PATH_ROOM = 4096 };

/** Read the file again: there may be more in it. */
static void update(const struct lull_check_marks *m, struct lull_check_marked *p)
{
    char path[PATH_ROOM] = "", *text = NULL;
    size_t size = 0;
    struct lull_check_marked now = {0};
    if (*m->dir == NULL || (size_t)snprintf(path, sizeof path, "%s/%" PRIu32 ".marks", *m->dir,
                                            p->process) >= sizeof path) {
        return;
    }
    struct lull_error *err = lull_input_read(path, &text, &size);
    err = err != NULL ? err : lull_check_marked_parse(text, size, &now);
    if (err == NULL && now.n > p->n) {
        now.process = p->process;
        free(p->all);
        free(p->text);
        *p = now;
    } else if (err == NULL) {
        lull_check_marked_done(&now);
    }
    lull_error_free(err);
}

const struct lull_check_mark *lull_check_marks_at(void *marks, uint32_t process, uint32_t place)
{
    struct lull_check_marks *m = marks;
    size_t i = 0;
    while (i < m->n && m->processes[i].process != process) {
        i++;
    }
    if (i == m->n) {
        struct lull_check_marked *more = reallocarray(m->processes, m->n + 1, sizeof *more);
        if (more == NULL) {
            return NULL;
        }
        m->processes = more;
        more[m->n++] = (struct lull_check_marked){.process = process};
    }
    struct lull_check_marked *p = &m->processes[i];
    if (place >= p->n) {
        update(m, p);
    }
    return place < p->n ? &p->all[place] : NULL;
}

void lull_check_marks_done(struct lull_check_marks *m)
{
    for (size_t i = 0; i < m->n; i++) {
        lull_check_marked_done(&m->processes[i]);
    }
    free(m->processes);
    *m = (struct lull_check_marks){0};
}
