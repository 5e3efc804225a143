//! agon-report
