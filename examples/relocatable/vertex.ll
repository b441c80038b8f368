; SPDX-License-Identifier: MIT
; A vertex shader as a primitive shader of gfx11: position and colour from vertex buffer 0, 32 bytes a vertex.
target triple = "amdgcn-amd-amdpal"

declare i32 @lull.user.data(i32)
declare <4 x i32> @lull.vertex.desc(i32)
declare <4 x i32> @lull.attribute.ring(i32)
declare i32 @llvm.amdgcn.mbcnt.lo(i32, i32)
declare <4 x float> @llvm.amdgcn.struct.buffer.load.v4f32(<4 x i32>, i32, i32, i32, i32)
declare void @llvm.amdgcn.struct.buffer.store.v4f32(<4 x float>, <4 x i32>, i32, i32, i32, i32)
declare void @llvm.amdgcn.exp.f32(i32, i32, float, float, float, float, i1, i1)
declare void @llvm.amdgcn.exp.i32(i32, i32, i32, i32, i32, i32, i1, i1)

; s0 to s7 and v0 to v8 are what the hardware gives: s3 the numbers of this wave, s5 the place in the attribute ring,
; v0 the primitive as it goes out, v5 the vertex, v8 the instance.
define amdgpu_gs void @vertex(i32 inreg %s0, i32 inreg %s1, i32 inreg %s2, i32 inreg %info, i32 inreg %s4, i32 inreg %place,
    i32 inreg %s6, i32 inreg %s7, i32 %primitive, i32 %v1, i32 %v2, i32 %v3, i32 %v4, i32 %vertex, i32 %v6, i32 %v7, i32 %instance) {
  %lane = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %above = lshr i32 %info, 8
  %primitives = and i32 %above, 255
  %has.primitive = icmp ult i32 %lane, %primitives
  br i1 %has.primitive, label %connect, label %vertices

connect:
  call void @llvm.amdgcn.exp.i32(i32 20, i32 1, i32 %primitive, i32 poison, i32 poison, i32 poison, i1 true, i1 false)
  br label %vertices

vertices:
  %count = and i32 %info, 255
  %has.vertex = icmp ult i32 %lane, %count
  br i1 %has.vertex, label %fetch, label %end

fetch:
  %first = call i32 @lull.user.data(i32 268435459)
  %index = add i32 %vertex, %first
  %buffer = call <4 x i32> @lull.vertex.desc(i32 0)
  %position = call <4 x float> @llvm.amdgcn.struct.buffer.load.v4f32(<4 x i32> %buffer, i32 %index, i32 0, i32 0, i32 0)
  %colour = call <4 x float> @llvm.amdgcn.struct.buffer.load.v4f32(<4 x i32> %buffer, i32 %index, i32 16, i32 0, i32 0)
  ; parameter 0 of this vertex: 32 vertices a wave
  %ring = call <4 x i32> @lull.attribute.ring(i32 1)
  %wave = lshr i32 %info, 24
  %number = and i32 %wave, 15
  %before = shl i32 %number, 5
  %slot = add i32 %before, %lane
  %part = and i32 %place, 32767
  %bytes = shl i32 %part, 9
  call void @llvm.amdgcn.struct.buffer.store.v4f32(<4 x float> %colour, <4 x i32> %ring, i32 %slot, i32 0, i32 %bytes, i32 0)
  %x = extractelement <4 x float> %position, i32 0
  %y = extractelement <4 x float> %position, i32 1
  %z = extractelement <4 x float> %position, i32 2
  %w = extractelement <4 x float> %position, i32 3
  call void @llvm.amdgcn.exp.f32(i32 12, i32 15, float %x, float %y, float %z, float %w, i1 true, i1 false)
  br label %end

end:
  ret void
}
