//! agon
fn main() {}
