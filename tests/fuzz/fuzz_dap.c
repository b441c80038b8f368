// SPDX-License-Identifier: MIT
// lull_dap_serve() on any stream, over a session of the scripted target: no crash, no leak, an end.
// Commands of the debugger's console may write files, so inputs that ask for one are left out.
#include "fuzz.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../debug/script_target.h"
#include "debug/dap/dap.h"

struct made {
    struct script_target target;
    struct lull_debug *d;
};

static struct lull_error *made_open(void *ctx, int argc, char **argv, struct lull_debug **ret)
{
    struct made *m = ctx;
    for (int i = 0; i < argc; i++) {
        free(argv[i]);
    }
    free(argv);
    script_init(&m->target);
    struct lull_error *err = lull_debug_new(&m->target.target, NULL, 0, &m->d);
    if (err == NULL) {
        m->d->run = script_run;
        m->d->run_ctx = &m->target;
        *ret = m->d;
    }
    return err;
}

static void after(void *ctx)
{
    (void)ctx;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct made m = {.d = NULL};
    int status = 0;
    if (memmem(data, size, "repl", 4) != NULL || memmem(data, size, "commands", 8) != NULL ||
        memmem(data, size, "\\u", 2) != NULL || memmem(data, size, "cwd", 3) != NULL) {
        return 0;
    }
    const int in = memfd_create("dap", MFD_CLOEXEC), out = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (in < 0 || out < 0 || write(in, data, size) != (ssize_t)size ||
        lseek(in, 0, SEEK_SET) != 0) {
        abort();
    }
    const struct lull_dap_host host = {.in = in,
                                       .out = out,
                                       .printed = -1,
                                       .token = size % 2 != 0 ? "secret" : NULL,
                                       .open = made_open,
                                       .after = after,
                                       .ctx = &m};
    lull_error_free(lull_dap_serve(&host, &status));
    if (status != 0 && status != 1) {
        abort();
    }
    lull_debug_free(m.d);
    close(in);
    close(out);
    return 0;
}
