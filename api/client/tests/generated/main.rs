//! The generator of `src/types.gen.rs` and `src/operations.gen.rs` from `api/openapi.json`, and the test that both are
//! what it writes. `LIENBOOK_WRITE_GOLDEN=1` writes them.

#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::format_push_string,
    reason = "a test that panics has failed"
)]

mod naming;
mod operations;
mod types;

use std::fs;
use std::path::Path;

use serde_json::Value;

const HEADER: &str = "// Generated from api/openapi.json by the test `generated`; do not edit.\n";

fn description() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../openapi.json");
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn check(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(name);
    if std::env::var_os("LIENBOOK_WRITE_GOLDEN").is_some() {
        fs::write(&path, text).unwrap();
    }
    let is = fs::read_to_string(&path).unwrap_or_default();
    assert!(is == text, "{name} differs from api/openapi.json: run this test with LIENBOOK_WRITE_GOLDEN=1");
}

#[test]
fn the_types_are_those_of_the_description() {
    check("types.gen.rs", &(HEADER.to_owned() + &types::generate(&description())));
}

#[test]
fn the_operations_are_those_of_the_description() {
    check("operations.gen.rs", &(HEADER.to_owned() + &operations::generate(&description())));
}

/// The page for integrators begins with a bot that is an example, so it is compiled as it stands there.
#[test]
fn the_first_bot_of_the_page_is_the_example() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(folder.join("../INTEGRATING.md")).unwrap();
    let bot = fs::read_to_string(folder.join("examples/first_bot.rs")).unwrap();
    assert!(bot.lines().count() < 50);
    assert!(page.contains(&format!("```rust\n{bot}```\n")), "api/INTEGRATING.md differs from examples/first_bot.rs");
}
