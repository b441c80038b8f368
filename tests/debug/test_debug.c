// SPDX-License-Identifier: MIT
// The debugger's engine and commands on a scripted target. Every expected text was worked out by
// hand.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "debug/shell/debugger.h"
#include "script_target.h"
#include "test.h"

struct row {
    const char *command;
    const char *expected; ///< A piece of the output, or of the error if bad.
    bool bad;
};

static const struct row before_start[] = {
    {"continue", "not started", true},           {"stepi", "not started", true},
    {"print $s0", "not started", true},          {"info registers", "not started", true},
    {"print 1+2*3", "= 0x00000007  (7)", false}, {"info waves", "No waves", false},
};

static const struct row expressions[] = {
    {"start",
     "Wave 0 (workgroup 0,0,0 wave 0) stands at its first instruction, lane 0\n=> 0x000000100000: "
     "s_nop 0\n",
     false},
    {"print (1+2)*3", "(9)", false},
    {"print 2+3<<1", "(10)", false},
    {"print 10-4-3", "(3)", false},
    {"print 1|2^3&2", "(1)", false},
    {"print 6 & 3 == 3", "(0)", false},
    {"print 1 < 2 == 1", "(1)", false},
    {"print 1 && 0 || 1", "(1)", false},
    {"print -1", "0xffffffff", false},
    {"print/d -1", "= -1\n", false},
    {"print ~0u >> 28", "(15)", false},
    {"print ~0 >> 28", "(-1)", false},
    {"print 1.5+1.5", "= 3\n", false},
    {"print -1 < 0", "= 0x00000001  (1)\n", false},
    {"print $s0 - 1 < 0", "(0)", false},
    {"print 0.0/0 == 0.0/0", "(0)", false},
    {"print (float)$s5 / 2", "= 130.5\n", false},
    {"print (int)2.9", "= 0x00000002  (2)\n", false},
    {"print $v1.f32[5] == 1005", "(0)", false},
    {"print $v1[5].f32", "= 1.40830496e-42\n", false},
    {"print/f $v1[5]", "= 1.40830496e-42\n", false},
    {"print (float)$v1", "lane  0: *1000  1001  1002  1003  1004  1005  1006  1007\n", false},
    {"print $v1 > 1004 ? $v1 / 2.0f : -1", "*-1  -1  -1  -1  -1  502.5  503  503.5\n", false},
    {"print 1000 / ($v1 - 1008)", "lane  8:  (-)  (0x000003e8)", false},
    {"print 1000 / ($v1 - 1007)", "lane 7: division by zero", true},
    {"print 1 << $v1[2]", "shift by 1002: a number of 32 bits is shifted by 0 to 31", true},
    {"print $v1 & 1.5", "'&' takes integers, not f64", true},
    {"print $s9 = 4", "$s9 = 0x00000004  (4)\n", false},
    {"print sizeof $s[4:5]", "(8)", false},
    {"print !5", "(0)", false},
    {"print/x 17 % 5", "= 0x00000002\n", false},
    {"print 0x100000000 + 1", "0x0000000100000001", false},
    {"print/f 1.5", "= 1.5\n", false},
    {"print/t 5", "101\n", false},
    {"print/c 65", "'A'", false},
    {"print code + 4", "0x0000000000100004", false},
    {"print $s5", "0x00000105  (261)", false},
    {"print $exec", "0x000000ff  (255)", false},
    {"print $vcc", "0x12345678", false},
    {"print $m0 + $s1", "(264)", false},
    {"print $pc", "0x0000000000100000", false},
    {"print $scc", "(1)", false},
    {"print $s[4:5]", "0x0000010500000104", false},
    {"print $v3[5]", "0x00000bbd  (3005)", false},
    {"print $v[2:3][5]", "0x00000bbd000007d5", false},
    {"print/u $v1", "lane  0: *1000  1001  1002  1003  1004  1005  1006  1007\n", false},
    {"print/u $v1", "lane  8:  (1008)", false},
    {"print/u $v1 + $v2 * 2", "*5000  5003  5006", false},
    {"print 1 +", "at column 4", true},
    {"print (1+2", "missing bracket at column 5", true},
    {"print 1/0", "division by zero", true},
    {"print 1 2", "'2' is left over", true},
    {"print nosuch", "no symbol or buffer 'nosuch'", true},
    {"print $nosuch", "no register '$nosuch'", true},
    {"print $s200", "no register '$s200'", true},
    {"print $v3[32]", "lane 32: the wave has lanes 0 to 31", true},
    {"print $v9", "no register 9", true},
    {"print {u33}0", "unknown type", true},
    {"print {u32}$v1", "lane 0: 0x3e8 is not mapped", true},
    {"print 99999999999999999999", "out of range", true},
};

