//! agon-bus
