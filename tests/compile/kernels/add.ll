; SPDX-License-Identifier: MIT
; A kernel in LLVM IR.
target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @add_ir(ptr addrspace(1) %p) {
  %v = load i32, ptr addrspace(1) %p
  %w = add i32 %v, 1
  store i32 %w, ptr addrspace(1) %p
  ret void
}
