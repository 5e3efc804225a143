//! Debate files: Markdown, YAML and JSON to a validated [`DebateSpec`], with every problem at once.
//!
//! [`parse`] reads a [`Source`] and gives the spec, or the [`Diagnostic`]s that say where and why there is none.
//! [`normalize`] writes a spec as a file in which every default is filled in. [`schema`] and [`reference_markdown`]
//! describe the file; they, the parser and its suggestions all follow from one table of keys.
//!
//! Invariant: nothing here opens a file, asks the environment or panics on any input.

mod cast;
mod defaults;
mod diagnostic;
mod draft;
mod duration;
mod eval_file;
mod expression;
mod gate;
mod json;
mod keys;
mod leaf;
mod limits;
mod markdown;
mod normal;
mod notes;
mod overrides;
mod parse;
mod place;
pub mod reading;
mod reference;
mod rules;
mod schema;
mod section;
mod shape;
mod slot;
mod source;
mod suggest;
mod template;
mod tree;
mod yaml;
mod yaml_out;

pub use cast::{CAST, CastMember};
pub use defaults::{Defaults, Edition, MaxTokens};
pub use diagnostic::{Code, Diagnostic, Excerpt, Severity, render};
pub use eval_file::*;
pub use gate::{gate_models, gate_settings_hash};
pub use limits::Limits;
pub use normal::{normalize, normalize_json, yaml};
pub use notes::notes;
pub use overrides::{GateOverride, Overrides};
pub use parse::{Parsed, parse, parse_filled, parse_with};
pub use place::Place;
pub use reference::reference_markdown;
pub use schema::schema;
pub use source::{MAX_BYTES, Source, Syntax};
pub use suggest::nearest;
pub use template::TEMPLATE_VARIABLES;

pub use agon_core::DebateSpec;
