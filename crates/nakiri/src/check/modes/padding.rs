//! How a stream ends, from what is written.

use super::error;
use crate::check::statics::Statics;
use crate::diagnostic::Diagnostic;
use crate::mode::{Encoding, Last, Padding, Prefix};
use crate::source::Span;
use crate::syntax::ast::{self, AExp, BaseType, Each, Ident, Short};
use num_traits::ToPrimitive;

const LIKE_ALL: &str = "take the last block as every other, in a loop that gives no stream";

/// What is appended to the stream that a loop goes over.
///
/// # Errors
/// That nothing says how its last block is filled up, or that the length has no such form.
pub fn padding(each: &Each, statics: &Statics) -> Result<Padding, Diagnostic> {
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
    let cut = each.given.as_ref().map(|given| given.block.span);
    let cut = cut.or(each.last.as_ref().map(|last| last.0));
    let cut = cut.or(each.short.as_ref().map(Short::span));
    if let (Some(ast::Last::Length(ty, _)), Some(cut)) = (&padding.last, cut) {
        return Err(error(ty.span, "the length may begin a block of its own here")
            .label("the last block may have no byte of the stream")
            .also(cut, "so this is for streams that are padded without it")
            .help(LIKE_ALL));
    }
    if let (Some((around, label)), Some(cut)) = (around(padding), cut) {
        return Err(error(around, "blocks don't end where those of the stream do")
            .label(label)
            .also(cut, "so this is for streams without")
            .help(LIKE_ALL));
    }
    if let (Some(behind), Some(ast::Last::Length(ty, _))) = (padding.suffix.first(), &padding.last)
    {
        return Err(error(behind.span, "one byte stands in front of zeros and a length")
            .also(ty.span, "the length")
            .help("write `pad(message, 0x80, length:u64 @be)`"));
    }
    let prefix = match &padding.prefix {
        Some(ast::Prefix::Bytes(ty, layout)) => Some(prefix(ty, layout.as_ref())?),
        Some(ast::Prefix::Bits(_)) => Some(Prefix::Bits),
        None => None,
    };
    let last = match &padding.last {
        None => Last::Zeros,
        Some(ast::Last::Byte(value)) => Last::Byte(byte(value, statics)?),
        Some(ast::Last::Length(ty, layout)) => length(ty, layout.as_ref())?,
    };
    let first = padding.first.as_ref().map(|exp| byte(exp, statics)).transpose()?;
    let all =
        |bytes: &[AExp]| bytes.iter().map(|exp| byte(exp, statics)).collect::<Result<Vec<u8>, _>>();
    let (front, suffix) = (all(&padding.front)?, all(&padding.suffix)?);
    Ok(Padding { front, prefix, suffix, first, last })
}

fn byte(exp: &AExp, statics: &Statics) -> Result<u8, Diagnostic> {
    let value = super::static_number(exp, statics)?;
    u8::try_from(value).map_err(|_| {
        error(exp.span, "this is no byte")
            .label(format!("it is {value}"))
            .help("bytes of padding are numbers from 0 to 255")
    })
}

/// What stands around a stream, so that its blocks are not those of the padded one, and what that is.
fn around(padding: &ast::Padding) -> Option<(Span, &'static str)> {
    match (&padding.front[..], &padding.prefix, &padding.suffix[..]) {
        ([byte, ..], ..) => Some((byte.span, "this stands in front of it")),
        (_, Some(ast::Prefix::Bytes(ty, _)), _) => {
            Some((ty.span, "its number of bytes stands in front of it"))
        }
        (_, Some(ast::Prefix::Bits(span)), _) => Some((*span, "its length stands in front of it")),
        (_, None, [byte, ..]) => Some((byte.span, "more than one byte follows it")),
        (_, None, []) => None,
    }
}

/// What stands behind the end of a stream that is given, where its loop reads it.
///
/// # Errors
/// Padding that more than one block may have.
pub fn given(each: &Each, statics: &Statics) -> Result<Padding, Diagnostic> {
    let Some(padding) = each.given.as_ref().and_then(|given| given.padding.as_ref()) else {
        return Ok(Padding::NONE);
    };
    if let Some(whole) = each.whole {
        return Err(error(padding.span, "no block of this stream is short")
            .label("never padded")
            .also(whole, "whole blocks alone"));
    }
    let length = match (&padding.prefix, &padding.last) {
        (Some(ast::Prefix::Bytes(ty, _)), _) | (None, Some(ast::Last::Length(ty, _))) => {
            Some(ty.span)
        }
        (Some(ast::Prefix::Bits(span)), _) => Some(*span),
        (None, None | Some(ast::Last::Byte(..))) => None,
    };
    if let Some(span) = length {
        return Err(error(span, "a stream that is given has no length in its padding")
            .label("that may need a block of its own")
            .help("take `length` of the stream, or pad with bytes alone"));
    }
    if let Some((span, label)) = around(padding) {
        return Err(error(span, "a stream that is given is padded by two bytes at most")
            .label(label)
            .help("write `pad(sealed, 0x80)` or `pad(sealed, 0x06, 0x80)`"));
    }
    let last = match &padding.last {
        Some(ast::Last::Byte(value)) => Last::Byte(byte(value, statics)?),
        Some(ast::Last::Length(..)) | None => Last::Zeros,
    };
    let first = padding.first.as_ref().map(|exp| byte(exp, statics)).transpose()?;
    Ok(Padding { first, last, ..Padding::NONE })
}

/// The number of bytes in front of a stream.
fn prefix(ty: &ast::Type, layout: Option<&Ident>) -> Result<Prefix, Diagnostic> {
    number(ty, layout, &[16, 32, 64]).map(Prefix::Bytes).map_err(|span| {
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
