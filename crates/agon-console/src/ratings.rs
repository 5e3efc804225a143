//! What ended debates say of personas and models.
