# Counts executed instructions by class. The first file is what `objdump -dw --insn-width=15` prints, the second the address of
# each step, one a line, of which those between the marks `started` and `finished` count. x86-64 and Thumb.
# Prints: and or xor not and-not three-input others moves loads stores all bytes

function class(mnemonic, operands) {
    if (mnemonic ~ /^(push|str|stm|vst)/) return "store"
    if (mnemonic ~ /^(pop|ldr|ldm|vld)/) return "load"
    if (mnemonic ~ /^v?mov/) return operands !~ /\(/ ? "move" : operands ~ /\)$/ ? "store" : "load"
    if (mnemonic ~ /^vpternlog/) return "ternary"
    if (mnemonic ~ /^(v?pandn|andn|bic|orn)/) return "andnot"
    if (mnemonic ~ /^v?p?and/) return "and"
    if (mnemonic ~ /^(v?pxor|xor|eor)/) return "xor"
    if (mnemonic ~ /^(v?por|or)/) return "or"
    if (mnemonic ~ /^(not|mvn)/) return "not"
    return "other"
}

function plain(address) {
    gsub(/[ :]/, "", address)
    sub(/^(0x)?0+/, "", address)
    return address
}

# A function.
FNR == NR && /^[0-9a-f]+ <(started|finished)>:/ { mark[plain($1)] = $2 }
# An instruction: its address, its bytes, its mnemonic, its operands.
FNR == NR && /^ *[0-9a-f]+:\t/ {
    split($0, part, "\t")
    raw = part[2]
    gsub(/ /, "", raw)
    mnemonic = operands = part[3]
    sub(/ .*/, "", mnemonic)
    sub(/^[^ ]* */, "", operands)
    operands = operands part[4]
    sub(/ *[#;@<].*/, "", operands)
    sub(/ +$/, "", operands)
    of[plain(part[1])] = class(mnemonic, operands)
    bytes[plain(part[1])] = length(raw) / 2
}
FNR == NR { next }

{ address = plain($1) }
mark[address] == "<started>:" { counts = 1 }
mark[address] == "<finished>:" { exit }
counts && address in of {
    executed[of[address]]++
    all++
    if (!(address in seen)) size += bytes[address]
    seen[address] = 1
}

END {
    split("and or xor not andnot ternary other move load store", classes, " ")
    for (i = 1; i in classes; i++) printf "%d ", executed[classes[i]]
    print all, size
}
