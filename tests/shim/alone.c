// SPDX-License-Identifier: MIT
// Statically linked: no dynamic linker reads LD_PRELOAD for it.
#include <unistd.h>

int main(void)
{
    return access("/dev/dri/renderD128", F_OK) == 0 ? 4 : 3;
}
