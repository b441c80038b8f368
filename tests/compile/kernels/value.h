// SPDX-License-Identifier: MIT
#define VALUE 42 // found beside the source
