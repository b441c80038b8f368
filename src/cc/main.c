// SPDX-License-Identifier: MIT
// lull-cc: the program behind `lull cc`.
#include <llvm-c/ErrorHandling.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cc/cc.h"

enum { USAGE = 2, FAILED = 3 };

// LLVM found something that it cannot go on with; nothing was written yet.
static void on_fatal(const char *reason)
{
    fprintf(stderr, "lull cc: LLVM: %s\n", reason);
    _exit(FAILED);
}

// The limit of a file's size: writing fails, and lull-cc says so.
static void no_more_room(int sig)
{
    (void)sig;
}

int main(int argc, char **argv)
{
    const struct sigaction fail = {.sa_handler = no_more_room, .sa_flags = SA_RESTART};
    (void)sigaction(SIGXFSZ, &fail, NULL);
    struct lull_cc_options options = {0};
    const bool lists = argc == 2 + LULL_CC_LIST_WORDS && strcmp(argv[1], "--list-code") == 0;
    const bool marks = argc == 4 && strcmp(argv[1], "--bounds") == 0; // For compile.c: IN OUT
    LLVMInstallFatalErrorHandler(on_fatal);
    struct lull_error *err = lists   ? lull_cc_list((const char *const *)argv + 2)
                             : marks ? NULL
                                     : lull_cc_options(argc - 1, argv + 1, &options);
    if (marks) {
        options = (struct lull_cc_options){
            .input = argv[2], .output = argv[3], .emit = LULL_CC_BC, .bounds = true};
    }
    err = err != NULL || lists ? err : lull_cc_run(&options);
    if (err == NULL) {
        return 0;
    }
    fprintf(stderr, "lull cc: %s\n", lull_error_message(err));
    if (lull_error_code(err) == LULL_ERR_INVALID) {
        fprintf(stderr, "usage: lull cc [OPTIONS] IN\n");
    }
    const int status = lull_error_code(err) == LULL_ERR_INVALID ? USAGE : FAILED;
    lull_error_free(err);
    return status;
}
