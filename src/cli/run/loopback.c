// SPDX-License-Identifier: MIT
#include "cli/run/loopback.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/socket.h>

#include "base/cleanup.h"

struct lull_error *lull_loopback_listen(unsigned port, int backlog, int *ret, unsigned *ret_port)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    lull_cleanup(lull_closep) int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int on = 1;
    if (s < 0 || setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(s, (const struct sockaddr *)&at, sizeof at) != 0 || listen(s, backlog) != 0 ||
        getsockname(s, (struct sockaddr *)&at, &size) != 0) {
        return lull_error_os(errno, "127.0.0.1:%u", port);
    }
    *ret_port = ntohs(at.sin_port);
    *ret = s;
    s = -1;
    return NULL;
}

struct lull_error *lull_loopback_token(char ret[LULL_TOKEN_ROOM])
{
    uint8_t bytes[LULL_TOKEN_BYTES];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) {
        return lull_error_os(errno, "getrandom");
    }
    for (size_t i = 0; i < sizeof bytes; i++) {
        (void)snprintf(ret + 2 * i, 3, "%02x", bytes[i]);
    }
    return NULL;
}
