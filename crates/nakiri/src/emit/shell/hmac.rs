//! HMAC (RFC 2104, FIPS 198-1) and HKDF (RFC 5869) by the functions of a mode.

use super::values::{count, least, less, let_, named, param, set};
use super::{
    if_, stmts, Action, Argument, ByteOrder, Bytes, Condition, Function, Kind, Param, Place, Shell,
    Size, Stmt,
};
use crate::mode::{hmac, Mode};

const INNER: &str = "inner";
const OUTER: &str = "outer";

/// Adds the functions of HMAC to those of a mode, if it has one.
pub fn add(shell: &mut Shell, mode: &Mode) {
    if mode.has_hmac() {
        shell.functions.extend([begin(mode), end(mode), whole(mode), expand(mode), keys(mode)]);
    }
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

/// RFC 5869, section 2.3: codes of the one before, what the keys are for, and a number from 1.
fn expand(mode: &Mode) -> Function {
    let size = mode.result_bytes();
    let same = |name: &str| Argument::Same(name.to_string());
    let code = || Argument::Place(all("code", size));
    let number = || all("number", 1);
    let begin = vec![context(INNER), context(OUTER), same("key")];
    let end = vec![context(INNER), context(OUTER), code()];
    let made = || Size::from("made");
    let turn = stmts![
        Action::Call("hmac_begin".to_string(), begin),
        if_(less(0, "made"), stmts![call("take", INNER, Some(code()))]),
        call("take", INNER, Some(same("info"))),
        Action::StoreBytes(number(), made() / size + 1, ByteOrder::Little),
        call("take", INNER, Some(Argument::Place(number()))),
        Action::Call("hmac_end".to_string(), end),
        let_("more", least(size, count("out") - "made")),
        Action::Copy(Place::at(named("out"), "made", "more"), Place::first(named("code"), "more")),
        set("made", made() + "more"),
    ];
    let body = stmts![
        Action::Context(INNER.to_string()),
        Action::Context(OUTER.to_string()),
        Action::Bytes("code".to_string(), size),
        Action::Bytes("number".to_string(), 1),
        let_("made", 0),
        Stmt::While(less("made", count("out")), turn),
        Action::Clear("code".to_string()),
    ];
    let params =
        vec![param("out", Kind::Output), param("key", Kind::Input), param("info", Kind::Input)];
    let about = "Keys of a key that is random.".to_string();
    Function { name: "hkdf_expanded".to_string(), about, params, body }
}

fn keys(mode: &Mode) -> Function {
    let size = mode.result_bytes();
    let same = |name: &str| Argument::Same(name.to_string());
    let own = || Argument::Place(all("own", size));
    let body = stmts![
        Action::Bytes("own".to_string(), size),
        Action::Call("hmac_whole".to_string(), vec![own(), same("salt"), same("key")]),
        Action::Call("hkdf_expanded".to_string(), vec![same("out"), own(), same("info")]),
        Action::Clear("own".to_string()),
    ];
    let params = vec![
        param("out", Kind::Output),
        param("salt", Kind::Input),
        param("key", Kind::Input),
        param("info", Kind::Input),
    ];
    let about = "Keys of a key, a salt and what they are for.".to_string();
    Function { name: "hkdf_whole".to_string(), about, params, body }
}
