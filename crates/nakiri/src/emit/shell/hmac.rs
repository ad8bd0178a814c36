//! HMAC (RFC 2104, FIPS 198-1) by the functions of a mode.

use super::{
    if_, stmts, Action, Argument, Bytes, Condition, Function, Kind, Param, Place, Shell, Size,
};
use crate::mode::{hmac, Mode};

const INNER: &str = "inner";
const OUTER: &str = "outer";

/// Adds the functions of HMAC to those of a mode, if it has one.
pub fn add(shell: &mut Shell, mode: &Mode) {
    if mode.has_hmac() {
        shell.functions.extend([begin(mode), end(mode), whole(mode)]);
    }
}

fn param(name: &str, kind: Kind) -> Param {
    Param { name: name.to_string(), kind }
}

fn contexts() -> Vec<Param> {
    [INNER, OUTER].map(|name| param(name, Kind::Context)).to_vec()
}

fn context(name: &str) -> Argument {
    Argument::Context(name.to_string())
}

fn all(name: &str, count: usize) -> Place {
    Place::first(Bytes::Named(name.to_string()), count)
}

fn call(function: &str, of: &str, more: Option<Argument>) -> Action {
    Action::Call(function.to_string(), [context(of)].into_iter().chain(more).collect())
}

fn begin(mode: &Mode) -> Function {
    let (block, size) = (mode.block_bytes(), mode.result_bytes());
    let length = || Size::Count("key".to_string());
    let key = || Bytes::Named("key".to_string());
    let pad = || all("pad", block);
    let whole = || Argument::Place(pad());
    let taken = Action::Copy(
        Place::first(Bytes::Named("pad".to_string()), length()),
        Place::first(key(), length()),
    );
    let hashed = Action::Call(
        "whole".to_string(),
        vec![Argument::Place(all("pad", size)), Argument::Same("key".to_string())],
    );
    let body = stmts![
        Action::Bytes("pad".to_string(), block),
        Action::Zero(pad()),
        if_(Condition::AtMost(length(), block.into()), stmts![taken]),
        if_(Condition::Less(block.into(), length()), stmts![hashed]),
        Action::XorAll(pad(), hmac::INNER),
        call("begin", INNER, None),
        call("take", INNER, Some(whole())),
        Action::XorAll(pad(), hmac::INNER ^ hmac::OUTER),
        call("begin", OUTER, None),
        call("take", OUTER, Some(whole())),
        Action::Clear("pad".to_string()),
    ];
    let params = [contexts(), vec![param("key", Kind::Input)]].concat();
    let about = "The contexts of HMAC with a key.".to_string();
    Function { name: "hmac_begin".to_string(), about, params, body }
}

fn end(mode: &Mode) -> Function {
    let size = mode.result_bytes();
    let digest = || Argument::Place(all("digest", size));
    let body = stmts![
        Action::Bytes("digest".to_string(), size),
        call("end", INNER, Some(digest())),
        call("take", OUTER, Some(digest())),
        call("end", OUTER, Some(Argument::Same("out".to_string()))),
        Action::Clear("digest".to_string()),
    ];
    let params = [contexts(), vec![param("out", Kind::OutputOf(size))]].concat();
    let about = "The code; erases the contexts.".to_string();
    Function { name: "hmac_end".to_string(), about, params, body }
}

fn whole(mode: &Mode) -> Function {
    let same = |name: &str| Argument::Same(name.to_string());
    let both = || vec![context(INNER), context(OUTER)];
    let with = |more: Argument| [both(), vec![more]].concat();
    let body = stmts![
        Action::Context(INNER.to_string()),
        Action::Context(OUTER.to_string()),
        Action::Call("hmac_begin".to_string(), with(same("key"))),
        call("take", INNER, Some(same("message"))),
        Action::Call("hmac_end".to_string(), with(same("out"))),
    ];
    let params = vec![
        param("out", Kind::OutputOf(mode.result_bytes())),
        param("key", Kind::Input),
        param("message", Kind::Input),
    ];
    let about = "The code of a whole message.".to_string();
    Function { name: "hmac_whole".to_string(), about, params, body }
}
