// SPDX-License-Identifier: MIT
// Which feature of a device each SPIR-V capability needs.
// Source: Vulkan 1.3 specification, appendix A "Vulkan Environment for SPIR-V", table of
// capabilities.
#include <spirv/unified1/spirv.h>

#include "vk/internal.h"

struct need {
    uint32_t capability;
    const char *name;
    size_t feature; ///< Of the VkBool32 in struct vk_features.
};

enum { COOPERATIVE_MATRIX = 6022 }; // newer than the package's header

#define AT(member) offsetof(struct vk_features, member)

// clang-format off
static const struct need needs[] = {
    {SpvCapabilityFloat64, "Float64", AT(core.features.shaderFloat64)},
    {SpvCapabilityInt64, "Int64", AT(core.features.shaderInt64)},
    {SpvCapabilityInt16, "Int16", AT(core.features.shaderInt16)},
    {SpvCapabilityInt8, "Int8", AT(v12.shaderInt8)},
    {SpvCapabilityFloat16, "Float16", AT(v12.shaderFloat16)},
    {SpvCapabilityInt64Atomics, "Int64Atomics", AT(v12.shaderBufferInt64Atomics)},
    {SpvCapabilityInt64Atomics, "Int64Atomics", AT(v12.shaderSharedInt64Atomics)},
    {SpvCapabilityInt64ImageEXT, "Int64ImageEXT", AT(image_int64.shaderImageInt64Atomics)},
    {SpvCapabilityAtomicFloat32AddEXT, "AtomicFloat32AddEXT", AT(atomic_float.shaderBufferFloat32AtomicAdd)},
    {SpvCapabilityAtomicFloat32AddEXT, "AtomicFloat32AddEXT", AT(atomic_float.shaderSharedFloat32AtomicAdd)},
    {SpvCapabilityAtomicFloat32AddEXT, "AtomicFloat32AddEXT", AT(atomic_float.shaderImageFloat32AtomicAdd)},
    {SpvCapabilityAtomicFloat64AddEXT, "AtomicFloat64AddEXT", AT(atomic_float.shaderBufferFloat64AtomicAdd)},
    {SpvCapabilityAtomicFloat16AddEXT, "AtomicFloat16AddEXT", AT(atomic_float2.shaderBufferFloat16AtomicAdd)},
    {SpvCapabilityAtomicFloat32MinMaxEXT, "AtomicFloat32MinMaxEXT", AT(atomic_float2.shaderBufferFloat32AtomicMinMax)},
    {SpvCapabilityAtomicFloat32MinMaxEXT, "AtomicFloat32MinMaxEXT", AT(atomic_float2.shaderSharedFloat32AtomicMinMax)},
    {SpvCapabilityAtomicFloat64MinMaxEXT, "AtomicFloat64MinMaxEXT", AT(atomic_float2.shaderBufferFloat64AtomicMinMax)},
    {SpvCapabilityAtomicFloat16MinMaxEXT, "AtomicFloat16MinMaxEXT", AT(atomic_float2.shaderBufferFloat16AtomicMinMax)},
    {SpvCapabilityStorageBuffer16BitAccess, "StorageBuffer16BitAccess", AT(v11.storageBuffer16BitAccess)},
    {SpvCapabilityUniformAndStorageBuffer16BitAccess, "UniformAndStorageBuffer16BitAccess", AT(v11.uniformAndStorageBuffer16BitAccess)},
    {SpvCapabilityStoragePushConstant16, "StoragePushConstant16", AT(v11.storagePushConstant16)},
    {SpvCapabilityStorageBuffer8BitAccess, "StorageBuffer8BitAccess", AT(v12.storageBuffer8BitAccess)},
    {SpvCapabilityUniformAndStorageBuffer8BitAccess, "UniformAndStorageBuffer8BitAccess", AT(v12.uniformAndStorageBuffer8BitAccess)},
    {SpvCapabilityStoragePushConstant8, "StoragePushConstant8", AT(v12.storagePushConstant8)},
    {SpvCapabilityVariablePointers, "VariablePointers", AT(v11.variablePointers)},
    {SpvCapabilityVariablePointersStorageBuffer, "VariablePointersStorageBuffer", AT(v11.variablePointersStorageBuffer)},
    {SpvCapabilityPhysicalStorageBufferAddresses, "PhysicalStorageBufferAddresses", AT(v12.bufferDeviceAddress)},
    {SpvCapabilityVulkanMemoryModel, "VulkanMemoryModel", AT(v12.vulkanMemoryModel)},
    {SpvCapabilityVulkanMemoryModelDeviceScope, "VulkanMemoryModelDeviceScope", AT(v12.vulkanMemoryModelDeviceScope)},
    {SpvCapabilityRuntimeDescriptorArray, "RuntimeDescriptorArray", AT(v12.runtimeDescriptorArray)},
    {SpvCapabilityStorageBufferArrayNonUniformIndexing, "StorageBufferArrayNonUniformIndexing", AT(v12.shaderStorageBufferArrayNonUniformIndexing)},
    {SpvCapabilityUniformBufferArrayNonUniformIndexing, "UniformBufferArrayNonUniformIndexing", AT(v12.shaderUniformBufferArrayNonUniformIndexing)},
    {SpvCapabilitySampledImageArrayNonUniformIndexing, "SampledImageArrayNonUniformIndexing", AT(v12.shaderSampledImageArrayNonUniformIndexing)},
    {SpvCapabilityStorageImageArrayNonUniformIndexing, "StorageImageArrayNonUniformIndexing", AT(v12.shaderStorageImageArrayNonUniformIndexing)},
    {SpvCapabilityUniformTexelBufferArrayNonUniformIndexing, "UniformTexelBufferArrayNonUniformIndexing", AT(v12.shaderUniformTexelBufferArrayNonUniformIndexing)},
    {SpvCapabilityStorageTexelBufferArrayNonUniformIndexing, "StorageTexelBufferArrayNonUniformIndexing", AT(v12.shaderStorageTexelBufferArrayNonUniformIndexing)},
    {SpvCapabilityStorageImageReadWithoutFormat, "StorageImageReadWithoutFormat", AT(core.features.shaderStorageImageReadWithoutFormat)},
    {SpvCapabilityStorageImageWriteWithoutFormat, "StorageImageWriteWithoutFormat", AT(core.features.shaderStorageImageWriteWithoutFormat)},
    {SpvCapabilityImageCubeArray, "ImageCubeArray", AT(core.features.imageCubeArray)},
    {SpvCapabilitySampledCubeArray, "SampledCubeArray", AT(core.features.imageCubeArray)},
    {SpvCapabilityImageGatherExtended, "ImageGatherExtended", AT(core.features.shaderImageGatherExtended)},
    {SpvCapabilityMinLod, "MinLod", AT(core.features.shaderResourceMinLod)},
    {SpvCapabilityShaderClockKHR, "ShaderClockKHR", AT(clock.shaderSubgroupClock)},
    {SpvCapabilityWorkgroupMemoryExplicitLayoutKHR, "WorkgroupMemoryExplicitLayoutKHR", AT(explicit_layout.workgroupMemoryExplicitLayout)},
    {COOPERATIVE_MATRIX, "CooperativeMatrixKHR", AT(cooperative_matrix.matrix)},
    {SpvCapabilityDotProduct, "DotProduct", AT(v13.shaderIntegerDotProduct)},
};
// clang-format on