static const struct row writes[] = {
    {"set $s[4:5] = 0x1122334455667788", "", false},
    {"print $s4", "0x55667788", false},
    {"print $s5", "0x11223344", false},
    {"set $s7 = $s7 + 1", "", false},
    {"print $s7", "0x00000108", false},
    {"set $v3 = 9", "", false},
    {"print/u $v3", "*9  3001", false},
    {"set $v3[6] = 60", "", false},
    {"print $v3[6]", "(60)", false},
    {"set $v3[*] = 4", "", false},
    {"print/u $v3", "*4  4  4  4  4  4  4  4\n", false},
    {"print $v3[8]", "(3008)", false},
    {"set $v2 = $v2 + $v1", "", false},
    {"print $v2[5]", "(3010)", false},
    {"set $scc = 0", "", false},
    {"print $status", "0x00000000", false},
    {"set $exec = 0xf0", "", false},
    {"info lanes", "lane  3  thread    3  inactive\n  lane  4  thread    4  active", false},
    {"set $exec = 0xff", "", false},
    {"set {u32}0x100100 = 0xdeadbeef", "", false},
    {"print {u32}0x100100", "0xdeadbeef", false},
    {"print *(u16*)0x100102", "0xdead  (57005)", false},
    {"print/d {i8}0x100100", "= -17\n", false},
    {"set {u64}0x100108 = 0x1122334455667788", "", false},
    {"set {u32}0x100110 = 1.5", "", false},
    {"print {u32}0x100110", "(1)", false},
    {"set {f32}0x100110 = 3", "", false},
    {"print {u32}0x100110", "0x40400000", false},
    {"print {f32}0x100110 > 0.5", "(1)", false},
    {"print {f32}0x100110 + 1", "= 4\n", false},
    {"print ((f32*)0x100100)[4]", "= 3\n", false},
    {"set {f32}0x100110 = {f32}0x100110 / 2", "", false},
    {"set $v3[6].f32 = 0.5", "", false},
    {"print $v3[6]", "0x3f000000", false},
    {"set $v3[6] = 4", "", false},
    {"set {u8}0x100117 = 256 + 7", "", false},
    {"print {u32}0x100114", "0x07000000", false},
    {"set {u8}0x100117 = 0", "", false},
    {"set {u32}0x100100 + 4 = 1", "this is a value, not a place", true},
    {"set code = 4", "'code' is an address and cannot be set; {u32}code can", true},
    {"set {u32}lds:8 = 77", "", false},
    {"print {u32}lds:8", "(77)", false},
    {"set $lane = 1", "cannot be set", true},
    {"set $s3 = $v1", "fits a vector register only", true},
    {"set $s3 5", "expected '='", true},
    {"set", "set what?", true},
    {"set {u32}0x500000 = 1", "not mapped", true},
    {"set {u32}lds:100 = 1", "64 bytes", true},
    {"set scheduler-locking maybe", "off, step or on", true},
    {"set breakpoint mode maybe", "trap or step", true},
    {"set breakpoint mode step", "a script target has one mode", true},
    {"set breakpoint pending on", "", false},
    {"set breakpoint pending maybe", "auto, on or off", true},
    {"break nothing.cl:7", "no code for line", true},
    {"show breakpoint pending", "on\n", false},
    {"set dprintf-style call", "gdb or agent", true},
    {"dprintf *0x100004", "a place, a comma, and a format", true},
    {"dprintf *0x100004,\"%u\"", "takes 1 values, and there are 0", true},
    {"set timeout 0", "is not a time", true},
    {"set timeout 500", "", false},
    {"show", "500 ms", false},
};

