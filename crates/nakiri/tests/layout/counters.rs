//! Counters made in registers against blocks counted one by one.

use crate::cases::{self, Case, Random};
use nakiri::layout::counters::{counters, Blocks, Counters};
use nakiri::layout::{memory_bytes, Counter};

/// Fields that fit a block of this many bytes: all of it, parts of it, of all orders.
pub fn fields(block: usize) -> Vec<Counter> {
    let mut fields = Vec::new();
    for (offset, bytes) in [(0, 16), (0, 8), (0, 4), (1, 2), (3, 1), (2, 5), (0, 1)] {
        for big_endian in [false, true] {
            if offset + bytes <= block {
                fields.push(Counter { offset, bytes, big_endian });
            }
        }
    }
    fields
}

/// A block with another number in its field, modulo its size.
fn with(block: &[u8], counter: &Counter, number: u128) -> Vec<u8> {
    let mut block = block.to_vec();
    for (significance, byte) in number.to_le_bytes().iter().take(counter.bytes).enumerate() {
        block[counter.place(significance)] = *byte;
    }
    block
}

/// First numbers near each wrap: of the low bits, of words, of the field.
pub fn numbers(lanes: u128, random: &mut Random) -> Vec<u128> {
    let mut numbers = vec![0, 1, lanes - 1, lanes, 0_u128.wrapping_sub(lanes)];
    for bits in [8, 16, 24, 32, 40, 64] {
        numbers.extend([(1 << bits) - lanes.min(1 << bits), (1 << bits) - 1]);
    }
    let before = random.next() as u128 % lanes;
    numbers.extend([(1 << 32) - 1 - before, u128::MAX - before, u128::MAX]);
    numbers.push((random.next() as u128) << 64 | random.next() as u128);
    numbers
}

/// What the batch network reads, as the emitted C makes it.
pub fn batch_memory(
    made: &Counters,
    block: &[u8],
    counter: &Counter,
    number: u128,
    lanes: u128,
) -> Vec<u8> {
    let Blocks::First { stride } = made.blocks else {
        let blocks = (0..lanes).flat_map(|l| with(block, counter, number.wrapping_add(l)));
        let mut memory: Vec<u8> = blocks.collect();
        memory.resize(made.blocks.room(lanes as usize), 0);
        return memory;
    };
    let number_of_group = lanes * made.groups.batches as u128;
    let high = number & !(number_of_group - 1);
    let mut memory = vec![0; 2 * stride];
    memory[..block.len()].copy_from_slice(&with(block, counter, high));
    let change = with(&vec![0; block.len()], counter, high ^ high.wrapping_add(number_of_group));
    memory[stride..][..block.len()].copy_from_slice(&change);
    memory
}

/// Some of the fields, other ones for each turn; with `NAKIRI_FULL=1` all.
fn check(case: &Case, turn: usize, random: &mut Random) {
    const ONE_OF: usize = 3;
    let one_of = if std::env::var_os("NAKIRI_FULL").is_some() { 1 } else { ONE_OF };
    let Case { machine, direction, width, count, layout } = case;
    let block = case.random_memory(random)[..memory_bytes(*width, *count)].to_vec();
    let lanes = u128::from(case.lanes());
    let fields = fields(block.len());
    let fields = fields.iter().zip([1, 2, 3, 6, 8].into_iter().cycle());
    for (counter, batches) in fields.skip(turn % one_of).step_by(one_of) {
        let made = counters(*machine, *direction, *width, *count, layout, counter, batches)
            .unwrap_or_else(|message| panic!("{}: {message}", case.name()));
        let number_of_group = lanes * made.groups.batches as u128;
        for number in numbers(lanes, random) {
            let low = (number & (number_of_group - 1)) as u64;
            let low = made.low.as_ref().map(|low_bits| low_bits.load(&low.to_le_bytes()));
            let low = low.unwrap_or_default();
            let memory = batch_memory(&made, &block, counter, number, lanes);
            let expected = |first: u128| {
                let blocks = (0..lanes).flat_map(|l| with(&block, counter, first.wrapping_add(l)));
                case.registers(&blocks.collect::<Vec<_>>())
            };
            let what = format!("{} {counter:?}, {batches} from {number:#x}", case.name());
            for batch in 0..made.groups.batches {
                let share = &low[made.groups.place(batch).1..];
                let registers = made.batch.counters(&memory, share);
                let first = number.wrapping_add(lanes * batch as u128);
                assert!(registers == expected(first), "{what}: batch {batch}");
                if let Some(advance) = &made.advance {
                    let later = first.wrapping_add(lanes * u128::from(batches));
                    assert!(advance.advance(&registers) == expected(later), "{what} to {later:#x}");
                }
            }
        }
    }
}

#[test]
fn counters_in_registers_are_those_of_counted_blocks() {
    let mut random = Random(3);
    for (turn, case) in cases::all().iter().filter(|case| case.is_short()).enumerate() {
        check(case, turn, &mut random);
    }
}
