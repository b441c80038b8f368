-- SPDX-License-Identifier: MIT
-- Where do numbers that are not numbers come from? Steps every wave line by line and says which
-- line of the kernel first put a NaN into the variable NAME, in which wave and lanes.
--
--   lull debug root.cl --grid 2048 --block 64 --arg buffer:x.bin --arg zeros:8192 \
--       -batch -ex 'lua NAME = "s"' --lua examples/where_nan.lua
NAME = NAME or "s"

local function nans(wave)
    local good, value = pcall(wave.eval, wave, "isnan(" .. NAME .. ")")
    local found = {}
    for _, lane in ipairs(good and type(value) == "table" and wave.active or {}) do
        if value[lane] == 1 then
            found[#found + 1] = lane
        end
    end
    return found
end

lull.start()
lull.command("set scheduler-locking on")
for _, w in ipairs(lull.waves()) do
    w:focus()
    local before = select(2, lull.line())
    while true do
        local stop = lull.next()
        if stop.kind ~= "stopped" or stop.wave ~= w.number then
            break
        end
        local here = lull.wave()
        local lanes = nans(here)
        if #lanes > 0 then
            print(("wave %d, lanes %s: line %d made it"):format(w.number, table.concat(lanes, " "), before))
            break
        end
        before = select(2, lull.line())
    end
end
