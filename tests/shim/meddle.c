// SPDX-License-Identifier: MIT
/* Loaded into lull itself: what happens to come between two calls of it, comes between them for
 * sure. */
#include <dlfcn.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

__attribute__((visibility("default"))) int fchmodat(int dir, const char *path, mode_t mode,
                                                    int flags);
__attribute__((visibility("default"))) int prctl(int option, ...);

/* The mode that a socket has before this call goes into the file MEDDLE_MODE. */
int fchmodat(int dir, const char *path, mode_t mode, int flags)
{
    int (*real)(int, const char *, mode_t, int) = NULL;
    *(void **)&real = dlsym(RTLD_NEXT, "fchmodat");
    const char *to = getenv("MEDDLE_MODE");
    struct stat st = {0};
    FILE *f = to != NULL && fstatat(dir, path, &st, 0) == 0 && S_ISSOCK(st.st_mode) ? fopen(to, "w")
                                                                                    : NULL;
    if (f != NULL) {
        fprintf(f, "%o", (unsigned)st.st_mode & 07777);
        fclose(f);
    }
    return real(dir, path, mode, flags);
}

/* With MEDDLE_DIES the parent dies just before its child wants to be told of that. */
int prctl(int option, ...)
{
    int (*real)(int, ...) = NULL;
    *(void **)&real = dlsym(RTLD_NEXT, "prctl");
    const pid_t parent = getppid();
    unsigned long a[4] = {0};
    va_list args;
    va_start(args, option);
    for (unsigned i = 0; i < 4; i++) {
        a[i] = va_arg(args, unsigned long);
    }
    va_end(args);
    if (option == PR_SET_PDEATHSIG && getenv("MEDDLE_DIES") != NULL) {
        kill(parent, SIGKILL);
        while (getppid() == parent) {
            usleep(1000);
        }
    }
    return real(option, a[0], a[1], a[2], a[3]);
}
