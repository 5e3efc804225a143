//! Whole debates over in-memory ports and a scripted model, in paused time.
mod cast;
mod crashes;
mod deaths;
mod debates;
mod fuse;
mod stage;
mod takeover;
