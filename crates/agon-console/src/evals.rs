//! Evaluations: whether debating helped.
