//! What a link to a collection or an offer shows before it is opened: a title, a description and a picture.
//!
//! Whoever is sent such a link sees this in a chat or a feed, drawn by programs that run no scripts, so the server writes
//! it into the page's head.

pub mod emblem;
pub mod figures;
pub mod gallery;
pub mod head;
pub mod link;
pub mod markup;
pub mod picture;
pub mod preview;
