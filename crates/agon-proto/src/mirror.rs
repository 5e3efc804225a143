//! Messages by table: one list of fields makes the way out, the way back, and the arbitrary values that prove both.

/// The message that a struct has on the wire, field by field.
///
/// ```text
/// mirror! {
///     agon_core::Judge as Judge {
///         orders, anonymize_transcript, voice,
///         panel: or(1),                       // absent in records of earlier versions: 1
///         similarity as threshold,            // another name on the wire
///     }
/// }
/// ```
///
/// A field converts as its two types say ([`crate::field::Mirrored`]); what differs stands behind a colon and is the name of a module in
/// [`crate::field`]. Both structs are written out, so that the compiler names the table in which a new field is missing.
macro_rules! mirror {
    ($($core:ty as $message:ident { $($fields:tt)* })+) => {$(
        impl $crate::field::Mirrored<$crate::flat::$message> for $core {
            fn out(&self) -> $crate::flat::$message {
                let $crate::mirror::fields!((pattern [Self]) [] $($fields)*) = self;
                $crate::mirror::fields!((out [$crate::flat::$message]) [] $($fields)*)
            }
            fn read(wire: $crate::flat::$message, field: &str) -> Result<Self, $crate::error::DecodeError> {
                Self::try_from(wire).map_err(|error| error.within(field))
            }
        }
        impl TryFrom<$crate::flat::$message> for $core {
            type Error = $crate::error::DecodeError;
            fn try_from(wire: $crate::flat::$message) -> Result<Self, Self::Error> {
                Ok($crate::mirror::fields!((read [Self] wire) [] $($fields)*))
            }
        }
        #[cfg(any(test, feature = "strategies"))]
        impl $crate::strategies::Arbitrary for $core {
            fn arbitrary() -> proptest::strategy::BoxedStrategy<Self> {
                $crate::mirror::fields!((arbitrary [Self]) [] $($fields)*)
            }
        }
        $crate::mirror::message!($core as $message);
    )+};
}

/// What follows from [`crate::field::Mirrored`] and `TryFrom` for every message.
macro_rules! message {
    ($core:ty as $message:ident) => {
        impl From<&$core> for $crate::flat::$message {
            fn from(value: &$core) -> Self {
                $crate::field::Mirrored::out(value)
            }
        }
        impl From<$core> for $crate::flat::$message {
            fn from(value: $core) -> Self {
                $crate::field::Mirrored::out(&value)
            }
        }
        impl $crate::field::Mirrored<Option<$crate::flat::$message>> for $core {
            fn out(&self) -> Option<$crate::flat::$message> {
                Some($crate::field::Mirrored::out(self))
            }
            fn read(wire: Option<$crate::flat::$message>, field: &str) -> Result<Self, $crate::error::DecodeError> {
                $crate::field::Mirrored::read($crate::error::present(wire, field)?, field)
            }
        }
    };
}

/// A list of fields as what the first group asks for. Reads one field after the other into `{field wire how (arguments)}`.
macro_rules! fields {
    ($as:tt [$($done:tt)*] $field:ident as $wire:ident: $how:ident $arguments:tt $(, $($rest:tt)*)?) => {
        $crate::mirror::fields!($as [$($done)* {$field $wire $how $arguments}] $($($rest)*)?)
    };
    ($as:tt [$($done:tt)*] $field:ident as $wire:ident $(, $($rest:tt)*)?) => {
        $crate::mirror::fields!($as [$($done)* {$field $wire same ()}] $($($rest)*)?)
    };
    ($as:tt [$($done:tt)*] $field:ident: $how:ident $arguments:tt $(, $($rest:tt)*)?) => {
        $crate::mirror::fields!($as [$($done)* {$field $field $how $arguments}] $($($rest)*)?)
    };
    ($as:tt [$($done:tt)*] $field:ident $(, $($rest:tt)*)?) => {
        $crate::mirror::fields!($as [$($done)* {$field $field same ()}] $($($rest)*)?)
    };
    ((pattern [$($path:tt)+]) [$({$field:ident $wire:ident $how:ident $arguments:tt})*]) => {
        $($path)+ { $($field),* }
    };
    ((out [$($path:tt)+]) [$({$field:ident $wire:ident $how:ident ($($argument:expr)?)})*]) => {
        $($path)+ { $($wire: $crate::field::$how::out($field $(, $argument)?)),* }
    };
    ((read [$($path:tt)+] $message:ident) [$({$field:ident $wire:ident $how:ident ($($argument:expr)?)})*]) => {
        $($path)+ { $($field: $crate::field::$how::read($message.$wire, stringify!($wire) $(, $argument)?)?),* }
    };
    ((arbitrary [$($path:tt)+]) [$({$field:ident $wire:ident $how:ident $arguments:tt})*]) => {
        proptest::strategy::Strategy::boxed(proptest::strategy::Strategy::prop_map(
            $crate::mirror::nested!(strategies $($field)*),
            |$crate::mirror::nested!(pattern $($field)*)| $($path)+ { $($field),* },
        ))
    };
}

/// Pairs in pairs, because tuples of many have no strategies.
#[cfg(any(test, feature = "strategies"))]
macro_rules! nested {
    (strategies) => { proptest::strategy::Just(()) };
    (strategies $field:ident $($rest:ident)*) => {
        ($crate::strategies::Arbitrary::arbitrary(), $crate::mirror::nested!(strategies $($rest)*))
    };
    (pattern) => { () };
    (pattern $field:ident $($rest:ident)*) => { ($field, $crate::mirror::nested!(pattern $($rest)*)) };
}

