// SPDX-License-Identifier: MIT
// Devices by the key that their handles, queues and command buffers share.
#include <string.h>

#include "layer/layer.h"

static struct lull_layer_device *known; // With the lock held.

void *lull_layer_key(const void *handle)
{
    void *key = NULL;
    memcpy(&key, handle, sizeof key); // The loader puts its table's address first.
    return key;
}

struct lull_layer_device *lull_layer_device(const void *handle)
{
    void *key = lull_layer_key(handle);
    lull_layer_lock();
    struct lull_layer_device *d = known;
    while (d != NULL && d->key != key) {
        d = d->other;
    }
    lull_layer_unlock();
    return d;
}

void lull_layer_device_add(struct lull_layer_device *d)
{
    d->other = known;
    known = d;
}

void lull_layer_device_drop(struct lull_layer_device *d)
{
    struct lull_layer_device **at = &known;
    while (*at != d) {
        at = &(*at)->other;
    }
    *at = d->other;
}
