// SPDX-License-Identifier: MIT
/** @file
 * In the place of the C library's list of functions that only fail, which is different for each
 * kind of host: templates for another kind are compiled with the headers of this one.
 */
