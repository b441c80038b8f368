; SPDX-License-Identifier: MIT
; out[i] = in[workgroup][i] * factor + bias, as a front end writes it that does not know the pipeline's layout.
; Set 0: binding 0 out, binding 1 an array of four inputs. Push constants: factor, bias.
declare <4 x i32> @lull.buffer.desc(i32 %set, i32 %binding, i32 %index)
declare i32 @lull.push.constant(i32 %offset)
declare i32 @lull.workgroup.id(i32 %dimension)
declare i32 @lull.local.id(i32 %dimension)
declare i32 @llvm.amdgcn.raw.buffer.load.i32(<4 x i32>, i32, i32, i32)
declare void @llvm.amdgcn.raw.buffer.store.i32(i32, <4 x i32>, i32, i32, i32)

define amdgpu_cs void @scale() !reqd_work_group_size !0 {
  %group = call i32 @lull.workgroup.id(i32 0)
  %lane = call i32 @lull.local.id(i32 0)
  %out = call <4 x i32> @lull.buffer.desc(i32 0, i32 0, i32 0)
  %in = call <4 x i32> @lull.buffer.desc(i32 0, i32 1, i32 %group)
  %factor = call i32 @lull.push.constant(i32 0)
  %bias = call i32 @lull.push.constant(i32 4)

  %from = shl i32 %lane, 2
  %x = call i32 @llvm.amdgcn.raw.buffer.load.i32(<4 x i32> %in, i32 %from, i32 0, i32 0)
  %scaled = mul i32 %x, %factor
  %y = add i32 %scaled, %bias
  %start = shl i32 %group, 8
  %to = add i32 %start, %from
  call void @llvm.amdgcn.raw.buffer.store.i32(i32 %y, <4 x i32> %out, i32 %to, i32 0, i32 0)
  ret void
}

!0 = !{i32 64, i32 1, i32 1}
