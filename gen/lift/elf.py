# SPDX-License-Identifier: MIT
"""As much of an ELF object of x86-64 or aarch64 as the lifter needs: functions, their bytes, and what relocations point at."""
import struct

SYMTAB, RELA, FUNC, PC32 = 2, 4, 2, 2


class Object:
    def __init__(self, data):
        self.data = data
        shoff, = struct.unpack_from("<Q", data, 40)
        count, = struct.unpack_from("<H", data, 60)
        self.sections = [struct.unpack_from("<IIQQQQIIQQ", data, shoff + 64 * i) for i in range(count)]
        table = next(s for s in self.sections if s[1] == SYMTAB)
        names = self.sections[table[6]][4]
        self.symbols = []
        for i in range(table[5] // 24):
            name, info, _, section, value, size = struct.unpack_from("<IBBHQQ", data, table[4] + 24 * i)
            self.symbols.append((self.string(names + name), info & 15, section, value, size))
        self.relocations = {}
        for s in self.sections:
            if s[1] == RELA:
                for i in range(s[5] // 24):
                    offset, info, addend = struct.unpack_from("<QQq", data, s[4] + 24 * i)
                    self.relocations[s[7], offset] = (info & 0xffffffff, info >> 32, addend)

    def string(self, at):
        return self.data[at:self.data.index(b"\0", at)].decode()

    def functions(self):
        """Name -> (section, offset in it, bytes)."""
        return {name: (section, value, self.data[self.sections[section][4] + value:][:size])
                for name, kind, section, value, size in self.symbols if kind == FUNC}

    def target(self, section, offset, behind, size):
        """SIZE bytes that the relocation at OFFSET points at, BEHIND bytes of the instruction being behind it; None: it
        points at nothing in this object."""
        kind, symbol, addend = self.relocations.get((section, offset), (0, 0, 0))
        _, _, where, value, _ = self.symbols[symbol]
        if kind != PC32 or where == 0 or where >= len(self.sections):
            return None
        at = self.sections[where][4] + value + addend + 4 + behind
        end = self.sections[where][4] + self.sections[where][5]
        return self.data[at:min(at + size, end)].ljust(size, b"\0")

    def pointer(self, section, offset, kinds):
        """(section, offset in it) that the relocation at OFFSET, one of KINDS, points at; None: there is none."""
        kind, symbol, addend = self.relocations.get((section, offset), (0, 0, 0))
        _, _, where, value, _ = self.symbols[symbol]
        return (where, value + addend) if kind in kinds and 0 < where < len(self.sections) else None

    def bytes_at(self, where, size):
        section, offset = where
        return self.data[self.sections[section][4] + offset:][:size]
