// SPDX-License-Identifier: MIT
// 32 bodies in a row pull at each other: WebGPU by Dawn, npm's package webgpu. docs/tour.md debugs it.
import { create, globals } from 'webgpu';
Object.assign(globalThis, globals);
const gpu = create(['enable-dawn-features=disable_symbol_renaming']); // the shader's names stay
const device = await (await gpu.requestAdapter()).requestDevice();
const code = `
struct Body { pos: vec2f, vel: vec2f }
@group(0) @binding(0) var<storage, read_write> bodies: array<Body>;
@group(0) @binding(1) var<uniform> dt: f32;
@compute @workgroup_size(32) fn step(@builtin(global_invocation_id) id: vec3u) {
  var pull = vec2f(0);
  let me = bodies[id.x];
  for (var k = 0u; k < arrayLength(&bodies); k++) {
    let away = bodies[k].pos - me.pos;
    pull += away / (dot(away, away) + 0.01);
  }
  bodies[id.x].vel = me.vel + pull * dt;
}`;
const start = new Float32Array(32 * 4).map((_, i) => (i % 4 ? 0 : i / 4)); // 32 bodies in a row
const { STORAGE, UNIFORM, MAP_READ, COPY_SRC, COPY_DST } = GPUBufferUsage;
const bodies = device.createBuffer({ size: start.byteLength, usage: STORAGE | COPY_SRC | COPY_DST });
const dt = device.createBuffer({ size: 4, usage: UNIFORM | COPY_DST });
const back = device.createBuffer({ size: start.byteLength, usage: MAP_READ | COPY_DST });
device.queue.writeBuffer(bodies, 0, start);
device.queue.writeBuffer(dt, 0, new Float32Array([0.5]));
const module = device.createShaderModule({ code });
const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module } });
const entries = [bodies, dt].map((buffer, binding) => ({ binding, resource: { buffer } }));
const group = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
const commands = device.createCommandEncoder();
const pass = commands.beginComputePass();
pass.setPipeline(pipeline);
pass.setBindGroup(0, group);
pass.dispatchWorkgroups(1);
pass.end();
commands.copyBufferToBuffer(bodies, 0, back, 0, start.byteLength);
device.queue.submit([commands.finish()]);
await back.mapAsync(GPUMapMode.READ);
console.log('velocity of body 7:', new Float32Array(back.getMappedRange())[7 * 4 + 2]);
process.exit(0);
