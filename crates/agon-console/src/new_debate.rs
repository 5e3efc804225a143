//! A new debate: a form, a file with its diagnostics, and what it would take.
