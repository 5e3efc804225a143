//! agon-spec
