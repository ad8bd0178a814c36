//! How a stream ends, from what is written.

use super::error;
use crate::diagnostic::Diagnostic;
use crate::mode::{Encoding, Last, Padding};
use crate::source::Span;
use crate::syntax::ast::{self, BaseType, Each, Ident, Short};
use num_traits::ToPrimitive;

/// What is appended to the stream that a loop goes over.
///
/// # Errors
/// That nothing says how its last block is filled up, or that the length has no such form.
pub fn padding(each: &Each) -> Result<Padding, Diagnostic> {
    let Some(padding) = &each.padding else {
        return match each.whole {
            Some(span) => without_short(each, span),
            None => Err(error(each.stream.span, "the last block of this stream may be short")
                .label("cut into blocks as it is")
                .help(format!(
                    "say what fills it up: `pad({0}, 0x80)`, for instance, or `whole({0})`, if programs are to have whole blocks",
                    each.stream.name
                ))),
        };
    };
    let byte = |value: &num_bigint::BigUint| value.to_u8().unwrap_or(0);
    let cut = each.given.as_ref().map(|given| given.block.span);
    let cut = cut.or(each.last.as_ref().map(|last| last.0));
    let cut = cut.or(each.short.as_ref().map(Short::span));
    if let (Some(ast::Last::Length(ty, _)), Some(cut)) = (&padding.last, cut) {
        return Err(error(ty.span, "the length may begin a block of its own here")
            .label("the last block may have no byte of the stream")
            .also(cut, "so this is for streams that are padded without it"));
    }
    if let (Some((ty, _)), Some(cut)) = (&padding.prefix, cut) {
        return Err(error(ty.span, "blocks don't end where those of the stream do")
            .label("its number of bytes stands in front of it")
            .also(cut, "so this is for streams without")
            .help("take the last block as every other, in a loop that gives no stream"));
    }
    let prefix = match &padding.prefix {
        Some((ty, layout)) => Some(prefix(ty, layout.as_ref())?),
        None => None,
    };
    let last = match &padding.last {
        None => Last::Zeros,
        Some(ast::Last::Byte(value, _)) => Last::Byte(byte(value)),
        Some(ast::Last::Length(ty, layout)) => length(ty, layout.as_ref())?,
    };
    let first = padding.first.as_ref().map(|(value, _)| byte(value));
    Ok(Padding { prefix, first, last })
}

/// What stands behind the end of a stream that is given, where its loop reads it.
///
/// # Errors
/// Padding that more than one block may have.
pub fn given(each: &Each) -> Result<Padding, Diagnostic> {
    let Some(padding) = each.given.as_ref().and_then(|given| given.padding.as_ref()) else {
        return Ok(Padding::NONE);
    };
    if let Some(whole) = each.whole {
        return Err(error(padding.span, "no block of this stream is short")
            .label("never padded")
            .also(whole, "whole blocks alone"));
    }
    let byte = |value: &num_bigint::BigUint| value.to_u8().unwrap_or(0);
    let last = match (&padding.prefix, &padding.last) {
        (None, None) => Last::Zeros,
        (None, Some(ast::Last::Byte(value, _))) => Last::Byte(byte(value)),
        (Some((ty, _)), _) | (None, Some(ast::Last::Length(ty, _))) => {
            return Err(error(ty.span, "a stream that is given has no length in its padding")
                .label("that may need a block of its own")
                .help("take `length` of the stream, or pad with bytes alone"));
        }
    };
    let first = padding.first.as_ref().map(|(value, _)| byte(value));
    Ok(Padding { first, last, ..Padding::NONE })
}

/// The number of bytes in front of a stream.
fn prefix(ty: &ast::Type, layout: Option<&Ident>) -> Result<Encoding, Diagnostic> {
    number(ty, layout, &[16, 32, 64]).map_err(|span| {
        error(span, "the number of bytes has 16, 32 or 64 bits")
            .help("write `bytes:u16 @be`, `bytes:u32 @le`, and so on")
    })
}

/// A stream that has nothing but whole blocks.
fn without_short(each: &Each, whole: Span) -> Result<Padding, Diagnostic> {
    match &each.short {
        Some(short) => Err(error(short.span(), "no block of this stream is short")
            .label("never done")
            .also(whole, "whole blocks alone")),
        None => Ok(Padding::NONE),
    }
}

fn length(ty: &ast::Type, layout: Option<&Ident>) -> Result<Last, Diagnostic> {
    number(ty, layout, &[64, 128]).map(Last::Length).map_err(|span| {
        error(span, "the length is a number of 64 or 128 bits").help(
            "write `length:u64 @be`, `length:u64 @le`, `length:u128 @be` or `length:u128 @le`",
        )
    })
}

/// A number of one of these widths, or the place of what is none.
fn number(ty: &ast::Type, layout: Option<&Ident>, widths: &[usize]) -> Result<Encoding, Span> {
    let width = match &ty.base {
        BaseType::Atoms { width: ast::Width::Bits(bits), count: None, .. }
            if ty.dims.is_empty() =>
        {
            bits.to_usize()
        }
        _ => None,
    };
    let bytes = width.filter(|bits| widths.contains(bits)).ok_or(ty.span)? / 8;
    match layout.map(|layout| (&*layout.name, layout.span)) {
        None | Some(("le", _)) => Ok(Encoding { bytes, big_endian: false }),
        Some(("be", _)) => Ok(Encoding { bytes, big_endian: true }),
        Some((_, span)) => Err(span),
    }
}
