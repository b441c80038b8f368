# SPDX-License-Identifier: MIT
"""Images and samplers of every kind."""
from table import *  # noqa: F401,F403

TOO_FEW_BITS = "abs:1e-2"  # lavapipe filters 8-bit textures in 8 bits.


def sample(name, texture, image, codes, value="vec4", tolerance=("abs:2e-5",), n=4, lavapipe=True):
    """One texture, up to five expressions."""
    defines = [f"-DTEXTURE={texture}", f"-DVALUE={value}"]
    defines += [f"-D{letter}={code}" for letter, code in zip("ABCDE", codes)]
    case(name, "texture.comp", n, {"0.0": "image:" + image, "0.1": f"zeros:{n * 64 * 5 * 16}"}, defines,
         ["0.1=" + t for t in tolerance], lavapipe=lavapipe, compare=["0.1"])


def storage(name, image, content, layout, xyz, size, value="vec4", scale="1.0/256.0", atomic=None):
    defines = [f"-DIMAGE={image}", f"-DFORMAT={layout}", f"-DXYZ={xyz}", f"-DSIZE={size}", f"-DVALUE={value}",
               f"-DSCALE={scale}"] + ([f"-DATOMIC={atomic}"] if atomic else [])
    # One store to each texel, so few where the image is small.
    n = 1 if xyz == "x" else 4
    defines.append(f"-DSTORES={17 if n == 1 else n * 64}u")
    case(name, "imageops.comp", n, {"0.0": "image:" + content, "0.1": f"zeros:{n * 4096}", "0.2": "image:" + content},
         defines, ["abs:1e-6"])


WRAPS = ["textureLod(t,p.xy,0.0)", "textureLod(t,p.xy,l)", "textureLodOffset(t,p.xy,0.0,ivec2(3,-4))",
         "texelFetch(t,ivec2(i%16u,i/16u),0)", "textureGrad(t,q.xy,vec2(0.0),vec2(0.0))"]
for wrap in ("repeat", "mirror", "clamp", "border:border=white", "border:border=black", "mirror-once"):
    short = wrap.split(":")[-1].replace("border=", "border-")
    # Between texels lavapipe mirrors the coordinate, Vulkan the texel.
    sample(f"texture-nearest-{short}", "sampler2D", f"16x16:rgba32f:rand:101:wrap={wrap}",
           [code.replace(".xy,", ".xy+1.0/512.0,") for code in WRAPS])
    sample(f"texture-linear-{short}", "sampler2D", f"16x16:rgba32f:rand:102:filter=linear:wrap={wrap}", WRAPS)
sample("texture-trilinear", "sampler2D", "16x16:r32f:rand:103:mips=5:filter=linear:mip=linear",
       ["textureLod(t,p.xy,l)", "textureLod(t,p.xy,0.0)", "texelFetch(t,ivec2(i%2u,i/2u%2u),int(i%4u))",
        "texture(t,p.xy)", "vec4(textureQueryLevels(t),textureSize(t,0),textureSize(t,3))"])
sample("texture-mip-nearest", "sampler2D", "16x16:r32f:rand:104:mips=5:filter=linear:wrap=clamp",
       ["textureLod(t,p.xy,l)"])
sample("texture-lod-bias-and-clamps", "sampler2D",
       "16x16:r32f:rand:105:mips=5:filter=linear:mip=linear:min-lod=0.75:max-lod=3.5:bias=-1.25",
       ["textureLod(t,p.xy,l)", "textureLod(t,p.xy,0.0)", "textureLod(t,p.xy,9.0)"])
sample("texture-grad", "sampler2D", "16x16:r32f:rand:106:mips=5:filter=linear:mip=linear",
       ["textureGrad(t,p.xy,vec2(exp2(-float(i%8u)),0),vec2(0,1.0/64))", "textureGrad(t,p.xy,vec2(0),vec2(0,0.5))",
        "textureGradOffset(t,p.xy,vec2(.25,0),vec2(0,.125),ivec2(1,2))"], tolerance=["abs:3e-2"])
sample("texture-1d", "sampler1D", "16:r32f:rand:107:mips=3:filter=linear:mip=linear",
       ["textureLod(t,p.x,l)", "texelFetch(t,int(i%16u),0)", "textureLodOffset(t,p.x,0.0,3)"])
sample("texture-1d-array", "sampler1DArray", "16:r32f:rand:108:layers=4:filter=linear",
       ["textureLod(t,vec2(p.x,q.x*2.0),0.0)", "texelFetch(t,ivec2(i%16u,i/16u%4u),0)", "vec4(textureSize(t,0),0,0)"])
