//! `lienbook kit page`: the offline page for kits.

use super::arguments::Page;
use super::files::write_file;
use crate::cli::terminal::say;
use crate::failure::Failure;
use crate::web_app;

/// Writes the page.
pub(super) fn run(options: &Page) -> Result<(), Failure> {
    let page = web_app::offline_kit_page();
    let page = page.ok_or_else(|| Failure::new("this program was built without the web app, which has the page"))?;
    write_file(&options.out, options.force, &page)?;
    say(format_args!(
        "{} is written. Keep it beside your kits, and open it in a browser: it needs no network.",
        options.out.display()
    ));
    Ok(())
}
