//! A cache of drawn pictures.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use actix_web::web::{self, Bytes};
use domain::{GroupId, OfferId};
use tokio::sync::Semaphore;

use super::picture::{self, DrawError};
use super::preview::{Preview, Side};

/// The largest number of cached pictures, of about 40 KB each; beyond it the cache is cleared.
const KEPT_MAX: usize = 256;

/// The number of pictures that are drawn concurrently: drawing is the most expensive request without a session.
const DRAWN_AT_ONCE_MAX: usize = 1;

/// The subject of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Motif {
    /// The side the picture is for.
    pub side: Side,
    /// The collection.
    pub group: GroupId,
    /// The offer, if the picture is of one.
    pub offer: Option<OfferId>,
}

/// The latest picture of each subject, redrawn only when its text has changed.
#[derive(Debug)]
pub struct Gallery {
    kept: Mutex<HashMap<Motif, (Preview, Bytes)>>,
    turns: Semaphore,
}

impl Default for Gallery {
    fn default() -> Self {
        Self { kept: Mutex::default(), turns: Semaphore::new(DRAWN_AT_ONCE_MAX) }
    }
}

impl Gallery {
    /// Returns the picture of a preview, with the collection's own picture if there is one.
    ///
    /// # Errors
    /// [`DrawError`].
    pub async fn picture(&self, motif: Motif, preview: Preview, emblem: Option<String>) -> Result<Bytes, DrawError> {
        if let Some(picture) = self.known(motif, &preview) {
            return Ok(picture);
        }
        // The semaphore is never closed, so acquiring it cannot fail.
        let _turn = self.turns.acquire().await;
        if let Some(picture) = self.known(motif, &preview) {
            return Ok(picture);
        }
        let said = preview.clone();
        let drawn = web::block(move || picture::draw(&preview, emblem.as_deref())).await;
        let picture = Bytes::from(drawn.map_err(|error| DrawError::Encoding(error.to_string()))??);
        let mut kept = self.kept();
        if kept.len() >= KEPT_MAX {
            kept.clear();
        }
        kept.insert(motif, (said, picture.clone()));
        Ok(picture)
    }

    fn known(&self, motif: Motif, preview: &Preview) -> Option<Bytes> {
        let kept = self.kept();
        kept.get(&motif).filter(|(said, _)| said == preview).map(|(_, picture)| picture.clone())
    }

    fn kept(&self) -> MutexGuard<'_, HashMap<Motif, (Preview, Bytes)>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
