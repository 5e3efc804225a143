//! What other files than debate files are read with: trees whose every value knows its place, and problems with their lines.
pub use crate::diagnostic::{Problems, SpecFinding, clean, quote};
pub use crate::json::parse_within as json;
pub use crate::place::Span;
pub use crate::source::{Text, decode_within as decode};
pub use crate::tree::{Charge, FileNode, MapEntry, TreeLimits, Value, duplicate_keys};
pub use crate::yaml::parse_within as yaml;
