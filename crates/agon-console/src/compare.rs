//! Two debates side by side.
