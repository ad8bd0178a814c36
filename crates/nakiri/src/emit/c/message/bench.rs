//! What is measured of a mode: its ways there and back, for a message alone and for many.

use super::{called, Call, Messages, Parameter};
use crate::emit::c::bench::{Bench, Measured};
use std::fmt::Write;

/// Bytes that are asked for where any number may come out.
const SQUEEZED: usize = 32;

impl Messages<'_> {
    /// Adds the functions that measure it; there is nothing to measure of a mode without a stream.
    pub fn bench(&self, prefix: &str, all: &mut Bench) {
        let Some(number) = self.counted() else { return };
        let limit = self.of.mode.limit(number);
        let sizes = self.of.shell.inputs.iter().map(|input| input.size);
        let result = self.of.mode.result_bytes().max(SQUEEZED);
        all.largest = sizes.chain([all.largest, result]).max().unwrap_or(0);
        let there = format!("bench_{prefix}{}", self.of.name(false, false));
        for back in self.of.ways() {
            let fill = |call: Call| format!("    {};\n", called(&call).replace("$P", prefix));
            let alone = self.arguments(back, number) + &fill(self.alone(back));
            // They are changed in place: what comes back comes back once.
            let many = || self.arguments_of_many(number) + &fill(self.many(back));
            all.add(
                prefix,
                &Measured {
                    name: self.of.name(back, false),
                    alone,
                    many: (!back).then(many),
                    before: back.then(|| there.clone()),
                    back,
                    unit: limit.unit,
                    most: limit.most,
                },
            );
        }
    }

    /// The number of the stream that the bytes of a message are those of: the one beside which one is given, or that of the message.
    fn counted(&self) -> Option<usize> {
        let (streams, giving) = (self.of.streams(false), self.of.giving(false));
        let is_it = |name: &&str| giving.map_or(*name == "message", |giving| **name == *giving);
        streams.iter().position(is_it).or(streams.len().checked_sub(1))
    }

    /// What a message is called with, by the names of the parameters.
    fn arguments(&self, back: bool, measured: usize) -> String {
        let measured = self.of.streams(false)[measured];
        let value = |parameter: Parameter| match parameter {
            Parameter::Made => "bench->out".to_string(),
            Parameter::Result => "bench->results".to_string(),
            Parameter::Length => SQUEEZED.to_string(),
            Parameter::Input(_) => "bench->inputs".to_string(),
            Parameter::Stream(_) => "bench->in".to_string(),
            Parameter::StreamLength(name) if name == measured => "bench->length".to_string(),
            Parameter::StreamLength(_) => "0".to_string(),
        };
        self.declared(back, value).iter().map(|line| format!("    {line}\n")).collect()
    }

    /// What many messages are called with, likewise.
    fn arguments_of_many(&self, measured: usize) -> String {
        let mut text = "    const size_t count = bench->count;\n".to_string();
        let squeezes = self.of.mode.squeeze().is_some();
        if self.has_result() {
            let name = if self.of.giving(false).is_some() && !squeezes { "tags" } else { "outs" };
            let _ = writeln!(text, "    uint8_t *{name} = bench->results;");
        }
        if squeezes {
            let _ = writeln!(text, "    const size_t length = {SQUEEZED};");
        }
        for input in &self.of.shell.inputs {
            let _ = writeln!(text, "    const uint8_t *{} = bench->inputs;", input.name);
        }
        for (number, name) in self.of.streams(false).into_iter().enumerate() {
            let lengths = if number == measured { "lengths" } else { "none" };
            let (constant, cast) = match self.of.giving(false) == Some(name) {
                true => ("", ""),
                false => ("const ", "(const uint8_t *const *)"),
            };
            let _ = writeln!(text, "    {constant}uint8_t *const *{name} = {cast}bench->texts;");
            let _ = writeln!(text, "    const size_t *{name}_lengths = bench->{lengths};");
        }
        text
    }
}
