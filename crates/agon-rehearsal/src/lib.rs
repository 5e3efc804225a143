//! agon-rehearsal