static const struct row memory[] = {
    {"x/2wx 0x100100", "0x000000100100: 0xdeadbeef 0x00000000\n", false},
    {"x", "0x000000100108: 0x55667788\n", false},
    {"x/4bx 0x100100", " 0xef 0xbe 0xad 0xde\n", false},
    {"x/hd 0x100102", " -8531\n", false},
    {"x/hu 0x100102", " 57005\n", false},
    {"x/bd 0x100100", " -17\n", false},
    {"x/gx 0x100108", " 0x1122334455667788\n", false},
    {"x/bt 0x100100", " 0b11101111\n", false},
    {"x/wf 0x100110", " 1.5\n", false},
    {"x/5wx 0x100100", "\n0x000000100110: 0x3fc00000\n", false},
    {"x/wd lds:8", "lds:0x0008: 77\n", false},
    {"x/3i 0x100000",
     "=> 0x000000100000: s_nop 0\n   0x000000100004: s_nop 0\n   0x000000100008: s_branch", false},
    {"x", "0x00000010000c: 0xbfb00000\n", false},
    {"x/bf 0x100100", "sizes h, w and g", true},
    {"x/hf 0x100112", " 1.9375\n", false},
    {"x/0w 0x100100", "'0' is not a count of 1 to 65536", true},
    {"x/-1 0x100100", "'-1' is not a count of 1 to 65536", true},
    {"x/- 0x100100", "'-' is not a count of 1 to 65536", true},
    {"x/18446744073709551617w 0x100100", "'18446744073709551617' is not a count", true},
    {"x/wq 0x100100", "no format 'q'", true},
    {"x 0x500000", "not mapped", true},
    {"x $v1", "not one address", true},
    {"x/2i lds:0", "LDS holds no code", true},
    {"x lds:", "expected a number", true},
};

static const struct row focus[] = {
    {"stepi", "Wave 0 (workgroup 0,0,0 wave 0) stepped, lane 0\n=> 0x000000100004: s_nop 0\n",
     false},
    {"print $s0", "(1)", false},
    {"wave 1", "Wave 1 (workgroup 0,0,0 wave 1) stands", false},
    {"print $s0", "(0)", false},
    {"print $s9", "(1)", false},
    {"lane 5", ", lane 5\n", false},
    {"print $_lane * 10 + $wave", "(51)", false},
    {"print $lane[3] * 10", "(30)", false},
    {"focus thread 3", "Wave 0 (workgroup 0,0,0 wave 0) stepped, lane 3\n", false},
    {"wg 0,0,0 thread 35",
     "Wave 1 (workgroup 0,0,0 wave 1) stands at its first instruction, lane 3\n", false},
    {"focus wave 0 lane 31", "lane 31 (inactive)\n", false},
    {"info waves", "* 0     0,0,0/0      step                000000ff", false},
    {"info waves", "  1     0,0,0/1      start               ffffffff", false},
    {"lane 0", "lane 0\n", false},
    {"stepi -1", "'-1' is not a count of 1 to 4294967295", true},
    {"stepi 0", "'0' is not a count of 1 to 4294967295", true},
    {"stepi +1", "'+1' is not a count", true},
    {"stepi 1x", "'1x' is not a count", true},
    {"nexti -1", "'-1' is not a count", true},
    {"step -2", "'-2' is not a count", true},
    {"next -2", "'-2' is not a count", true},
    {"continue -1", "'-1' is not a count", true},
    {"continue 4294967296", "'4294967296' is not a count", true},
    {"stepi 18446744073709551617", "'18446744073709551617' is not a count", true},
    {"print $s0", "(1)", false},
    {"wave 7", "wave 7 is not known", true},
    {"wave abc", "expected the number of a wave", true},
    {"lane 32", "lanes 0 to 31", true},
    {"focus bogus", "expected wave N", true},
    {"focus wave 1 thread 3", "not both", true},
    {"focus lane 1 thread 3", "not both", true},
    {"wg 1,0,0", "no wave stands", true},
    {"wg 1,2,3,4", "no more than three", true},
};

