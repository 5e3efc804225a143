//! agon-store
