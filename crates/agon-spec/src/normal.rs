//! A spec as a file again, with every default filled in.
use crate::slot::written;
use agon_core::DebateSpec;
use serde_json::Value;

/// The spec as a YAML debate file, which parses back to the same spec.
pub fn normalize(spec: &DebateSpec) -> String {
    crate::yaml_out::write(&normalize_json(spec))
}

/// Plain data as YAML, every text quoted that needs it: a debate file that a program has put together.
pub fn yaml(value: &Value) -> String {
    crate::yaml_out::write(value)
}

/// The spec as a JSON debate file, which parses back to the same spec.
pub fn normalize_json(spec: &DebateSpec) -> Value {
    written(spec, spec)
}
