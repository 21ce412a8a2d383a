//! The files of the built web app, embedded in the binary, and the manifest with their hashes.

use std::sync::LazyLock;

use bitcoin::hashes::{Hash as _, sha256};
use rust_embed::{EmbeddedFile, RustEmbed};
use serde::Serialize;
use utoipa::ToSchema;

/// The files of the built web app; none when it was not built.
#[derive(RustEmbed)]
#[folder = "../web/dist"]
#[allow_missing = true]
pub(crate) struct WebFiles;

/// A file of the web app.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct WebFile {
    /// The path below the address of the server.
    pub path: String,
    /// The SHA-256 of its content.
    pub sha256: String,
    /// Its length.
    pub bytes: usize,
}

/// The files of the web app in this binary, with their hashes, in the order of their paths.
#[derive(Debug)]
pub struct WebManifest {
    files: Vec<WebFile>,
    sha256: String,
}

impl WebManifest {
    /// Returns the manifest of this binary. The hashes of the files were computed when it was built.
    #[must_use]
    pub fn of_this_binary() -> &'static Self {
        static MANIFEST: LazyLock<WebManifest> = LazyLock::new(|| WebManifest::new(embedded()));
        &MANIFEST
    }

    fn new(mut files: Vec<WebFile>) -> Self {
        files.sort_by(|one, other| one.path.cmp(&other.path));
        let sha256 = sha256::Hash::hash(text(&files).as_bytes()).to_string();
        Self { files, sha256 }
    }

    /// Returns the files.
    #[must_use]
    pub fn files(&self) -> &[WebFile] {
        &self.files
    }

    /// Returns the lines that `sha256sum --check` reads.
    #[must_use]
    pub fn text(&self) -> String {
        text(&self.files)
    }

    /// Returns the SHA-256 of [`Self::text`], which stands for all files.
    #[must_use]
    pub fn sha256(&self) -> &str {
        &self.sha256
    }
}

fn text(files: &[WebFile]) -> String {
    files.iter().flat_map(|file| [file.sha256.as_str(), "  ", &file.path, "\n"]).collect()
}

fn embedded() -> Vec<WebFile> {
    let file = |path: &str, file: &EmbeddedFile| WebFile {
        path: path.to_owned(),
        sha256: hex::encode(file.metadata.sha256_hash()),
        bytes: file.data.len(),
    };
    WebFiles::iter().filter_map(|path| Some(file(&path, &WebFiles::get(&path)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manifest_is_sorted_and_its_hash_is_of_its_lines() {
        let file = |path: &str, sha256: &str| WebFile { path: path.to_owned(), sha256: sha256.to_owned(), bytes: 1 };
        let manifest = WebManifest::new(vec![file("b.js", "22"), file("assets/a.js", "11")]);
        assert_eq!(manifest.text(), "11  assets/a.js\n22  b.js\n");
        assert_eq!(manifest.sha256(), sha256::Hash::hash(b"11  assets/a.js\n22  b.js\n").to_string());
    }

    #[test]
    fn each_embedded_file_has_the_hash_of_its_content() {
        let manifest = WebManifest::of_this_binary();
        assert!(manifest.files().iter().any(|file| file.path == "index.html"), "the web app is not built");
        for file in manifest.files() {
            let data = WebFiles::get(&file.path).unwrap().data;
            assert_eq!(file.sha256, sha256::Hash::hash(&data).to_string(), "{}", file.path);
            assert_eq!(file.bytes, data.len());
        }
    }
}
