//! Expressions, from the loosest operators to the tightest: shifts; `+ -`; `*`; `& | ^`; `~`.

use super::{shorten, Outcome, Parser, Stop};
use crate::diagnostic::{Diagnostic, Severity};
use crate::source::Span;
use crate::syntax::ast::{AExp, BinOp, Entries, Exp, ExpKind, Ident, Selector, ShiftOp, Var};
use crate::syntax::lexer::{Keyword, Symbol, TokenKind};
use crate::syntax::Dialect;

const OPERAND_HELP: &str =
    "operands are variables, numbers, calls, and anything in parentheses or after `~`";
const LIST_HELP: &str =
    "several values are a tuple, `(a, b)`; a list of positions belongs to `Shuffle(x, [3,2,1,0])`";
const RANGE_HELP: &str = "a range is written like `x[0..3]`; both ends are included";
const SHUFFLE_HELP: &str = "write it like `Shuffle(x, [3,2,1,0])`";
const BITMASK_HELP: &str = "write it like `Bitmask(x, 3)`";
const PACK_HELP: &str = "write it like `Pack(a, b):u16`";

impl Parser<'_> {
    /// An expression: shifts of everything that binds tighter.
    pub(super) fn expression(&mut self) -> Outcome<Exp> {
        let mut left = self.sum()?;
        while let Some(op) = self.shift_operator() {
            self.count_operator(self.token.span)?;
            self.advance();
            let amount = self.static_expression()?;
            if self.bitwise_operator().is_some() {
                return Err(self.operator_after_shift(&left, &amount));
            }
            let span = left.span.to(amount.span);
            left = Exp { kind: ExpKind::Shift(op, Box::new(left), amount), span };
        }
        Ok(left)
    }

    /// `+` and `-`, the loosest operators on values but for shifts.
    fn sum(&mut self) -> Outcome<Exp> {
        let outer = self.mixed.take();
        let sum = self.chain(Self::product, |symbol| match symbol {
            Symbol::Plus => Some(BinOp::Add),
            Symbol::Minus => Some(BinOp::Sub),
            _ => None,
        });
        if let (Ok(sum), Some(place)) = (&sum, self.mixed) {
            self.mixed_arithmetic(sum, place);
        }
        self.mixed = outer;
        sum
    }

    fn product(&mut self) -> Outcome<Exp> {
        self.chain(Self::bitwise, |symbol| match symbol {
            Symbol::Star => Some(BinOp::Mul),
            Symbol::Slash => Some(BinOp::Div),
            Symbol::Percent => Some(BinOp::Rem),
            _ => None,
        })
    }

    /// Left-associative operators of one level.
    fn chain(
        &mut self,
        operand: impl Fn(&mut Self) -> Outcome<Exp>,
        operator: impl Fn(Symbol) -> Option<BinOp>,
    ) -> Outcome<Exp> {
        let mut left = operand(self)?;
        while let TokenKind::Symbol(symbol) = self.token.kind {
            let Some(op) = operator(symbol) else { break };
            self.count_operator(self.token.span)?;
            let place = self.advance().span;
            let right = operand(self)?;
            if is_bitwise(&left) || is_bitwise(&right) {
                self.mixed.get_or_insert(place);
            }
            left = binary(op, left, right);
        }
        Ok(left)
    }

    fn bitwise(&mut self) -> Outcome<Exp> {
        let mut left = self.unary()?;
        let mut last: Option<(BinOp, Span, Span)> = None;
        let mut is_mixed = false;
        while let Some(op) = self.bitwise_operator() {
            self.count_operator(self.token.span)?;
            let place = self.advance().span;
            let right = self.unary()?;
            if let Some(last) = last.filter(|last| last.0 != op && !is_mixed) {
                is_mixed = true;
                self.mixed_operators(left.span, last, (place, right.span));
            }
            last = Some((op, place, right.span));
            left = binary(op, left, right);
        }
        Ok(left)
    }

    fn bitwise_operator(&self) -> Option<BinOp> {
        match self.token.kind {
            TokenKind::Symbol(Symbol::And) => Some(BinOp::And),
            TokenKind::Symbol(Symbol::Or) => Some(BinOp::Or),
            TokenKind::Symbol(Symbol::Xor) => Some(BinOp::Xor),
            _ => None,
        }
    }

    fn shift_operator(&self) -> Option<ShiftOp> {
        match self.token.kind {
            TokenKind::Symbol(Symbol::ShiftLeft) => Some(ShiftOp::Shl),
            TokenKind::Symbol(Symbol::ShiftRight) => Some(ShiftOp::Shr),
            TokenKind::Symbol(Symbol::ShiftRightArithmetic) => Some(ShiftOp::Sar),
            TokenKind::Symbol(Symbol::RotateLeft) => Some(ShiftOp::Rotl),
            TokenKind::Symbol(Symbol::RotateRight) => Some(ShiftOp::Rotr),
            _ => None,
        }
    }

    /// Reports `left last.op last.operand op right` without parentheses.
    fn mixed_operators(&mut self, left: Span, last: (BinOp, Span, Span), new: (Span, Span)) {
        let (_, last_place, last_operand) = last;
        let (place, right) = new;
        let first = shorten(self.source(left));
        let before = shorten(self.source(Span { end: last_place.start, ..left }).trim_end());
        let middle = shorten(self.source(last_operand));
        let right = shorten(self.source(right));
        let (last_op, op) = (self.source(last_place), self.source(place));
        let readings =
            format!("`({first}) {op} {right}` or `{before} {last_op} ({middle} {op} {right})`");
        let message = format!("`{last_op}` and `{op}` are mixed without parentheses");
        let mut diagnostic = Diagnostic::error("E0020", place, message)
            .label(format!("binds no tighter than the `{last_op}` before it"))
            .also(last_place, "")
            .help(format!("`& | ^` have one precedence; write {readings}"));
        if self.dialect == Dialect::Usubac {
            diagnostic.severity = Severity::Warning;
            diagnostic = diagnostic.help(format!("it is read as the first of {readings}"));
        }
        self.report(diagnostic);
    }

    /// Reports `x + y ^ k`: `+ - *` and `& | ^` without parentheses. C would read it otherwise.
    fn mixed_arithmetic(&mut self, exp: &Exp, place: Span) {
        let mut parts = Vec::new();
        self.flatten(exp, &mut parts);
        let (ours, theirs) = (grouped(&parts, true), grouped(&parts, false));
        let bitwise = parts.iter().find(|part| part.is_bitwise).map_or("&", |part| part.operator);
        let operator = self.source(place);
        let message = format!("`{bitwise}` and `{operator}` are mixed without parentheses");
        let mut diagnostic = Diagnostic::error("E0020", place, message)
            .label(format!("binds looser than the `{bitwise}` beside it, unlike in C"))
            .help(format!("`& | ^` bind tighter than `+ - *`; write `{ours}` or `{theirs}`"));
        if self.dialect == Dialect::Usubac {
            diagnostic.severity = Severity::Warning;
            diagnostic =
                diagnostic.help(format!("it is read as the first of `{ours}` or `{theirs}`"));
        }
        self.report(diagnostic);
    }

    /// The operands of an expression, each with the operator before it.
    fn flatten(&self, exp: &Exp, parts: &mut Vec<Part<'_>>) {
        let ExpKind::Bin(op, left, right) = &exp.kind else {
            let operand = shorten(self.source(exp.span));
            return parts.push(Part { operator: "", is_bitwise: false, operand });
        };
        self.flatten(left, parts);
        let first = parts.len();
        self.flatten(right, parts);
        parts[first].operator = op.symbol();
        parts[first].is_bitwise = op.is_bitwise();
    }

    /// Reports `x <<< 3 ^ y`, where the `^` is the next token.
    fn operator_after_shift(&mut self, left: &Exp, amount: &AExp) -> Stop {
        let op = self.source(self.token.span);
        let mut shifted = left;
        while let ExpKind::Bin(_, _, right) = &shifted.kind {
            shifted = right;
        }
        let shift = shorten(self.source(shifted.span.to(amount.span)));
        let error =
            Diagnostic::error("E0021", self.token.span, format!("`{op}` after a shift amount"))
                .label("can't be part of the shift amount")
                .also(amount.span, "the shift amount")
                .help(format!("shifts bind loosest of all operators; write `({shift}) {op} …`"));
        self.fail(error)
    }

    fn unary(&mut self) -> Outcome<Exp> {
        let start = self.token.span;
        if !self.eat(Symbol::Not) {
            return self.operand();
        }
        let inner = self.nested(Self::unary)?;
        Ok(Exp { kind: ExpKind::Not(Box::new(inner)), span: self.since(start) })
    }

    // ---- operands ----

    fn operand(&mut self) -> Outcome<Exp> {
        let start = self.token.span;
        let kind = match self.token.kind {
            TokenKind::Number => self.number_of_type()?,
            TokenKind::Ident => self.name_or_call()?,
            TokenKind::Symbol(Symbol::OpenParen) => ExpKind::Tuple(self.expressions()?),
            TokenKind::Keyword(Keyword::Shuffle) => self.shuffle()?,
            TokenKind::Keyword(Keyword::Bitmask) => self.bitmask()?,
            TokenKind::Keyword(Keyword::Pack) => self.pack()?,
            TokenKind::Keyword(keyword) if is_plausible_name(keyword) => {
                return Err(self.keyword_as_name(keyword, self.token.span, "an expression"));
            }
            TokenKind::Symbol(Symbol::OpenBrace | Symbol::OpenBracket) => {
                return Err(self.unexpected("an expression", LIST_HELP));
            }
            _ => return Err(self.unexpected("an expression", OPERAND_HELP)),
        };
        let mut operand = Exp { kind, span: self.since(start) };
        if self.at_symbol(Symbol::OpenBracket) {
            return Err(self.not_selectable(operand.span));
        }
        while self.at_symbol(Symbol::OpenBrace) {
            operand = self.old_shuffle(operand)?;
        }
        Ok(operand)
    }

    fn not_selectable(&mut self, operand: Span) -> Stop {
        let error = Diagnostic::error(
            "E0026",
            self.token.span,
            "a selection of something that is no variable",
        )
        .label("can't be indexed")
        .also(operand, "this is no variable")
        .help("name the value in an equation of its own, and index that variable");
        self.fail(error)
    }

    fn number_of_type(&mut self) -> Outcome<ExpKind> {
        let value = self.number("a number", OPERAND_HELP)?.0;
        let ty = if self.eat(Symbol::Colon) { Some(self.type_()?) } else { None };
        Ok(ExpKind::Int(value, ty))
    }

    fn name_or_call(&mut self) -> Outcome<ExpKind> {
        let name = self.ident("a variable or a node")?;
        if self.at_symbol(Symbol::Less) && !self.is_closed() {
            self.superfluous();
            return Err(Stop);
        }
        let element = self.element()?;
        if element.is_some() && !self.at_symbol(Symbol::OpenParen) {
            return Err(self.unexpected(
                "`(` and the arguments of the call",
                "an element of a definition array is called like `f<1>(x)`",
            ));
        }
        if self.at_symbol(Symbol::OpenParen) {
            let args = self.arguments()?;
            return Ok(ExpKind::Call { name, element, args });
        }
        Ok(ExpKind::Var(self.selections(name)?))
    }

    /// `<i>`, if it is the next thing.
    pub(super) fn element(&mut self) -> Outcome<Option<AExp>> {
        if !self.at_symbol(Symbol::Less) {
            return Ok(None);
        }
        let open = self.advance().span;
        let element = self.static_expression()?;
        self.close(Symbol::Greater, open)?;
        Ok(Some(element))
    }

    /// Whether a `>` follows the `<` that is the next token, in the same equation.
    fn is_closed(&self) -> bool {
        let mut ahead = self.lexer.lookahead();
        let kinds = std::iter::from_fn(|| Some(ahead.next_token().kind));
        let mut kinds = kinds.take_while(|kind| {
            let ends = [Symbol::Semicolon, Symbol::Equals].map(TokenKind::Symbol);
            // Some keywords are names in old files.
            let is_past = matches!(kind, TokenKind::End | TokenKind::Keyword(Keyword::Tel));
            !ends.contains(kind) && !is_past
        });
        kinds.any(|kind| kind == TokenKind::Symbol(Symbol::Greater))
    }

    /// `( e, … )`, or `()` for a node without parameters.
    fn arguments(&mut self) -> Outcome<Vec<Exp>> {
        if self.peek() != TokenKind::Symbol(Symbol::CloseParen) {
            return self.expressions();
        }
        self.advance();
        self.advance();
        Ok(Vec::new())
    }

    /// `( e, … )`, at least one.
    fn expressions(&mut self) -> Outcome<Vec<Exp>> {
        let open = self.advance().span;
        if self.at_symbol(Symbol::CloseParen) {
            let error =
                Diagnostic::error("E0025", self.token.span, "expected an expression, found `)`")
                    .label("nothing stands between the parentheses")
                    .help("a tuple has at least one element");
            return Err(self.fail(error));
        }
        let before = self.operators;
        let mut expressions = vec![self.nested(Self::expression)?];
        while self.eat(Symbol::Comma) {
            expressions.push(self.alternative(before, |parser| parser.nested(Self::expression))?);
        }
        self.close(Symbol::CloseParen, open)?;
        Ok(expressions)
    }

    /// A variable with its selections.
    pub(super) fn variable(&mut self, purpose: &str) -> Outcome<Var> {
        let name = self.ident(purpose)?;
        self.selections(name)
    }

    fn selections(&mut self, name: Ident) -> Outcome<Var> {
        let start = name.span;
        let mut selectors = Vec::new();
        let before = self.operators;
        while self.at_symbol(Symbol::OpenBracket) {
            selectors.push(self.alternative(before, Self::selector)?);
        }
        Ok(Var { name, selectors, span: self.since(start) })
    }

    fn selector(&mut self) -> Outcome<Selector> {
        let open = self.advance().span;
        let before = self.operators;
        let first = self.static_expression()?;
        let selector = if self.eat(Symbol::DotDot) {
            Selector::Range(first, self.static_expression()?)
        } else if self.at_symbol(Symbol::Comma) {
            let mut indices = vec![first];
            while self.eat(Symbol::Comma) {
                indices.push(self.alternative(before, Self::static_expression)?);
            }
            Selector::List(indices)
        } else {
            if self.at_symbol(Symbol::Colon) {
                return Err(self.unexpected("`..` between the ends of a range", RANGE_HELP));
            }
            Selector::Index(first)
        };
        self.close(Symbol::CloseBracket, open)?;
        Ok(selector)
    }

    // ---- built-in operations ----

    /// The keyword, `(`, the first argument and the comma after it; returns the place of the `(`.
    fn first_argument(&mut self, help: &str) -> Outcome<(Span, Exp)> {
        let keyword = self.advance().span;
        let open =
            self.expect(Symbol::OpenParen, &format!("after `{}`", self.source(keyword)), help)?;
        let first = self.nested(Self::expression)?;
        self.expect(Symbol::Comma, "and the second argument", help)?;
        Ok((open, first))
    }

    /// `Shuffle(e, [3, 2, 1, 0])`
    fn shuffle(&mut self) -> Outcome<ExpKind> {
        let (open, exp) = self.first_argument(SHUFFLE_HELP)?;
        let bracket = self.expect(Symbol::OpenBracket, "before the positions", SHUFFLE_HELP)?;
        let operators = self.operators;
        let entries = self.listed()?;
        self.operators = operators;
        self.close(Symbol::CloseBracket, bracket)?;
        let positions = Entries { entries, span: self.since(bracket) };
        self.close(Symbol::CloseParen, open)?;
        Ok(ExpKind::Shuffle(Box::new(exp), positions))
    }

    /// `Bitmask(e, n)`
    fn bitmask(&mut self) -> Outcome<ExpKind> {
        let (open, exp) = self.first_argument(BITMASK_HELP)?;
        let position = self.static_expression()?;
        self.close(Symbol::CloseParen, open)?;
        Ok(ExpKind::Bitmask(Box::new(exp), position))
    }

    /// `Pack(e, e) : type`
    fn pack(&mut self) -> Outcome<ExpKind> {
        let (open, first) = self.first_argument(PACK_HELP)?;
        let second = self.nested(Self::expression)?;
        self.close(Symbol::CloseParen, open)?;
        self.expect(Symbol::Colon, "and the type of the packed value", PACK_HELP)?;
        let ty = self.type_()?;
        Ok(ExpKind::Pack(Box::new(first), Box::new(second), ty))
    }

    /// `e{3, 2, 1, 0}`, as shuffles were written in old files.
    fn old_shuffle(&mut self, operand: Exp) -> Outcome<Exp> {
        self.count_operator(self.token.span)?;
        let positions = self.entries()?;
        let span = operand.span.to(positions.span);
        if self.dialect == Dialect::Nakiri {
            let list = self.source(positions.span).trim_matches(['{', '}']).trim();
            let shuffle =
                format!("Shuffle({}, [{}])", shorten(self.source(operand.span)), shorten(list));
            let error = Diagnostic::error("E0022", positions.span, "a shuffle in the old notation")
                .label("only old files may write it so")
                .help(format!("write `{shuffle}`, or compile with `--compat usubac`"));
            self.report(error);
        }
        Ok(Exp { kind: ExpKind::Shuffle(Box::new(operand), positions), span })
    }
}

