//! The sources that the program was built from.

/// The version of Lienbook.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The commit that the build named in `LIENBOOK_COMMIT`, as `.ci/release-build` does. The build asks no git, so that the same
/// sources give the same program without a repository.
pub const COMMIT: Option<&str> = named(option_env!("LIENBOOK_COMMIT"));

const fn named(commit: Option<&'static str>) -> Option<&'static str> {
    match commit {
        Some(text) if !text.is_empty() => Some(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_name_is_no_commit() {
        assert_eq!([named(None), named(Some("")), named(Some("1a2b"))], [None, None, Some("1a2b")]);
    }
}
