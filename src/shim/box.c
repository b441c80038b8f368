// SPDX-License-Identifier: MIT
// Calls through memory that the driver looks at, too (vdrm/core/box.h). The program's own memory is
// read and written by the kernel, as a message would: it may not be there.
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "shim/shim.h"

// Bytes from or to memory that may not be there. @return 0 or -errno.
static int copy(void *own, const void *there, size_t size, bool in)
{
    const struct iovec local = {.iov_base = own, .iov_len = size};
    struct iovec remote = {.iov_len = size};
    memcpy(&remote.iov_base, &there, sizeof there);
    const long n = syscall(in ? SYS_process_vm_readv : SYS_process_vm_writev, getpid(), &local, 1,
                           &remote, 1, 0);
    return n == (long)size ? 0 : n < 0 ? -errno : -EFAULT;
}

struct lull_box *lull_shim_box_map(int fd)
{
    static const char from = 1;
    char to = 0;
    if (copy(&to, &from, sizeof to, true) != 0 || copy(&to, &to, sizeof to, false) != 0) {
        return NULL; // An emulator or a sandbox does not let us.
    }
    void *p =
        lull_shim_mmap(NULL, sizeof(struct lull_box), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED) {
        return NULL;
    }
    // A child of the program has a connection of its own.
    if (syscall(SYS_madvise, p, sizeof(struct lull_box), MADV_DONTFORK) != 0) {
        lull_shim_box_unmap(p);
        return NULL;
    }
    return p;
}

void lull_shim_box_unmap(struct lull_box *b)
{
    if (b != NULL) {
        syscall(SYS_munmap, b, sizeof *b);
    }
}

int lull_shim_box_send(struct lull_box *b, const struct lull_shim_call *c)
{
    if (c->send_fd >= 0 || c->ntail > sizeof b->tail) {
        lull_box_tell(&b->to_driver, LULL_BOX_SOCKET);
        return -EAGAIN;
    }
    if (!lull_box_open(&b->to_driver)) {
        return -EAGAIN;
    }
    const int r = c->ntail != 0 ? copy(b->tail, c->tail, c->ntail, true) : 0;
    if (r != 0) {
        return r;
    }
    b->request = c->request;
    b->ntail = c->ntail;
    return lull_box_tell(&b->to_driver, LULL_BOX_FULL) ? 0 : -EAGAIN;
}

int lull_shim_box_take(const struct lull_box *b, struct lull_shim_call *c)
{
    c->reply = b->reply;
    const size_t n = b->nback < c->narg ? b->nback : c->narg;
    return n != 0 ? copy((void *)b->back, c->arg, n, false) : 0;
}
