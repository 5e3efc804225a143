//! Enums whose values have names in files.

/// Defines an enum with the names of its values and what they mean: `Value = "name": "what it means"`.
macro_rules! named_values {
    ($(#[$attribute:meta])* pub enum $name:ident { $($value:ident = $text:literal: $meaning:literal),+ $(,)? }) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $(#[doc = $meaning] #[serde(rename = $text)] $value,)+
        }
        impl $name {
            /// All values, in the order of the reference.
            pub const ALL: &'static [Self] = &[$(Self::$value),+];
            /// The names with their meanings.
            pub const CHOICES: &'static [agon_core::Choice] =
                &[$(agon_core::Choice { name: $text, meaning: $meaning }),+];
            /// The name in files.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$value => $text,)+
                }
            }
            /// The value with this name.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.as_str() == name)
            }
        }
    };
}
pub(crate) use named_values;
