//! Pictures that were drawn already.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use actix_web::web::{self, Bytes};
use domain::{GroupId, OfferId};
use tokio::sync::Semaphore;

use super::picture::{self, DrawError};
use super::preview::{Preview, Side};

/// So many are kept, of about 40 KB each; beyond that all are forgotten.
const KEPT_MAX: usize = 256;

/// So many are drawn at a time: drawing is the dearest thing a stranger may ask for.
const DRAWN_AT_ONCE_MAX: usize = 1;

/// What a picture is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Motif {
    /// Whom it is for.
    pub side: Side,
    /// The collection.
    pub group: GroupId,
    /// The offer, where it is of one.
    pub offer: Option<OfferId>,
}

/// The latest picture of each motif, drawn anew only when what it says has changed.
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
    /// The picture of a preview, beside the collection's own one where it has one.
    ///
    /// # Errors
    /// [`DrawError`].
    pub async fn picture(&self, motif: Motif, preview: Preview, emblem: Option<String>) -> Result<Bytes, DrawError> {
        if let Some(picture) = self.known(motif, &preview) {
            return Ok(picture);
        }
        // A semaphore that is never closed always gives a turn.
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
