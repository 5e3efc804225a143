//! agon-core