static const struct row breakpoints[] = {
    {"break *0x100004 if $nosuch > 5", "no register '$nosuch'", true},
    {"break *0x100004 if $s0 > nosuch", "no symbol or buffer 'nosuch'", true},
    {"break *0x100004 if $s0 = 5", "'==' compares", true},
    {"break *0x100004 if $s0 >", "at column 6", true},
    {"break *0x100004 if $v1 & 0.5", "'&' takes integers", true},
    {"tbreak *0x100004 if (1", "missing bracket", true},
    {"display $nosuch", "no register '$nosuch'", true},
    {"info breakpoints", "No breakpoints", false},
    {"break *(0x100000 + 4) if $s0 >= 5", "Breakpoint 1 at 0x000000100004", false},
    {"condition 1 $s0 >= nosuch", "no symbol or buffer 'nosuch'", true},
    {"info breakpoints", "if $s0 >= 5\n", false},
    {"disassemble 0x100000,3", "    0x000000100000: s_nop 0\nB => 0x000000100004: s_nop 0\n",
     false},
    {"continue", "Wave 0 (workgroup 0,0,0 wave 0) hit breakpoint 1, lane 0\n", false},
    {"print $s0", "(5)", false},
    {"info breakpoints", "hit 1 time, if $s0 >= 5", false},
    {"continue", "Wave 1 (workgroup 0,0,0 wave 1) hit breakpoint 1", false},
    {"print $s0", "(5)", false},
    {"condition 1", "", false},
    {"ignore 1 2", "", false},
    {"continue", "Wave 0 (workgroup 0,0,0 wave 0) hit breakpoint 1", false},
    {"print $s0", "(9)", false},
    {"info breakpoints", "hit 5 times\n", false},
    {"display/d $s0", "1: $s0 = 9\n", false},
    {"stepi 2", "1: $s0 = 10\n", false},
    {"undisplay 1", "", false},
    {"undisplay 1", "no display '1'", true},
    {"break 0x100002", "4-byte aligned", true},
    {"break nosuch", "no symbol or buffer", true},
    {"break 7", "no code for line '7'", true},
    {"delete 9", "no breakpoint '9'", true},
    {"ignore 1 x", "not a count", true},
    {"ignore 1 -1", "'-1' is not a count of 0 to 4294967295", true},
    {"delete 1 9", "no breakpoint '9'", true},
    {"delete +1", "no breakpoint '+1'", true},
    {"info breakpoints", "hit 5 times\n", false},
    {"disassemble 0x100000,0", "not a count", true},
    {"disassemble 0x100000,-1", "'-1' is not a count", true},
    {"delete 1", "", false},
    {"info breakpoints", "No breakpoints", false},
    {"tbreak 0x10000c", "Temporary breakpoint 2", false},
    {"continue", "=> 0x00000010000c: s_endpgm\n", false},
    {"info breakpoints", "No breakpoints", false},
    {"set scheduler-locking off", "", false},
    {"continue", "[The dispatch is complete]", false},
    {"print $s0", "not started", true},
    {"set scheduler-locking step", "", false},
};

static const struct row faults[] = {
    {"start", "Wave 0", false},
    {"set $v2[*] = 0x100100", "", false},
    {"set $v3[*] = 0", "", false},
    {"set $v2[6] = 0x900000", "", false},
    {"set $v2[7] = 0x900004", "", false},
    {"set $pc = 0x100040", "", false},
    {"stepi",
     "memory violation, lane 6\n=> 0x000000100040: global_load_b32 v1, v[2:3], off\n"
     "Memory violation by global_load_b32 at 0x000000100040, read:\n"
     "  lanes 6-7: VA 0x000000900000 to 0x000000900004, not mapped: PDB0 entry at 0x000000042020 = "
     "0x0000000000000000 has VALID clear\n",
     false},
    {"print $v1[5]", "0xdeadbeef", false},
    {"print $_lane", "(6)", false},
    {"lane 2", "memory violation, lane 2\n", false},
    {"wave 1", "Wave 1", false},
    {"wave 0", "memory violation, lane 6\n", false},
    {"vm walk 0x100004", "PTB  entry 256 at 0x000000043800: 0x0000000000080031 page\n", false},
    {"vm walk 0x100004",
     "VALID=1 SYSTEM=0 SNOOPED=0 TMZ=0 EXECUTABLE=1 READABLE=1 WRITEABLE=0 FRAGMENT=0 "
     "ADDRESS=0x80000 MTYPE=NC",
     false},
    {"vm walk 0x100004",
     "is VRAM address 0x000000080004, page of 0x1000 bytes, read, no write, execute\n", false},
    {"vm walk $v2[6]", "0x000000900000 is not mapped\n", false},
    {"vm", "expected 'vm walk ADDRESS'", true},
    {"vm walk $v2", "not one address", true},
    {"info registers", "s4           0x00000104 0x00000105 0x00000106 0x00000107\n", false},
    {"info registers", "m0           0x00000007", false},
    {"info registers hw", "STATUS       0x00000001 SCC", false},
    {"info registers s5", "0x00000105", false},
    {"info registers bogus", "no register '$bogus'", true},
    {"info bos", "code             0x000000100000       4096 bytes", false},
    {"info symbol 0x100000", "no symbol", true},
    {"info line", "No line number information", false},
    {"list", "no source line", true},
    {"info", "'info ' is nothing", true},
    {"info bogus", "'info bogus' is nothing", true},
    {"info l", "not clear", true},
    {"catch dispatch", "has one dispatch: 'start'", true},
    {"info pipeline", "that is for programs", true},
    {"info descriptors", "that is for programs", true},
    {"dump image 0 out=/dev/null", "no image '0'", true},
    {"dump buffer code out=", "''", true},
    {"frobnicate", "no command 'frobnicate'", true},
    {"dis", "is one of: disable disassemble display", true},
    {"print", "print what?", true},
    {"dump", "expected 'dump", true},
    {"dump buffer nosuch out", "no buffer 'nosuch'", true},
    {"dump memory /nonexistent/out 0x100000 16", "/nonexistent/out", true},
    {"echo hello", "hello\n", false},
    {"# a comment", "", false},
    {"kill", "[Killed]", false},
};

