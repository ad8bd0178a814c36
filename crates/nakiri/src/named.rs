//! Enums whose variants have names, on the command line and in texts.

/// Gives an enum its names: `NAMES`, `Display` and `FromStr`, which are inverse to each other.
macro_rules! named {
    ($type:ty, $what:literal, $($name:literal => $variant:path),+ $(,)?) => {
        impl $type {
            /// The names of all values.
            pub const NAMES: &'static [&'static str] = &[$($name),+];
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str(match self { $($variant => $name),+ })
            }
        }

        impl std::str::FromStr for $type {
            type Err = String;

            fn from_str(name: &str) -> Result<Self, String> {
                match name {
                    $($name => Ok($variant),)+
                    _ => Err(format!(
                        "there is no {} `{name}`; {}",
                        $what,
                        $crate::diagnostic::instead_of(name, Self::NAMES)
                    )),
                }
            }
        }
    };
}