/// The message that an enum has on the wire: a `oneof kind` with a message for each variant.
///
/// ```text
/// oneof! {
///     agon_core::Work as Work in work {
///         Critique { of } = Critique(task::Critique),  // the fields of a message
///         Revise {} = Revise(()),                      // an empty message
///         Plan(plan) = RoundPlan(_),                   // a value that has a message of its own
///         Asked(ask) = TurnAsked(pb::TurnAsked),       // a value in a field `ask` of a message
///         Argument { to, guidance } = Argument(by argument), // by hand: `out` and `read` of a module
///     } or rest {                                      // variants of no kind of their own; `rest::read` reads all other kinds
///         Done(result) => rest::done(result),
///     }
/// }
/// ```
macro_rules! oneof {
    ($core:ty as $message:ident in $kinds:ident {
        $($variant:ident $shape:tt = $kind:ident $body:tt),+ $(,)?
    } $(or $rest:ident { $($other:ident $of:tt => $out:expr),+ $(,)? })?) => {
        impl $crate::field::Mirrored<$crate::flat::$message> for $core {
            fn out(&self) -> $crate::flat::$message {
                use $crate::flat::$kinds::Kind;
                let kind = match self {
                    $($crate::mirror::variant!(pattern [Self::$variant], $shape) => {
                        Kind::$kind($crate::mirror::variant!(out $shape $body))
                    })+
                    $($($crate::mirror::variant!(pattern [Self::$other], $of) => $out,)+)?
                };
                $crate::flat::$message { kind: Some(kind) }
            }
            fn read(wire: $crate::flat::$message, field: &str) -> Result<Self, $crate::error::DecodeError> {
                Self::try_from(wire).map_err(|error| error.within(field))
            }
        }
        impl TryFrom<$crate::flat::$message> for $core {
            type Error = $crate::error::DecodeError;
            fn try_from(wire: $crate::flat::$message) -> Result<Self, Self::Error> {
                use $crate::error::{DecodeError, FieldProblem, snake};
                use $crate::flat::$kinds::Kind;
                match wire.kind.ok_or_else(|| DecodeError::field("kind", FieldProblem::UnknownKind))? {
                    $(Kind::$kind($crate::mirror::variant!(bound wire, $shape)) => {
                        $crate::mirror::variant!(read [Self::$variant], $kind, wire, $shape $body)
                    })+
                    $(rest => $rest::read(rest),)?
                }
            }
        }
        #[cfg(any(test, feature = "strategies"))]
        impl $crate::strategies::Arbitrary for $core {
            fn arbitrary() -> proptest::strategy::BoxedStrategy<Self> {
                proptest::strategy::Strategy::boxed(proptest::strategy::Union::new([
                    $($crate::mirror::variant!(arbitrary [Self::$variant], $shape),)+
                    $($($crate::mirror::variant!(arbitrary [Self::$other], $of),)+)?
                ]))
            }
        }
        $crate::mirror::message!($core as $message);
    };
}

/// One variant of a [`oneof!`].
macro_rules! variant {
    (pattern [$($path:tt)+], {$($fields:tt)*}) => { $crate::mirror::fields!((pattern [$($path)+]) [] $($fields)*) };
    (pattern [$($path:tt)+], ($value:ident $($how:tt)*)) => { $($path)+($value) };
    (out {} (())) => { () };
    (out {$($field:ident),+} (by $how:ident)) => { $how::out($($field),+) };
    (out ($value:ident) (_)) => { $crate::field::same::out($value) };
    (out {$($fields:tt)*} ($($message:tt)+)) => { $crate::mirror::fields!((out [$($message)+]) [] $($fields)*) };
    (out ($($field:tt)*) ($($message:tt)+)) => { $crate::mirror::fields!((out [$($message)+]) [] $($field)*) };
    (bound $wire:ident, {}) => { _ };
    (bound $wire:ident, $shape:tt) => { $wire };
    (read [$($path:tt)+], $kind:ident, $wire:ident, {} $body:tt) => { Ok($($path)+ {}) };
    (read [$($path:tt)+], $kind:ident, $wire:ident, ($value:ident) (_)) => {
        $crate::field::same::read($wire, &snake(stringify!($kind))).map($($path)+)
    };
    (read [$($path:tt)+], $kind:ident, $wire:ident, {$($field:ident),+} (by $how:ident)) => {
        match $how::read($wire) {
            Ok(($($field),+)) => Ok($($path)+ { $($field),+ }),
            Err(error) => Err(error.within(&snake(stringify!($kind)))),
        }
    };
    (read [$($path:tt)+], $kind:ident, $wire:ident, {$($fields:tt)*} $body:tt) => {{
        let read = || Ok($crate::mirror::fields!((read [$($path)+] $wire) [] $($fields)*));
        read().map_err(|error: DecodeError| error.within(&snake(stringify!($kind))))
    }};
    (read [$($path:tt)+], $kind:ident, $wire:ident, ($value:ident) $body:tt) => {
        match $crate::field::same::read($wire.$value, stringify!($value)) {
            Ok(value) => Ok($($path)+(value)),
            Err(error) => Err(error.within(&snake(stringify!($kind)))),
        }
    };
    (arbitrary [$($path:tt)+], {$($fields:tt)*}) => { $crate::mirror::fields!((arbitrary [$($path)+]) [] $($fields)*) };
    (arbitrary [$($path:tt)+], ($value:ident $($how:tt)*)) => {
        proptest::strategy::Strategy::boxed(proptest::strategy::Strategy::prop_map($crate::strategies::Arbitrary::arbitrary(), $($path)+))
    };
}

#[cfg(any(test, feature = "strategies"))]
pub(crate) use nested;
pub(crate) use {fields, message, mirror, oneof, variant};
