//! The debate-file reference.
