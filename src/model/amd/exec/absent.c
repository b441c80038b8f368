// SPDX-License-Identifier: MIT
// What stands for the parts of the engine that are not in this build: no memory, no traps.
#include "model/amd/exec.h"

__attribute__((weak)) uint8_t *lull_vm_walk(struct lull_vm *vm, uint64_t va, uint32_t access)
{
    vm->fault = (struct lull_vm_fault){.va = va, .access = access};
    return NULL;
}

__attribute__((weak)) void lull_vm_flush(struct lull_vm *vm)
{
    (void)vm;
}

__attribute__((weak)) bool lull_vm_read(struct lull_vm *vm, uint64_t va, void *buf, size_t size)
{
    (void)buf;
    return size == 0 || lull_vm_walk(vm, va, LULL_ACCESS_READ) != NULL;
}

__attribute__((weak)) bool lull_vm_write(struct lull_vm *vm, uint64_t va, const void *buf, size_t size)
{
    (void)buf;
    return size == 0 || lull_vm_walk(vm, va, LULL_ACCESS_WRITE) != NULL;
}

__attribute__((weak)) uint32_t lull_wave_hwreg(const struct lull_wave *w, unsigned id)
{
    (void)w, (void)id;
    return 0;
}

__attribute__((weak)) void lull_wave_set_hwreg(struct lull_wave *w, unsigned id, uint32_t value)
{
    (void)w, (void)id, (void)value;
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