struct group {
    uint32_t capability;
    const char *name;
    VkSubgroupFeatureFlags flag;
};

static const struct group groups[] = {
    {SpvCapabilityGroupNonUniform, "GroupNonUniform", VK_SUBGROUP_FEATURE_BASIC_BIT},
    {SpvCapabilityGroupNonUniformVote, "GroupNonUniformVote", VK_SUBGROUP_FEATURE_VOTE_BIT},
    {SpvCapabilityGroupNonUniformArithmetic, "GroupNonUniformArithmetic",
     VK_SUBGROUP_FEATURE_ARITHMETIC_BIT},
    {SpvCapabilityGroupNonUniformBallot, "GroupNonUniformBallot", VK_SUBGROUP_FEATURE_BALLOT_BIT},
    {SpvCapabilityGroupNonUniformShuffle, "GroupNonUniformShuffle",
     VK_SUBGROUP_FEATURE_SHUFFLE_BIT},
    {SpvCapabilityGroupNonUniformShuffleRelative, "GroupNonUniformShuffleRelative",
     VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT},
    {SpvCapabilityGroupNonUniformClustered, "GroupNonUniformClustered",
     VK_SUBGROUP_FEATURE_CLUSTERED_BIT},
    {SpvCapabilityGroupNonUniformQuad, "GroupNonUniformQuad", VK_SUBGROUP_FEATURE_QUAD_BIT},
};

/** What no device is asked for here: a driver that does not know it may crash in its compiler.
 * Source: SPV_KHR_bfloat16, SPV_VALVE_mixed_float_dot_product. */
static const struct {
    uint32_t capability;
    const char *name;
} unasked[] = {
    {5116, "BFloat16TypeKHR"},
    {5117, "BFloat16DotProductKHR"},
    {5118, "BFloat16CooperativeMatrixKHR"},
    {6912, "DotProductFloat16AccFloat32VALVE"},
    {6913, "DotProductFloat16AccFloat16VALVE"},
    {6914, "DotProductBFloat16AccVALVE"},
    {6915, "DotProductFloat8AccFloat32VALVE"},
};

static const char *missing(const struct lull_vk *vk, uint32_t capability)
{
    const char *lacks = NULL;
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++) {
        const VkBool32 *on =
            (const VkBool32 *)(const void *)((const char *)&vk->features + needs[i].feature);
        if (needs[i].capability == capability) {
            if (*on) {
                return NULL; // where there are several, which one is meant depends on the memory
            }
            lacks = needs[i].name;
        }
    }
    if (lacks != NULL) {
        return lacks;
    }
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        if (groups[i].capability == capability &&
            (vk->props11.subgroupSupportedOperations & groups[i].flag) == 0) {
            return groups[i].name;
        }
    }
    for (size_t i = 0; i < sizeof unasked / sizeof unasked[0]; i++) {
        if (unasked[i].capability == capability) {
            return unasked[i].name;
        }
    }
    return NULL;
}

struct lull_error *vk_check_capabilities(const struct lull_vk *vk,
                                         const struct lull_vk_module *module)
{
    for (size_t i = 0; i < module->ncapabilities; i++) {
        const char *name = missing(vk, module->capabilities[i]);
        if (name != NULL) {
            return lull_error_new(LULL_ERR_UNSUPPORTED,
                                  "the shader needs the capability %s, '%s' does not have it", name,
                                  lull_vk_name(vk));
        }
    }
    return NULL;
}