/// An operand for a message.
struct Part<'a> {
    /// The operator before it; none before the first.
    operator: &'a str,
    is_bitwise: bool,
    operand: String,
}

/// The operands with parentheses around those that bitwise operators join, or around those that others do.
fn grouped(parts: &[Part], bitwise: bool) -> String {
    let mut groups: Vec<(&str, String, bool)> = Vec::new();
    for part in parts {
        match groups.last_mut() {
            Some((_, group, several)) if part.is_bitwise == bitwise => {
                *group += &format!(" {} {}", part.operator, part.operand);
                *several = true;
            }
            _ => groups.push((part.operator, part.operand.clone(), false)),
        }
    }
    let texts = groups.into_iter().map(|(operator, group, several)| {
        let group = if several { format!("({group})") } else { group };
        if operator.is_empty() {
            group
        } else {
            format!("{operator} {group}")
        }
    });
    texts.collect::<Vec<_>>().join(" ")
}

fn is_bitwise(exp: &Exp) -> bool {
    matches!(&exp.kind, ExpKind::Bin(op, ..) if op.is_bitwise())
}

/// Whether somebody may have meant the keyword as the name of a variable.
fn is_plausible_name(keyword: Keyword) -> bool {
    use Keyword::{Const, Nat, Next, State};
    matches!(keyword, Const | Nat | Next | State)
}

fn binary(op: BinOp, left: Exp, right: Exp) -> Exp {
    let span = left.span.to(right.span);
    Exp { kind: ExpKind::Bin(op, Box::new(left), Box::new(right)), span }
}
