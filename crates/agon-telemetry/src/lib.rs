//! Traces and metrics of debates.
