// SPDX-License-Identifier: MIT
// A debugger of somebody else's, on <lull/debug.h>: attach SOCKET. Catches the next dispatch of the
// programs there, goes to where it uses its second buffer, prints what happened and $v0 of each
// lane, and leaves.
#include <inttypes.h>
#include <stdio.h>

#include <lull/debug.h>

static int failed(struct lull_error *err)
{
    if (err != NULL) {
        fprintf(stderr, "%s\n", lull_error_message(err));
        lull_error_free(err);
    }
    return err != NULL;
}

static void told(void *ctx, const struct lull_debug_event *e)
{
    (void)ctx;
    printf("event %d dispatch %" PRIu64 " stop %d breakpoint %u\n", (int)e->kind, e->dispatch,
           (int)e->stop, e->breakpoint);
}

static int go(struct lull_debug *d)
{
    unsigned number = 0;
    struct lull_typed_value v = {0};
    lull_debug_on_event(d, told, NULL);
    if (failed(lull_debug_catch(d, LULL_CATCHPOINT_ALL, "", true, &number)) ||
        failed(lull_debug_continue(d)) || failed(lull_debug_step(d, LULL_STEP_INSN, 1)) ||
        failed(lull_debug_break(d, "*b1.use", NULL, false, &number)) ||
        failed(lull_debug_continue(d)) || failed(lull_debug_read_register(d, "v0", &v))) {
        return 1;
    }
    for (unsigned i = 0; i < v.value.lanes; i++) {
        printf("%" PRIu64 "%s", v.value.v[i], i + 1 < v.value.lanes ? " " : "\n");
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct lull_debug *d = NULL;
    if (argc != 2 || failed(lull_debug_open_socket(argv[1], &d))) {
        return 1;
    }
    const int status = go(d);
    lull_debug_close(d);
    return status;
}