/* The store at 0x100064 goes to 0x100200 + 4 * lane, from v1 = 1000 + lane. */
static const struct row watches[] = {
    {"start", "Wave 0", false},
    {"watch {u32}0x100210", "Watchpoint 3: {u32}0x100210 (0x000000100210, 4 bytes)\n", false},
    {"rwatch 0x100300 if $wave == seven", "no symbol or buffer 'seven'", true},
    {"watch {u32}0x100210 + 4", "is a value, not a place: brackets", true},
    {"watch (1.5)", "is not an address: it is a float", true},
    {"rwatch {u32}(0x100210 + $v0)", "is in no one place that instructions name", true},
    {"rwatch 0x100300 if $wave == 7", "Watchpoint 4: 0x100300", false},
    {"watch 0x100800", "at most 2 watchpoints", true},
    {"watch", "watch what?", true},
    {"watch $s3 + 0", "is not mapped", true},
    {"rwatch --software", "watch what?", true},
    {"info breakpoints", "3   keep enabled  0x000000100210 watch {u32}0x100210 hit 0 times\n",
     false},
    {"info breakpoints", "rwatch 0x100300 hit 0 times, if $wave == 7\n", false},
    {"set $v2 = 0x100200", "", false},
    {"set $v2[1] = 0x100204", "", false},
    {"set $v2[2] = 0x100208", "", false},
    {"set $v2[3] = 0x10020c", "", false},
    {"set $v2[4] = 0x100210", "", false},
    {"set $v2[5] = 0x100214", "", false},
    {"set $v2[6] = 0x100218", "", false},
    {"set $v2[7] = 0x10021c", "", false},
    {"set $v3[*] = 0", "", false},
    {"set $pc = 0x100064", "", false},
    {"info access",
     "global_store_b32, writes 4 bytes a lane:\n"
     "* lane  0  0x000000100200 <code+0x200> <- 0x000003e8 (1000, 1.4013e-42)\n",
     false},
    {"set scheduler-locking on", "", false},
    {"continue", "Wave 0 (workgroup 0,0,0 wave 0) hit watchpoint 3, lane 4\n", false},
    {"print {u32}0x100210", "(1004)", false},
    {"set $pc = 0x100064", "", false},
    {"set {u32}0x100210 = 1", "", false},
    {"continue", "Watchpoint 3: {u32}0x100210\nOld value = 0x1  (1)\nNew value = 0x3ec  (1004)",
     false},
    {"info breakpoints", "hit 2 times", false},
    {"set $v2[4] = 0x100220", "", false},
    {"set $pc = 0x100064", "", false},
    {"tbreak *0x10006c", "Temporary breakpoint 5", false},
    {"continue", "=> 0x00000010006c: s_nop 0\n", false},
    {"info breakpoints", "hit 2 times", false},
    {"delete 3", "", false},
    {"delete 4", "", false},
    {"set scheduler-locking step", "", false},
    {"kill", "[Killed]", false},
};

