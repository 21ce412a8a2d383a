//! `lienbook build-info`: what this program was built from, with the hashes of it and of its web app.

use super::terminal::{print, table};
use crate::binary_hash;
use crate::failure::Failure;
use crate::source::{COMMIT, VERSION};
use crate::web_files::WebManifest;

/// Prints the report, or the list of files of the web app alone.
pub(super) fn run(only_web_files: bool) -> Result<(), Failure> {
    let web = WebManifest::of_this_binary();
    if only_web_files {
        return print(&web.text());
    }
    let program =
        binary_hash::of_running().map_err(|error| Failure::new(error).while_doing("cannot read the program"))?;
    print(&table(&[
        ("version", VERSION.to_owned()),
        ("commit", COMMIT.unwrap_or("not named by the build").to_owned()),
        ("program", format!("sha256 {program}")),
        ("web app", format!("sha256 {} of the list of its {} files", web.sha256(), web.files().len())),
    ]))
}
