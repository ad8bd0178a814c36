//! Names that a library declares for all to see: each is one thing's alone.

use super::library::LibraryError;
use rustc_hash::FxHashMap;

/// The names of a library, and whose they are.
pub struct Names<'a>(FxHashMap<String, Owner<'a>>);

enum Owner<'a> {
    /// The language, or what every library in it has.
    Language(&'static str),
    /// The instance with this prefix.
    Instance(&'a str),
}

impl<'a> Names<'a> {
    /// No names but those that a language has taken.
    pub fn of<S: Into<String>>(language: &'static str, taken: impl IntoIterator<Item = S>) -> Self {
        Names(taken.into_iter().map(|name| (name.into(), Owner::Language(language))).collect())
    }

    /// Gives an instance a name.
    ///
    /// # Errors
    /// Who has it.
    pub fn give(&mut self, prefix: &'a str, name: &str) -> Result<(), LibraryError> {
        let owner = self.0.insert(name.to_string(), Owner::Instance(prefix));
        let why = match owner {
            None => return Ok(()),
            Some(Owner::Instance(other)) => {
                format!("`{name}` would be a name of the instance `{other}`, too")
            }
            Some(Owner::Language(language)) => {
                format!("`{name}` would be its name in {language}, where it means something else")
            }
        };
        let message = why + ": choose another prefix (of a file without a manifest, another name)";
        Err(LibraryError { instance: prefix.to_string(), message })
    }
}

/// What declarations of C declare: each begins in the first column, and types end there.
pub fn declared(header: &str) -> impl Iterator<Item = &str> {
    header.lines().filter_map(|line| {
        let ty = line.strip_prefix("} ").and_then(|line| line.strip_suffix(';'));
        let function = line.starts_with(|c: char| c.is_ascii_alphabetic()).then(|| {
            let (head, _) = line.split_once('(')?;
            head.rsplit([' ', '*']).next()
        });
        ty.or(function.flatten())
    })
}

/// Words of C and of C++, which reads headers, too, and what headers that libraries include declare.
pub const OF_C: &str = "
    NULL alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept const const_cast
    constexpr continue decltype default delete do double dynamic_cast else enum errno explicit export extern false float for
    friend goto if inline int int16_t int32_t int64_t int8_t long main memchr memcmp memcpy memmove memset mutable namespace new
    noexcept not not_eq nullptr operator or or_eq private protected ptrdiff_t public register reinterpret_cast requires
    restrict return short signed size_t sizeof static static_assert static_cast strcmp strlen struct switch template this
    thread_local throw true try typedef typeid typename typeof uint16_t uint32_t uint64_t uint8_t union unsigned using virtual
    void volatile wchar_t while xor xor_eq
";

/// Words of Rust.
pub const OF_RUST: &str = "
    Self _ abstract as async await become box break const continue crate do dyn else enum extern false final fn for gen if impl
    in let loop macro match mod move mut override priv pub ref return self static struct super trait true try type typeof
    unsafe unsized use virtual where while yield
";
