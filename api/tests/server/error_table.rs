//! Tests of the table of error codes: every code is used, and no body changes by accident.

use std::fs;
use std::path::{Path, PathBuf};

use lienbook::http::api_error::ApiError;
use lienbook::http::error_code::ErrorCode;
use serde_json::{Value, json};

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn every_code_is_used() {
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    files.retain(|path| !path.ends_with("error_code.rs"));
    let text: String = files.iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    // Tests at the end of a file use codes without making them reachable, but each of those codes is used in the code
    // above too.
    for code in ErrorCode::ALL {
        let name = format!("ErrorCode::{code:?}");
        let is_used = text.match_indices(&name).any(|(at, _)| {
            let next = text[at + name.len()..].chars().next();
            next.is_none_or(|character| !character.is_alphanumeric())
        });
        assert!(is_used, "{name} is in the table and nowhere else");
    }
}

#[test]
fn the_bodies_of_all_codes_equal_the_golden_file() {
    let bodies: Vec<Value> = ErrorCode::ALL
        .iter()
        .map(|code| {
            let problem = ApiError::new(*code, "what is wrong this time").with_values(json!({"field": "x"}));
            serde_json::to_value(problem.problem(Some("a-request"))).unwrap()
        })
        .collect();
    let text = format!("{}\n", serde_json::to_string_pretty(&bodies).unwrap());
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/server/errors.golden.json");
    if std::env::var_os("LIENBOOK_WRITE_GOLDEN").is_some() {
        fs::write(&golden, &text).unwrap();
    }
    let known = fs::read_to_string(&golden).unwrap();
    assert!(known == text, "error bodies changed: if that is meant, run this test with LIENBOOK_WRITE_GOLDEN=1");
}
