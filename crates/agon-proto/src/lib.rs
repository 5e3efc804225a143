//! agon-proto
