// SPDX-License-Identifier: MIT
// Which vertices are a primitive. Order and provoking vertices: Vulkan 1.3, "Primitive Topologies".
#include "hw/adreno_pkts.h"
#include "model/adreno/draw/front.h"

const char *lull_adraw_shape(unsigned prim, enum lull_raster_shape *ret)
{
    switch (prim) {
    case LULL_DI_PT_POINTLIST_PSIZE:
    case LULL_DI_PT_POINTLIST:
        *ret = LULL_RASTER_POINT;
        return NULL;
    case LULL_DI_PT_LINELIST:
    case LULL_DI_PT_LINESTRIP:
        *ret = LULL_RASTER_LINE;
        return NULL;
    case LULL_DI_PT_TRILIST:
    case LULL_DI_PT_TRIFAN:
    case LULL_DI_PT_TRISTRIP:
        *ret = LULL_RASTER_TRIANGLE;
        return NULL;
    case LULL_DI_PT_RECTLIST:
        *ret = LULL_RASTER_RECT;
        return NULL;
    default:
        *ret = LULL_RASTER_POINT;
        return prim >= LULL_DI_PT_PATCHES0 ? "tessellation" : "primitives with adjacency, or loops";
    }
}

static void primitive(struct lull_adraw *d, unsigned a, unsigned b, unsigned c, unsigned provoking)
{
    const struct lull_adraw_vertex *v = d->vertices;
    d->like = (struct lull_adraw_part){
        .vertex = {&v[a], &v[b], &v[c]}, .provoking = provoking, .id = d->assembly.id++};
}

/** Vertex @p v with those before it. @return False: it is not the last of a primitive. */
static bool add(struct lull_adraw *d, unsigned v)
{
    struct lull_adraw_assembly *a = &d->assembly;
    const bool last = d->last_provokes;
    const unsigned v0 = a->vertex[0], v1 = a->vertex[1];
    const unsigned need = d->shape == LULL_RASTER_POINT      ? 1
                          : d->shape == LULL_RASTER_TRIANGLE ? 3
                                                             : 2;
    if (a->have + 1 < need) {
        a->vertex[a->have++] = v;
        return false;
    }
    switch (d->call.prim) {
    case LULL_DI_PT_LINESTRIP:
        a->vertex[0] = v;
        primitive(d, v0, v, v0, last ? 1 : 0);
        return true;
    case LULL_DI_PT_TRISTRIP:
        a->vertex[0] = v1;
        a->vertex[1] = v;
        a->odd = !a->odd;
        if (a->odd) { // The one before was even: this is the first, third ...
            primitive(d, v0, v1, v, last ? 2 : 0);
        } else {
            primitive(d, v0, v, v1, last ? 1 : 0);
        }
        return true;
    case LULL_DI_PT_TRIFAN:
        a->vertex[1] = v;
        primitive(d, v1, v, v0, last ? 1 : 0);
        return true;
    default:
        a->have = 0;
        primitive(d, need == 1 ? v : v0, need == 3 ? v1 : v, v, last ? need - 1 : 0);
        return true;
    }
}

void lull_adraw_carry(struct lull_adraw *d)
{
    for (unsigned i = 0; i < d->assembly.have; i++) {
        d->vertices[i] = d->vertices[d->assembly.vertex[i]];
        d->assembly.vertex[i] = i;
    }
}

bool lull_adraw_assemble(struct lull_adraw *d)
{
    while (d->lane < d->nlanes) {
        const struct lull_adraw_lane *l = &d->lanes[d->lane];
        if (l->cuts) {
            const uint32_t id = l->begins ? 0 : d->assembly.id;
            d->assembly = (struct lull_adraw_assembly){.id = id};
        }
        if (add(d, LULL_ADRAW_CARRIED + d->lane++)) {
            d->like.instance = l->instance;
            lull_adraw_count(d, LULL_ADRAW_PRIMITIVES, 1);
            return true;
        }
    }
    return false;
}
