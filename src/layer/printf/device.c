// SPDX-License-Identifier: MIT
// The devices that there are.
#include <stdlib.h>
#include <unistd.h>

#include "layer/printf/printf.h"

static struct {
    pthread_mutex_t lock;
    struct lull_lp_device *devices;
    bool ends; ///< at_end() will be called.
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct lull_lp_device *lull_lp_device(const void *handle)
{
    void *key = lull_loader_key(handle);
    pthread_mutex_lock(&all.lock);
    struct lull_lp_device *d = all.devices;
    while (d != NULL && d->key != key) {
        d = d->other;
    }
    pthread_mutex_unlock(&all.lock);
    return d;
}

/** Programs end without destroying their devices, too. */
static void at_end(void)
{
    for (struct lull_lp_device *d = all.devices; d != NULL; d = d->other) {
        if (d->buffer != VK_NULL_HANDLE && d->prints && d->process == getpid()) {
            lull_lp_end(d);
        }
    }
}

void lull_lp_device_add(struct lull_lp_device *d)
{
    pthread_mutex_lock(&all.lock);
    if (!all.ends) {
        // Now that the driver is loaded, and not a destructor: NVIDIA's driver takes the buffer's
        // memory away as the program ends. What is registered later runs earlier.
        all.ends = atexit(at_end) == 0;
    }
    d->other = all.devices;
    all.devices = d;
    pthread_mutex_unlock(&all.lock);
}

void lull_lp_device_drop(struct lull_lp_device *d)
{
    pthread_mutex_lock(&all.lock);
    struct lull_lp_device **at = &all.devices;
    while (*at != d) {
        at = &(*at)->other;
    }
    *at = d->other;
    pthread_mutex_unlock(&all.lock);
}
