//! agon-prompt
