//! The `lienbook` binary.
fn main() {}
