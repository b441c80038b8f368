; SPDX-License-Identifier: MIT
; A pixel shader: parameter 0, interpolated, times the four floats of set 0, binding 0.
target triple = "amdgcn-amd-amdpal"

declare <4 x i32> @lull.buffer.desc(i32, i32, i32)
declare float @llvm.amdgcn.s.buffer.load.f32(<4 x i32>, i32, i32)
declare float @llvm.amdgcn.lds.param.load(i32, i32, i32)
declare float @llvm.amdgcn.interp.inreg.p10(float, float, float)
declare float @llvm.amdgcn.interp.inreg.p2(float, float, float)
declare void @llvm.amdgcn.exp.f32(i32, i32, float, float, float, float, i1, i1)

define internal float @interpolate(float %p, float %i, float %j) alwaysinline {
  %p10 = call float @llvm.amdgcn.interp.inreg.p10(float %p, float %i, float %p)
  %v = call float @llvm.amdgcn.interp.inreg.p2(float %p, float %j, float %p10)
  ret float %v
}

define amdgpu_ps void @pixel(i32 inreg %mask, <2 x float> %sample, <2 x float> %center) #0 {
  %i = extractelement <2 x float> %center, i32 0
  %j = extractelement <2 x float> %center, i32 1
  %pr = call float @llvm.amdgcn.lds.param.load(i32 0, i32 0, i32 %mask)
  %r = call float @interpolate(float %pr, float %i, float %j)
  %pg = call float @llvm.amdgcn.lds.param.load(i32 1, i32 0, i32 %mask)
  %g = call float @interpolate(float %pg, float %i, float %j)
  %pb = call float @llvm.amdgcn.lds.param.load(i32 2, i32 0, i32 %mask)
  %b = call float @interpolate(float %pb, float %i, float %j)
  %tint = call <4 x i32> @lull.buffer.desc(i32 0, i32 0, i32 0)
  %tr = call float @llvm.amdgcn.s.buffer.load.f32(<4 x i32> %tint, i32 0, i32 0)
  %tg = call float @llvm.amdgcn.s.buffer.load.f32(<4 x i32> %tint, i32 4, i32 0)
  %tb = call float @llvm.amdgcn.s.buffer.load.f32(<4 x i32> %tint, i32 8, i32 0)
  %red = fmul float %r, %tr
  %green = fmul float %g, %tg
  %blue = fmul float %b, %tb
  call void @llvm.amdgcn.exp.f32(i32 0, i32 15, float %red, float %green, float %blue, float 1.0, i1 true, i1 true)
  ret void
}

attributes #0 = { "InitialPSInputAddr"="2" }