sample("texture-2d-array", "sampler2DArray", "16x16:r32f:rand:109:layers=4:mips=5:filter=linear:mip=linear",
       ["textureLod(t,vec3(p.xy,q.x*2.0+.1),l)", "texelFetch(t,ivec3(i%4u,i/4u%4u,i/16u%4u),2)",
        "textureGather(t,vec3(p.xy,q.x*2.0+.1))", "vec4(textureSize(t,1),0)"])
sample("texture-3d", "sampler3D", "16x16x16:r32f:rand:110:mips=5:filter=linear:mip=linear",
       ["textureLod(t,p,l)", "textureLod(t,p,0.0)", "texelFetch(t,ivec3(i%16u,i/16u%16u,i%7u),0)",
        "textureLodOffset(t,p,1.0,ivec3(1,-2,3))", "vec4(textureSize(t,2),0)"])
sample("texture-3d-nearest", "sampler3D", "16x8x4:rgba8:rand:111:wrap=clamp", ["textureLod(t,p,0.0)"])
sample("texture-cube", "samplerCube", "16x16:r32f:rand:112:layers=6:filter=linear",
       ["textureLod(t,dir(21),0.0)", "vec4(textureSize(t,0),0,0)"], tolerance=["abs:8e-3"])
sample("texture-cube-small", "samplerCube", "2x2:r32f:rand:113:layers=6:filter=linear", ["textureLod(t,dir(22),0.0)"],
       tolerance=["abs:8e-3"])
sample("texture-cube-mips", "samplerCube", "16x16:r32f:rand:114:layers=6:mips=5:filter=linear:mip=linear",
       ["textureLod(t,dir(23),l)"], tolerance=["abs:1e-2"])
sample("texture-cube-array", "samplerCubeArray", "16x16:r32f:rand:115:layers=18:filter=linear",
       ["textureLod(t,vec4(dir(24),q.x*2.0+.1),0.0)", "vec4(textureSize(t,0),0)"], tolerance=["abs:8e-3"])
sample("texture-gather", "sampler2D", "16x16:rgba32f:rand:116",
       ["textureGather(t,p.xy,0)", "textureGather(t,p.xy,3)", "textureGatherOffset(t,p.xy,ivec2(3,-2),1)",
        "textureGatherOffsets(t,p.xy,ivec2[](ivec2(0,1),ivec2(-2,3),ivec2(4,-5),ivec2(1,1)),2)"])
sample("texture-gather-integers", "usampler2D", "16x16:rgba8ui:rand:117",
       ["textureGather(t,p.xy,1)", "textureLod(t,p.xy,0.0)", "texelFetch(t,ivec2(i%16u,i/16u),0)"], value="uvec4",
       tolerance=())
sample("texture-signed-integers", "isampler2D", "16x16:rgba32i:rand:118:wrap=clamp",
       ["textureLod(t,p.xy,0.0)", "texelFetch(t,ivec2(i%16u,i/16u),0)"], value="ivec4", tolerance=())
sample("texture-shadow", "sampler2DShadow", "16x16:d32f:rand:119:compare=less-equal",
       ["vec4(textureLod(t,vec3(p.xy,.5),0.0))", "textureGather(t,p.xy,.4)"])
sample("texture-shadow-d16", "sampler2DShadow", "16x16:d16:rand:120:compare=greater",
       ["vec4(textureLod(t,vec3(p.xy,q.x),0.0))"])
sample("texture-shadow-cube", "samplerCubeShadow", "16x16:d32f:rand:121:layers=6:compare=less",
       ["vec4(texture(t,vec4(dir(25),.5)))"])
sample("texture-unnormalized", "sampler2D", "16x16:r32f:rand:122:filter=linear:wrap=clamp:unnormalized:max-lod=0",
       ["textureLod(t,p.xy*16.0,0.0)"])
sample("texture-srgb", "sampler2D", "16x16:srgb8_a8:rand:123:filter=linear", ["textureLod(t,p.xy,0.0)"],
       tolerance=[TOO_FEW_BITS])
for number, fmt in enumerate(("r8", "rg8_snorm", "r16", "rgba16_snorm", "r16f", "rgba16f", "rg32f", "rgb10_a2", "bgra8",
                              "a1rgb5", "rgb9_e5")):
    sample(f"texture-{fmt}", "sampler2D", f"16x16:{fmt}:rand:{130 + number}", ["textureLod(t,p.xy,0.0)"],
           tolerance=["abs:4e-3" if fmt == "a1rgb5" else "abs:1e-6"])
