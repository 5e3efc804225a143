//! agon-runtime
