//! Tests of the table of error codes.

use std::collections::HashSet;

use super::*;

#[test]
fn every_code_has_one_spelling_and_an_error_status() {
    let codes: HashSet<_> = ErrorCode::ALL.iter().map(|code| code.code()).collect();
    assert_eq!(codes.len(), ErrorCode::ALL.len());
    for code in ErrorCode::ALL {
        assert!((400..600).contains(&code.status()), "{code}");
        assert!(code.code().bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{code}");
    }
}
