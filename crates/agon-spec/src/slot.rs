//! Where the value of a key stands in the spec, and how it comes there and back.
use crate::draft::usual;
use crate::keys::{self, Key, KeyTable, Shape};
use crate::section::{CheckedValue, Section};
use agon_core::{
    AnswerForm, Budget, DebateSpec, GateOptions, Judge, Moderator, Persona, Phases, Shown, Summarizer, Synthesizer,
    ToolLimits, Visible, Voice, Voting,
};
use serde_json::{Map, Value};

/// A place in a `T`.
#[derive(Debug)]
pub(crate) struct SpecField<T: 'static> {
    /// Puts a checked value there; one that was refused leaves what is there.
    pub read: fn(&mut T, &CheckedValue),
    /// The value as a file has it, for a file of this debate; none where absence says it.
    pub write: fn(&T, &DebateSpec) -> Option<Value>,
}

/// A struct that the keys of a mapping fill in.
pub(crate) trait FilledByKeys: Sized + 'static {
    /// The keys.
    const TABLE: &'static KeyTable;
    /// The place of a key, if it is one in this struct.
    fn field(slot: &KeySlot) -> Option<&SpecField<Self>>;
    /// The same struct where its mapping says nothing, to know what need not be written.
    fn usual(&self) -> Self;
    /// The model of the role, which the keys of every role fill in.
    fn voice(&mut self) -> Option<&mut Voice> {
        None
    }
}

macro_rules! filled {
    ($($name:ident by $table:path, usually $usual:expr $(, speaks by $voice:ident)?;)+) => {
        /// The place of a key's value.
        #[derive(Debug)]
        pub(crate) enum KeySlot {
            /// None: the key says something of other keys' values.
            File,
            Voice(SpecField<Voice>),
            $($name(SpecField<$name>),)+
        }
        $(impl FilledByKeys for $name {
            const TABLE: &'static KeyTable = &$table;
            fn field(slot: &KeySlot) -> Option<&SpecField<Self>> {
                if let KeySlot::$name(field) = slot { Some(field) } else { None }
            }
            fn usual(&self) -> Self {
                let usual: fn(&Self) -> Self = $usual;
                usual(self)
            }
            $(fn voice(&mut self) -> Option<&mut Voice> {
                Some(&mut self.$voice)
            })?
        })+
    };
}

filled! {
    DebateSpec by keys::DEBATE, usually |_| usual::debate();
    Persona by keys::PERSONA, usually |_| Persona::default(), speaks by voice;
    Moderator by keys::MODERATOR, usually |_| Moderator::default(), speaks by voice;
    Judge by keys::JUDGE, usually |_| usual::judge(Voice::default()), speaks by voice;
    Voting by keys::VOTING, usually |of| usual::voting(of.voters);
    Summarizer by keys::SUMMARIZER, usually |_| Summarizer::default(), speaks by voice;
    Synthesizer by keys::SYNTHESIZER, usually |_| Synthesizer::default(), speaks by voice;
    Phases by keys::PHASES, usually |of| *of;
    ToolLimits by keys::TOOLS, usually |_| ToolLimits::default();
    AnswerForm by keys::ANSWER, usually |_| AnswerForm::default();
    GateOptions by keys::GATE, usually |_| GateOptions::default();
    Budget by keys::BUDGET, usually |_| Budget::default();
    Visible by keys::VISIBLE, usually |_| Visible::default();
    Shown by keys::SHOWN, usually |_| Shown::default();
}

/// Puts in what the mapping says.
pub(crate) fn fill<T: FilledByKeys>(target: &mut T, section: &Section) {
    for field in &section.fields {
        match &field.key.slot {
            KeySlot::Voice(slot) => target.voice().into_iter().for_each(|voice| (slot.read)(voice, &field.value)),
            slot => T::field(slot).into_iter().for_each(|slot| (slot.read)(target, &field.value)),
        }
    }
}

