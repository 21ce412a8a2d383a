//! Link previews of collections and offers: a title, a description and a picture.
//!
//! Recipients see the preview in a chat or a feed, drawn by programs that run no scripts, so the server writes it into
//! the page's head.

pub mod emblem;
pub mod figures;
pub mod head;
pub mod link;
pub mod markup;
pub mod picture;
pub mod picture_cache;
pub mod preview;

use std::sync::Arc;

/// The pictures that a server draws for its collections, as SVG by slug.
pub type Emblems = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;
