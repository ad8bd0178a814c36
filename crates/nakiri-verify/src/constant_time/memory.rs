//! What is known of the bytes of the stack.

use super::state::Value;
use crate::image::Order;
use std::collections::BTreeMap;

/// The bytes of the stack that are public.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Memory {
    order: Order,
    /// By address, the value of which each is a byte, and which byte.
    bytes: BTreeMap<i64, (Value, u8)>,
}

impl Memory {
    /// Memory of which nothing is known.
    pub fn new(order: Order) -> Memory {
        Memory { order, bytes: BTreeMap::new() }
    }

    /// What `size` bytes at an address of the stack hold.
    pub fn load(&self, at: i64, size: usize) -> Value {
        if let Some(number) = self.number_at(at, size) {
            return Value::Number(number);
        }
        let byte = |i: usize| (self.order.byte(i, size)) as u8;
        let Some(&(first, _)) = self.bytes.get(&at) else { return self.mixed(at, size) };
        let whole = (0..size).all(|i| self.bytes.get(&(at + i as i64)) == Some(&(first, byte(i))));
        let pointer = matches!(first, Value::Stack(_) | Value::Above(_) | Value::Minus(_));
        let number = matches!(first, Value::Number(_));
        match whole && !number && (size == self.order.word || !pointer) {
            true => first,
            false => self.mixed(at, size),
        }
    }

    /// The number that bytes make, if each is a byte of a number, and those beyond the eighth are 0.
    fn number_at(&self, at: i64, size: usize) -> Option<u64> {
        let mut bytes = [0; 64];
        let bytes = bytes.get_mut(..size)?;
        for (i, byte) in bytes.iter_mut().enumerate() {
            *byte = match self.bytes.get(&(at + i as i64))? {
                (Value::Number(n), index @ 0..=7) => (n >> (8 * index)) as u8,
                (Value::Number(_), 8..=63) | (Value::Number(0), _) => 0,
                _ => return None,
            };
        }
        self.order.number(bytes)
    }

    /// What bytes of several values hold.
    fn mixed(&self, at: i64, size: usize) -> Value {
        let bytes = (0..size).map(|i| self.bytes.get(&(at + i as i64)).map(|(value, _)| *value));
        bytes.fold(Value::Public, |sum, byte| sum.mix(byte.unwrap_or(Value::Secret)))
    }

    /// Stores `size` bytes.
    pub fn store(&mut self, address: Value, size: usize, value: Value) {
        match address {
            Value::Stack(at) => {
                let bytes = at..at.saturating_add_unsigned(size as u64);
                let old: Vec<i64> = self.bytes.range(bytes).map(|(at, _)| *at).collect();
                old.iter().for_each(|at| {
                    self.bytes.remove(at);
                });
                if value != Value::Secret {
                    for i in 0..size {
                        let byte = self.order.byte(i, size).min(255) as u8;
                        self.bytes.insert(at + i as i64, (value, byte));
                    }
                }
            }
            Value::Above(at) => self.store_somewhere(at, value),
            Value::Minus(_) | Value::Anywhere | Value::Secret => {
                self.store_somewhere(i64::MIN, value);
            }
            // Not the stack.
            Value::Public | Value::Number(_) => {}
        }
    }

    /// Stores to an unknown address of the stack, `from` or above.
    fn store_somewhere(&mut self, from: i64, value: Value) {
        if value == Value::Secret {
            self.bytes.split_off(&from);
        }
        for (_, (old, _)) in self.bytes.range_mut(from..) {
            *old = old.join(value).mix(Value::Public);
        }
    }

    /// Adds what holds in another state.
    pub fn join(&mut self, other: &Memory) {
        self.bytes.retain(|at, _| other.bytes.contains_key(at));
        for (at, (value, byte)) in &mut self.bytes {
            let (theirs, index) = other.bytes[at];
            if (theirs, index) != (*value, *byte) {
                *value = value.join(theirs);
                if *byte != index {
                    (*value, *byte) = (value.mix(Value::Public), u8::MAX);
                }
            }
        }
    }
}