/* Wave 1 changes what is watched; wave 0 only runs its loop. */
static const struct row software[] = {
    {"start", "Wave 0", false},
    {"watch --software {u16}0x100300", "Software watchpoint 6: {u16}0x100300", false},
    {"wave 1", "Wave 1", false},
    {"set $v2[*] = 0x100300", "", false},
    {"set $v3[*] = 0", "", false},
    {"set $v1[*] = 0x12345", "", false},
    {"set $exec = 8", "", false},
    {"set $pc = 0x100060", "", false},
    {"continue",
     "Wave 1 (workgroup 0,0,0 wave 1) changed watchpoint 6, lane 3\n"
     "=> 0x00000010006c: s_nop 0\nSoftware watchpoint 6: {u16}0x100300\n"
     "Old value = 0x0  (0)\nNew value = 0x2345  (9029) by 0x000000100064 , lane 3\n",
     false},
    {"print $s0", "(1)", false},
    {"wave 0", "Wave 0", false},
    {"print $s0", "(2)", false},
    {"continue", "[The dispatch is complete]", false},
    {"delete 6", "", false},
    {"watch --software {u16}0x100300 if $wave == 0", "Software watchpoint 7", false},
    {"start", "Wave 0 (workgroup 0,0,0 wave 0) stands at its first instruction", false},
    {"set {u16}0x100300 = 0", "", false},
    {"wave 1", "Wave 1", false},
    {"set $v2[*] = 0x100300", "", false},
    {"set $v3[*] = 0", "", false},
    {"set $pc = 0x100060", "", false},
    {"continue", "[The dispatch is complete]", false},
    {"info breakpoints", "hit 0 times", false},
    {"delete 7", "", false},
};

/* Breakpoints whose condition is false do not matter to others at their place; each turn of the
 * loop adds 2 to s0. */
static const struct row places[] = {
    {"start", "Wave 0", false},
    {"break *0x100008 if $s0 == 50", "Breakpoint 8", false},
    {"until *0x100008", "Wave 0 (workgroup 0,0,0 wave 0) arrived, lane 0\n=> 0x000000100008",
     false},
    {"print $s0", "(2)", false},
    {"until *0x100008", "Wave 0 (workgroup 0,0,0 wave 0) arrived, lane 0\n=> 0x000000100008",
     false},
    {"print $s0", "(4)", false},
    {"info breakpoints", "if $s0 == 50\n", false},
    {"stepi 9", "Wave 0 (workgroup 0,0,0 wave 0) stepped, lane 0\n=> 0x000000100008", false},
    {"print $s0", "(10)", false},
    {"break *0x100008 if $s0 == 20", "Breakpoint 9", false},
    {"tbreak *0x100008", "Temporary breakpoint 10", false},
    {"until *0x100008", "Wave 0 (workgroup 0,0,0 wave 0) arrived", false},
    {"print $s0", "(12)", false},
    {"stepi 300", "Wave 0 (workgroup 0,0,0 wave 0) hit breakpoint 9", false},
    {"print $s0", "(20)", false},
    {"info breakpoints",
     "if $s0 == 50\n9   keep enabled  0x000000100008  hit 1 time, if $s0 == 20\n", false},
    {"continue", "Wave 1 (workgroup 0,0,0 wave 1) hit breakpoint 9", false},
    {"wave 0", "Wave 0", false},
    {"until *0x100008 if 1", "left over", true},
    {"until *0x100040", "Wave 0 (workgroup 0,0,0 wave 0) hit breakpoint 8", false},
    {"print $s0", "(50)", false},
    {"until *0x100040", "[The wave has ended]\nWave 1 (workgroup 0,0,0 wave 1)", false},
    {"info breakpoints", "hit 1 time, if $s0 == 50\n9   keep enabled  0x000000100008  hit 2 times",
     false},
    {"delete", "", false},
    {"tbreak *0x100004 if $v1 >= 1005", "Temporary breakpoint 11", false},
    {"continue", "Wave 1 (workgroup 0,0,0 wave 1) arrived, lane 5\n", false},
    {"continue", "[The dispatch is complete]", false},
};

static const struct row frames[] = {
    {"start", "Wave 0", false},
    {"backtrace", "#0  0x000000100000", false},
    {"info source", "no source for 0x100000", true},
    {"finish", "=> 0x00000010000c: s_endpgm\n", false},
    {"info breakpoints", "No breakpoints", false},
    {"finish 1", "'1' is left over", true},
    {"continue", "[The dispatch is complete]", false},
    {"finish", "not started", true},
};