sample("texture-big", "sampler2D", "300x200:rgba8:rand:150:mips=8",
       ["texelFetch(t,ivec2(r(31)%300u,r(32)%200u),0)", "texelFetch(t,ivec2(r(33)%37u,r(34)%25u),3)",
        "texelFetch(t,ivec2(r(35)%75u,r(36)%50u),2)", "texelFetch(t,ivec2(r(37)%2u,0),7)"], tolerance=["abs:1e-6"])
sample("texture-big-3d", "sampler3D", "64x40x70:r16f:rand:151:mips=6",
       ["texelFetch(t,ivec3(r(31)%64u,r(32)%40u,r(33)%70u),0)", "texelFetch(t,ivec3(r(33)%8u,r(34)%5u,r(35)%8u),3)"])

for number, (fmt, value, scale) in enumerate((
        ("r32f", "vec4", "1.0/256.0"), ("rgba32f", "vec4", "1.0/256.0"), ("rgba16f", "vec4", "1.0/256.0"),
        ("rgba8", "vec4", "1.0/255.0"), ("rgba8_snorm", "vec4", "1.0/127.0-1.0"), ("rgb10_a2", "vec4", "1.0/341.0"),
        ("r11f_g11f_b10f", "vec4", "0.25"), ("rgba8ui", "uvec4", "1"), ("rgba8i", "ivec4", "0.5"),
        ("rg16ui", "uvec4", "200"), ("r32i", "ivec4", "-70000"), ("rgba32ui", "uvec4", "9000000"))):
    kind = {"vec4": "", "uvec4": "u", "ivec4": "i"}[value]
    storage(f"image-{fmt}", kind + "image2D", f"16x16:{fmt}:rand:{170 + number}", fmt, "xy",
            f"{value}(imageSize(t),0,0)", value, scale)
storage("image-1d", "image1D", "16:r32f:rand:190", "r32f", "x", "vec4(imageSize(t),0,0,0)")
storage("image-1d-array", "image1DArray", "16:r32f:rand:191:layers=16", "r32f", "xy", "vec4(imageSize(t),0,0)")
storage("image-2d-array", "image2DArray", "16x16:r32f:rand:192:layers=5", "r32f", "xyz", "vec4(imageSize(t),0)")
storage("image-3d", "image3D", "16x16x5:r32f:rand:193", "r32f", "xyz", "vec4(imageSize(t),0)")
storage("image-cube", "imageCube", "16x16:r32f:rand:194:layers=6", "r32f", "xyz", "vec4(imageSize(t),0,0)")
storage("image-linear", "image2D", "16x16:r32f:rand:195:linear", "r32f", "xy", "vec4(imageSize(t),0,0)")
storage("image-atomics", "uimage2D", "16x16:r32ui:rand:196", "r32ui", "xy", "uvec4(imageSize(t),0,0)", "uvec4", "1",
        "uint")
storage("image-atomics-signed", "iimage2D", "16x16:r32i:rand:197", "r32i", "xy", "ivec4(imageSize(t),0,0)", "ivec4",
        "1", "int")
storage("image-atomics-3d", "uimage3D", "16x4x4:r32ui:rand:198", "r32ui", "xyz", "uvec4(imageSize(t),0)", "uvec4", "1",
        "uint")
for fmt, value, values in (("rgba8", "vec4", "1,.25,.75,.125"), ("rgba8_snorm", "vec4", "1,-.25,.75,-.125"),
                           ("rgba16", "vec4", "1,.25,.75,.125"), ("rgba16_snorm", "vec4", "1,-.25,.75,-.125"),
                           ("rgba16f", "vec4", "1,.25,-.75,1024"), ("rgba32f", "vec4", "1,.25,-.75,1024"),
                           ("rgb10_a2", "vec4", "1,.25,.75,1"), ("rgba8ui", "uvec4", "1,2,3,200"),
                           ("rgba16i", "ivec4", "1,-2,3,-30000"), ("rgba32ui", "uvec4", "1,2,3,40000")):
    kind = {"vec4": "", "uvec4": "u", "ivec4": "i"}[value]
    defines = [f"-DFORMAT={fmt}", f"-DKIND={value}", f"-DVALUES={values}"]
    case(f"image-sparse-{fmt}", "sparse.comp", 1, {"0.0": f"image:16x16:{fmt}:rand:201"},
         [*defines, f"-DIMAGE={kind}image2D", "-DAT(m)=ivec2(m,y)"])
    case(f"texels-sparse-{fmt}", "sparse.comp", 1, {"0.0": f"texels:{fmt}:rand:202:{64 * 16}:u32"},
         [*defines, f"-DIMAGE={kind}imageBuffer", "-DAT(m)=m+16*y"])
