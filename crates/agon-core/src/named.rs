//! Enums whose values have names.

/// One value that an author may choose, as references and diagnostics show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The name that is written.
    pub name: &'static str,
    /// What it means.
    pub meaning: &'static str,
}

/// An enum whose values have names. `named!` makes them.
pub trait Named: Copy + PartialEq + 'static {
    /// All values, in the order of the reference.
    const VALUES: &'static [Self];
    /// The name in files, logs and the API.
    fn name(self) -> &'static str;
    /// The value with this name.
    fn from_name(name: &str) -> Option<Self> {
        Self::VALUES.iter().copied().find(|value| value.name() == name)
    }
}

/// Defines an enum with everything that is said of its values, one row each: `Value = "name": "what it means" => "its label"`.
///
/// The name is what files, logs and the API write. The meaning stands in the reference of the debate file and in the docs of the
/// value; a value that no author writes has ordinary docs instead. The label is how a report calls the value, where that is not its
/// name. The order of the rows is that of `ALL`, of the reference and of comparisons.
///
/// ```text
/// named! {
///     /// Who votes.
///     #[derive(Default)]
///     pub enum Voters {
///         #[default]
///         Debaters = "debaters": "the personas" => "the debaters",
///         Judges = "judges": "the judge or the panel",
///     }
/// }
/// assert_eq!(Voters::Debaters.label(), "the debaters");
/// assert_eq!(Voters::Judges.label(), "judges");
/// ```
macro_rules! named {
    (
        $(#[$attribute:meta])*
        pub enum $name:ident {
            $($(#[$of_value:meta])* $value:ident = $text:literal $(: $meaning:literal)? $(=> $label:literal)?),+ $(,)?
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
        pub enum $name {
            $($(#[doc = $meaning])? $(#[$of_value])* #[serde(rename = $text)] $value,)+
        }
        impl $name {
            /// All values, in the order of the reference.
            pub const ALL: [Self; [$($text),+].len()] = [$(Self::$value),+];
            /// The names with their meanings, for those who choose.
            pub const CHOICES: [$crate::named::Choice; [$($text),+].len()] =
                [$($crate::named::Choice { name: $text, meaning: named!(@first $($meaning)? "") }),+];
            /// The name in files, logs and the API.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$value => $text,)+
                }
            }
            /// How a report calls it.
            pub const fn label(self) -> &'static str {
                match self {
                    $(Self::$value => named!(@first $($label)? $text),)+
                }
            }
        }
        impl $crate::named::Named for $name {
            const VALUES: &'static [Self] = &Self::ALL;
            fn name(self) -> &'static str {
                self.as_str()
            }
        }
    };
    (@first $first:literal $($other:literal)?) => {
        $first
    };
}