static const struct row as_json[] = {
    {"start",
     "\"wave\":0,\"workgroup\":[0,0,0],\"wave_in_group\":0,\"stop\":\"start\",\"pc\":\"0x100000\"",
     false},
    {"print $s5", "\"value\":\"0x105\"", false},
    {"x/2wx 0x100100", "\"values\":[\"0xdeadbeef\",\"0x0\"]", false},
    {"info waves", "\"waves\":[{\"wave\":0,\"current\":true", false},
    {"disassemble 0x100000,1",
     "\"instructions\":[{\"address\":\"0x100000\",\"size\":4,\"text\":\"s_nop 0\"", false},
};

/* Four dispatches of the loop. Its FNV-1a hash was computed apart. */
static const struct row program[] = {
    {"info dispatches", "No dispatches yet", false},
    {"info descriptors", "no dispatch has come yet", true},
    {"catch dispatch 1", "Catchpoint 1: dispatch 1\n", false},
    {"run",
     "Dispatch 1 is held: cs_3c2a3878, 1x1x1 workgroups of 64x1x1, wave64, gfx, process 42\n",
     false},
    {"info dispatches", "  0    done     cs_3c2a3878, 1x1x1", false},
    {"info dispatches", "* 1    held     cs_3c2a3878, 1x1x1", false},
    {"info pipeline", "hash 3c2a387820c3bc7d\ncode 0x000000100000, 16 bytes, 4 instructions",
     false},
    {"info pipeline 0", "Pipeline cs_3c2a3878 of dispatch 0,", false},
    {"info pipeline 7", "dispatch 7 has not come yet", true},
    {"info pipeline code", "   0x000000100008 <cs_3c2a3878+0x8>: s_branch cs_3c2a3878\n", false},
    {"info descriptors", "uses no descriptors", false},
    {"info push-constants", "reads no push constants", false},
    {"print $s0", "has no waves yet", true},
    {"print $code", "0x0000000000100000", false},
    {"break *cs_3c2a3878+4", "Breakpoint 2 at 0x000000100004 <cs_3c2a3878+0x4>\n", false},
    {"stepi",
     "Wave 0 (workgroup 0,0,0 wave 0) stands at its first instruction, lane 0\n"
     "=> 0x000000100000 <cs_3c2a3878+0x0>: s_nop 0\n",
     false},
    {"continue", "Wave 0 (workgroup 0,0,0 wave 0) hit breakpoint 2, lane 0\n", false},
    {"backtrace", "#0  0x000000100004 <cs_3c2a3878+0x4>\n", false},
    {"delete 2", "", false},
    {"break -launch pipeline 3c2a387820c3bc7d",
     "Catchpoint 3: dispatch pipeline 3c2a387820c3bc7d\n", false},
    {"continue", "Dispatch 2 is held", false},
    {"info breakpoints",
     "1   keep enabled  catch dispatch 1 hit 1 time\n3   keep enabled  catch "
     "dispatch pipeline 3c2a387820c3bc7d hit 1 time\n",
     false},
    {"disable 3", "", false},
    {"tbreak -launch name ^cs_3c2a387", "Catchpoint 4: dispatches named ^cs_3c2a387\n", false},
    {"ignore 4 1", "", false},
    {"continue", "[The dispatch is complete]\n", false},
    {"delete", "", false},
    {"catch dispatch pipeline 0123", "Catchpoint 5", false},
    {"catch dispatch name ^x", "Catchpoint 6", false},
    {"catch dispatch name", "name what?", true},
    {"catch dispatch name (", "'('", true},
    {"catch dispatch pipeline 12345678123456781", "1 to 16 hex digits", true},
    {"catch dispatch 1 2", "expected a dispatch's number", true},
    {"catch syscall", "expected 'catch dispatch", true},
    {"run", "[The dispatch is complete]\n", false},
    {"catch dispatch", "Catchpoint 7: every dispatch\n", false},
    {"run", "Dispatch 0 is held", false},
    {"continue", "Dispatch 1 is held", false},
    {"info breakpoints", "catch dispatch  hit 2 times\n", false},
    {"kill", "[Killed]", false},
    {"delete", "", false},
    {"catch dispatch 0", "Catchpoint 8: dispatch 0\n", false},
    {"break *cs_3c2a3878+4", "Breakpoint 9", false},
    {"run", "Dispatch 0 is held", false},
    {"info dispatches", "* 0    held", false},
    {"continue", "hit breakpoint 9", false},
    {"kill", "[Killed]", false},
    {"run", "Dispatch 0 is held", false},
    {"info breakpoints",
     "8   keep enabled  catch dispatch 0 hit 1 time\n9   keep enabled  0x000000100004 "
     "<cs_3c2a3878+0x4> hit 0 times\n",
     false},
    {"kill", "[Killed]", false},
};

