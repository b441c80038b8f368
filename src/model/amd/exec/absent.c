// SPDX-License-Identifier: MIT
// What stands for the parts of the engine that are not in this build: no memory, no traps.
#include "model/amd/exec.h"

__attribute__((weak)) uint8_t *lull_vm_walk(struct lull_vm *vm, uint64_t va, uint32_t access)
{
    vm->fault = (struct lull_vm_fault){.va = va, .access = access};
    return NULL;
}

__attribute__((weak)) bool lull_wave_trap(struct lull_wave *w, uint32_t trap_id, bool host_trap)
{
    (void)w, (void)trap_id, (void)host_trap;
    return false;
}

__attribute__((weak)) lull_exec_fn *lull_mem_handler(const struct lull_rdna_insn *in)
{
    (void)in;
    return NULL;
}

__attribute__((weak)) lull_exec_fn *lull_sys_handler(const struct lull_rdna_insn *in)
{
    (void)in;
    return NULL;
}
