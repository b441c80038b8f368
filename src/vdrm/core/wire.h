// SPDX-License-Identifier: MIT
/** @file
 * What a client process and the driver process say to each other: docs/formats/shim-protocol.md.
 *
 * One SOCK_SEQPACKET connection for each client thread; one request, then one reply. Both ends are
 * of one build and one machine: native byte order, and the version is checked once.
 */
#ifndef LULL_VDRM_CORE_WIRE_H
#define LULL_VDRM_CORE_WIRE_H

#include <stdint.h>

enum {
    LULL_WIRE_VERSION = 6,
    LULL_WIRE_MAX_PATH = 4096, ///< Bytes of a path behind a request, without a NUL.
    LULL_WIRE_MAX_ARG = 512,   ///< Bytes of an argument that goes along with its request.
    LULL_WIRE_AROUND = 512,    ///< Bytes in front of and behind it, at most.
};

enum lull_wire_op {
    LULL_WIRE_HELLO = 1, ///< a: version. Result: 0, or -EPROTO.
    LULL_WIRE_OPEN,      ///< a: flags of open(2); path behind. Result 0 and a file descriptor.
    LULL_WIRE_IOCTL,     ///< a: request; b: argument; c: see LULL_WIRE_ARG_BYTES.
    LULL_WIRE_PREAD,     ///< a: buffer; b: size; c: offset. Result: bytes.
    LULL_WIRE_PWRITE,    ///< As PREAD.
    LULL_WIRE_MMAP, ///< a: offset; b: size; c: protection | flags << 32, of mmap(2). Result 0: map
                    ///< what comes along at `offset`, or else the device file as it was asked.
    LULL_WIRE_RELEASE, ///< a: offset. What LULL_WIRE_UNSHARE asked for is done.
    LULL_WIRE_REAP,    ///< Something was closed: look now. Result 0.
    LULL_WIRE_KNOWN,  ///< a: address of LULL_WIRE_KNOWN_WORD. Result 0, or -EFAULT: pointers of the
                      ///< program are not those of its process.
    LULL_WIRE_PLACES, ///< The GPU's files are wanted in the folder. Result 0, or -errno.
    LULL_WIRE_BOX,    ///< Result 0 and the file of a struct lull_box (box.h), or -errno.
};

/** What the driver must find where the program says that it is: "lull". */
enum { LULL_WIRE_KNOWN_WORD = 0x6c6c756c };

enum {
    LULL_WIRE_ARG_FD = 1, ///< The descriptor that comes along is an argument, not the device.
    /** Behind an IOCTL are bytes of the client's memory from address c on, the argument among them.
     * Bytes behind the reply are what the argument is afterwards. */
    LULL_WIRE_ARG_BYTES = 2,
};

struct lull_wire_request {
    uint32_t op, flags;
    uint64_t dev, ino; ///< Of the device file, as fstat() gives them. Not for HELLO, OPEN.
    uint64_t a, b, c;  ///< By op. Pointers are the client's.
};

enum lull_wire_action {
    LULL_WIRE_NONE,
    LULL_WIRE_SEND_DEVICE, ///< Say that again, with the device file's descriptor attached.
    LULL_WIRE_SEND_ARG,    ///< Say that again, with descriptor `value` attached as an argument.
    LULL_WIRE_PATCH,       ///< The descriptor that comes along goes to the int at address `value`.
    LULL_WIRE_MOVED,       ///< As PATCH, but first: mappings of the device file at [offset, +size)
                           ///< become mappings of what comes along, at 0.
    LULL_WIRE_SHARE,   ///< Pages [address, +size) become the device file's at offset, which gets
                       ///< what is in them.
    LULL_WIRE_UNSHARE, ///< The other way round; then RELEASE.
};

struct lull_wire_reply {
    int64_t result; ///< As the system call: 0 or more, or -errno.
    uint32_t action;
    uint32_t nfds; ///< Descriptors that come along: 0 or 1.
    uint64_t value;
    uint64_t address, size, offset; ///< By action.
};

/* How a client knows files of ours without asking: by mode bits that no other file has. */
enum {
    LULL_WIRE_MODE_MASK = 07777,
    LULL_WIRE_MODE_RENDER = 03606, ///< /dev/dri/renderD128
    LULL_WIRE_MODE_CARD = 03660,   ///< /dev/dri/card0
    LULL_WIRE_MODE_DMABUF = 03600, ///< A buffer that was exported.
    LULL_WIRE_MODE_PLACE = 04000,  ///< In addition: a file that only holds the name.
};

#endif