static void run_rows(struct lull_debug *d, const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct lull_str out = {0};
        struct lull_error *err = lull_debug_command(d, rows[i].command, &out);
        const char *got = err != NULL ? lull_error_message(err) : lull_str_text(&out);
        bool ok = (err != NULL) == rows[i].bad && strstr(got, rows[i].expected) != NULL;
        test_case(ok, rows[i].command, "expected %s with '%s', got %s '%s'",
                  rows[i].bad ? "an error" : "output", rows[i].expected,
                  err != NULL ? "the error" : "the output", got);
        lull_error_free(err);
        lull_str_free(&out);
    }
}

/* A dump is whole or not there. */
static void test_dump(struct lull_debug *d)
{
    char name[] = "/tmp/lull-test-dump-XXXXXX";
    int fd = mkstemp(name);
    char command[128] = {0};
    uint8_t got[8] = {0};
    static const uint8_t expected[8] = {0xef, 0xbe, 0xad, 0xde, 0, 0, 0, 0};
    struct lull_str out = {0};
    snprintf(command, sizeof command, "dump memory %s 0x100100 8", name);
    struct lull_error *err = lull_debug_command(d, command, &out);
    FILE *f = fopen(name, "rb");
    size_t n = f != NULL ? fread(got, 1, sizeof got, f) : 0;
    test_case(err == NULL && n == 8 && memcmp(got, expected, 8) == 0, "dump memory",
              "%zu bytes, first 0x%02x", n, got[0]);
    lull_error_free(err);
    snprintf(command, sizeof command, "dump memory %s 0x100800 4096", name);
    err = lull_debug_command(d, command, &out);
    rewind(f);
    n = fread(got, 1, sizeof got, f);
    test_case(err != NULL && n == 8 && memcmp(got, expected, 8) == 0,
              "dump that fails leaves the file as it was", "%zu bytes", n);
    lull_error_free(err);
    lull_str_free(&out);
    fclose(f);
    close(fd);
    remove(name);
}

static void test_program(void)
{
    static struct script_target target;
    struct lull_debug *d = NULL;
    script_init_program(&target, 4);
    struct lull_error *err = lull_debug_new(&target.target, NULL, 0, &d);
    if (test_case(err == NULL, "new engine for a program", "%s",
                  err != NULL ? lull_error_message(err) : "")) {
        d->run = script_run_program;
        d->run_ctx = &target;
        run_rows(d, program, TEST_ROWS(program));
    }
    lull_error_free(err);
    lull_debug_free(d);
}

int main(void)
{
    static struct script_target target;
    struct lull_debug *d = NULL;
    script_init(&target);
    struct lull_error *err = lull_debug_new(&target.target, NULL, 0, &d);
    if (!test_case(err == NULL, "new engine", "%s", err != NULL ? lull_error_message(err) : "")) {
        lull_error_free(err);
        return test_end();
    }
    d->run = script_run;
    d->run_ctx = &target;
    run_rows(d, before_start, TEST_ROWS(before_start));
    run_rows(d, expressions, TEST_ROWS(expressions));
    run_rows(d, writes, TEST_ROWS(writes));
    run_rows(d, memory, TEST_ROWS(memory));
    run_rows(d, focus, TEST_ROWS(focus));
    run_rows(d, breakpoints, TEST_ROWS(breakpoints));
    test_case(d->status == 0, "status before the fault", "%d", d->status);
    run_rows(d, faults, TEST_ROWS(faults));
    test_case(d->status == 1, "status after the fault", "%d", d->status);
    test_dump(d);
    run_rows(d, watches, TEST_ROWS(watches));
    run_rows(d, software, TEST_ROWS(software));
    run_rows(d, places, TEST_ROWS(places));
    run_rows(d, frames, TEST_ROWS(frames));
    d->json = true;
    run_rows(d, as_json, TEST_ROWS(as_json));
    lull_debug_free(d);
    test_program();
    return test_end();
}
