// SPDX-License-Identifier: MIT
/** @file
 * How a program's layer tells the virtual driver of frames; no real kernel has it, and answers
 * EINVAL.
 */
#ifndef LULL_DRM_AMDGPU_FRAME_ABI_H
#define LULL_DRM_AMDGPU_FRAME_ABI_H

#include <sys/ioctl.h>

/** On any file of the device: the process has presented a frame. What it submits from now on is of
 * the next one; frames count from 0 for each process. No argument. */
#define LULL_IOCTL_PRESENTED _IO('d', 0x9f)

#endif
