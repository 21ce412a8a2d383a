//! A cache of drawn pictures.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};

use actix_web::web::{self, Bytes};
use domain::{GroupId, OfferId};
use engine::locks::MutexExt as _;
use tokio::sync::Semaphore;

use super::picture::{self, DrawError};
use super::preview::{Preview, Side};

/// The largest number of cached pictures, of about 40 KB each; beyond it the cache is cleared.
const CACHED_MAX: usize = 256;

/// The number of pictures that are drawn concurrently: drawing is the most expensive request without a session.
const CONCURRENT_DRAWS_MAX: usize = 1;

/// The subject of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PictureSubject {
    /// The side the picture is for.
    pub side: Side,
    /// The collection.
    pub group: GroupId,
    /// The offer, if the picture is of one.
    pub offer: Option<OfferId>,
}

/// The latest picture of each subject, redrawn only when its text has changed.
#[derive(Debug)]
pub struct PictureCache {
    cached: Mutex<HashMap<PictureSubject, (Preview, Bytes)>>,
    draw_slots: Semaphore,
}

impl Default for PictureCache {
    fn default() -> Self {
        Self { cached: Mutex::default(), draw_slots: Semaphore::new(CONCURRENT_DRAWS_MAX) }
    }
}

impl PictureCache {
    /// Returns the picture of a preview, with the collection's own picture if there is one.
    ///
    /// # Errors
    /// [`DrawError`].
    pub async fn picture(
        &self,
        subject: PictureSubject,
        preview: Preview,
        emblem: Option<String>,
    ) -> Result<Bytes, DrawError> {
        if let Some(picture) = self.cached_picture(subject, &preview) {
            return Ok(picture);
        }
        // The semaphore is never closed, so acquiring it cannot fail.
        let _slot = self.draw_slots.acquire().await;
        if let Some(picture) = self.cached_picture(subject, &preview) {
            return Ok(picture);
        }
        let drawn_preview = preview.clone();
        let drawn = web::block(move || picture::draw(&preview, emblem.as_deref())).await;
        let picture = Bytes::from(drawn.map_err(|error| DrawError::Encoding(error.to_string()))??);
        let mut cached = self.cached();
        if cached.len() >= CACHED_MAX {
            cached.clear();
        }
        cached.insert(subject, (drawn_preview, picture.clone()));
        Ok(picture)
    }

    fn cached_picture(&self, subject: PictureSubject, preview: &Preview) -> Option<Bytes> {
        let cached = self.cached();
        cached.get(&subject).filter(|(drawn_preview, _)| drawn_preview == preview).map(|(_, picture)| picture.clone())
    }

    fn cached(&self) -> MutexGuard<'_, HashMap<PictureSubject, (Preview, Bytes)>> {
        self.cached.lock_unpoisoned()
    }
}
