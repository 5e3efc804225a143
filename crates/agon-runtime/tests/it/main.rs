//! Whole debates over in-memory ports and a scripted model, in paused time.
mod cast;
mod deaths;
mod debates;
mod stage;
mod takeover;