/// The mapping that says it, in the order of the normal form.
pub(crate) fn written<T: FilledByKeys + Clone>(of: &T, spec: &DebateSpec) -> Value {
    let (mut of, mut usual, mut file) = (of.clone(), of.usual(), Map::new());
    for key in T::TABLE.in_normal_order() {
        let Some(value) = given(key, &mut of, spec) else { continue };
        let must = !key.quiet && key.need.as_ref().is_none_or(|need| (need.holds)(spec));
        if must || given(key, &mut usual, spec).as_ref() != Some(&value) {
            file.insert(key.name.to_owned(), value);
        }
    }
    Value::Object(file)
}

fn given<T: FilledByKeys>(key: &Key, of: &mut T, spec: &DebateSpec) -> Option<Value> {
    let value = match &key.slot {
        KeySlot::Voice(slot) => of.voice().and_then(|voice| (slot.write)(voice, spec)),
        slot => T::field(slot).and_then(|slot| (slot.write)(of, spec)),
    };
    match (&key.shape, value) {
        (Shape::Switch(_), None) => Some(Value::Bool(false)),
        (Shape::Duration, Some(millis)) => millis.as_u64().map(|millis| crate::duration::write(millis).into()),
        (_, value) => value,
    }
}

/// A mapping inside a mapping: a struct, or one that may be missing.
pub(crate) trait NestedMapping {
    /// Fills it in, where it is there.
    fn read(&mut self, value: &CheckedValue);
    /// The mapping that says it.
    fn write(&self, spec: &DebateSpec) -> Option<Value>;
}
impl<T: FilledByKeys + Clone> NestedMapping for T {
    fn read(&mut self, value: &CheckedValue) {
        if let CheckedValue::Section(section) = value {
            fill(self, section);
        }
    }
    fn write(&self, spec: &DebateSpec) -> Option<Value> {
        Some(written(self, spec))
    }
}
impl<T: FilledByKeys + Clone> NestedMapping for Option<T> {
    fn read(&mut self, value: &CheckedValue) {
        self.iter_mut().for_each(|block| block.read(value));
    }
    fn write(&self, spec: &DebateSpec) -> Option<Value> {
        self.as_ref().map(|block| written(block, spec))
    }
}

/// The key of a plain value, named as its field is: `row!(DebateSpec, windows.window_step, SHAPE, DEFAULT, MEANING)`.
macro_rules! row {
    ($of:ident, $first:ident $(. $further:ident)*, $($rest:expr),+ $(,)?) => {
        $crate::keys::key($crate::slot::row!(@last $first $($further)*), $($rest),+)
            .at($crate::slot::place!($of, $first $(. $further)*))
    };
    (@last $name:ident) => { stringify!($name) };
    (@last $name:ident $($further:ident)+) => { $crate::slot::row!(@last $($further)+) };
}
/// The place of a plain value, for a key of another name: `place!(ToolLimits, timeout_ms)`.
macro_rules! place {
    ($of:ident, $($path:ident).+) => {
        $crate::slot::KeySlot::$of($crate::slot::SpecField {
            read: |of, value| $crate::leaf::Leaf::put(&mut of.$($path).+, value),
            write: |of, _| $crate::leaf::Leaf::given(&of.$($path).+),
        })
    };
}
/// The place of milliseconds.
macro_rules! millis {
    ($of:ident, $field:ident) => {
        $crate::slot::KeySlot::$of($crate::slot::SpecField {
            read: |of, value| {
                if let $crate::section::CheckedValue::Millis(millis) = value {
                    of.$field = *millis;
                }
            },
            write: |of, _| Some(of.$field.into()),
        })
    };
}
/// The key of a mapping, as [`row!`] that of a plain value.
macro_rules! block {
    ($of:ident, $name:ident, $($rest:expr),+ $(,)?) => {
        $crate::keys::key(stringify!($name), $($rest),+).at($crate::slot::KeySlot::$of($crate::slot::SpecField {
            read: |of, value| $crate::slot::NestedMapping::read(&mut of.$name, value),
            write: |of, spec| $crate::slot::NestedMapping::write(&of.$name, spec),
        }))
    };
}
pub(crate) use {block, millis, place, row};
