//! How a context ends. What comes out of a mode that squeezes may be taken in parts: the context is closed, and then counts what
//! came out of it, no longer what it took.
//!
//! | function | what it does |
//! |---|---|
//! | `close` | the end of the message into the context |
//! | `squeeze` | the next bytes of what comes out of a context that is closed |
//! | `end` | the end of the message, and the result |

use super::values::{
    call, count, in_context, least, less, let_, named, param, set, Homes, Lowering, Value, OUT,
};
use super::{if_, stmts, Action, Argument, Condition, Function, Kind, Place, Size, Stmt};
use crate::mode::Squeeze;

const CONTEXT: &str = "state";
const CLOSE: &str = "close";
const SQUEEZE: &str = "squeeze";

impl Lowering<'_> {
    /// The function of this name that ends a context, with what it calls: what takes the end of the message is given.
    pub fn ends(&self, name: String, about: &str, mut closing: Vec<Stmt>) -> Vec<Function> {
        let mut params = vec![param(CONTEXT, Kind::Context)];
        params.extend(self.result(false));
        let end = |body| Function { name, about: about.to_string(), params, body };
        let Some(squeeze) = self.mode.squeeze() else {
            closing.push(Action::Wipe.into());
            return vec![end(closing)];
        };
        closing.push(Action::TookNothing.into());
        let close = Function {
            name: CLOSE.to_string(),
            about: "Takes the end of the message; nothing has come out yet.".to_string(),
            params: vec![param(CONTEXT, Kind::Context)],
            body: closing,
        };
        let context = || Argument::Context(CONTEXT.to_string());
        let body = stmts![
            call(CLOSE, vec![context()]),
            call(SQUEEZE, vec![context(), Argument::Same(OUT.to_string())]),
            Action::Wipe,
        ];
        vec![close, self.squeezed(squeeze), end(body)]
    }

    /// The next state is made when a byte of it is wanted: so whatever came out, its last block can be made again.
    fn squeezed(&self, squeeze: &Squeeze) -> Function {
        let size = self.mode.output_bytes();
        let here = |value: &Value| in_context(&value.name);
        let block = |_| Place::first(named("output"), size);
        let homes = Homes::alone(&here, &here, &block);
        let used = || Size::from("used");
        let mut next = Vec::new();
        self.run("advance", &squeeze.advance, &homes, &mut next);
        next.push(set("used", 0));
        let mut turn = vec![if_(Condition::Equal(used(), size.into()), next)];
        self.run("output", &squeeze.output, &homes, &mut turn);
        turn.extend(stmts![
            let_("more", least(Size::from(size) - "used", count(OUT) - "made")),
            Action::Copy(
                Place::at(named(OUT), "made", "more"),
                Place::at(named("output"), "used", "more"),
            ),
            set("made", Size::from("made") + "more"),
            set("used", used() + "more"),
        ]);
        let body = stmts![
            Action::Bytes("output".to_string(), size),
            let_("used", Size::Kept(size)),
            let_("made", 0),
            Action::Took(count(OUT)),
            Stmt::While(less("made", count(OUT)), turn),
            Action::Clear("output".to_string()),
        ];
        let mut params = vec![param(CONTEXT, Kind::Context)];
        params.extend(self.result(false));
        let about = "The next bytes of what comes out.".to_string();
        Function { name: SQUEEZE.to_string(), about, params, body }
    }
}
