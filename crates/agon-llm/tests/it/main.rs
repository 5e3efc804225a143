//! Tests of the model clients against servers made of exact bytes.

mod contract;
mod framing;
mod golden;
mod metadata;
mod properties;
mod stub;
mod timing;
