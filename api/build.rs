//! Rebuilds the crate when the web app, which is embedded in it, is built for the first time or again.

fn main() {
    println!("cargo::rerun-if-changed=../web/dist");
}
