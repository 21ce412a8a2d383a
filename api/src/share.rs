//! The public pages of collections, and the previews of links to them: a title, a description and a picture.
//!
//! Recipients see the preview in a chat or a feed, and search engines read the page, by programs that run no scripts, so the
//! server writes both into the app's page.

pub mod best_quote;
pub mod collection_page;
pub mod emblem;
pub mod figures;
pub mod head;
pub mod link;
pub mod markup;
pub mod page_address;
pub mod picture;
pub mod picture_cache;
pub mod preview;
pub mod structured_data;

#[cfg(test)]
mod row_example;

use std::sync::Arc;

/// The pictures that a server draws for its collections, as SVG by slug.
pub type Emblems = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;
