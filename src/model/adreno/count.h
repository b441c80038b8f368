// SPDX-License-Identifier: MIT
/** @file
 * Occlusion queries: who wants to know how many samples have passed.
 *
 * Source: Mesa vulkan/tu_query_pool.cc (what is expected where); registers/adreno/adreno_pm4.xml.
 */
#ifndef LULL_MODEL_ADRENO_COUNT_H
#define LULL_MODEL_ADRENO_COUNT_H

#include "hw/apkt.h"
#include "model/adreno/draw/rop.h"

/**
 * CP_EVENT_WRITE, or CP_EVENT_WRITE7 (@p seven), is done: if it is ZPASS_DONE, the number of
 * samples, of 64 bits, goes to RB_SAMPLE_COUNT_ADDR, or on a7xx to where the packet says: the begin
 * of a query to the address, its end 16 bytes on, and what lies between is added 8 bytes on.
 */
void lull_agpu_count(const struct lull_arop_source *s, bool seven,
                     const struct lull_apkt_args *args);

#endif
