//! Batches that can be recognised in a journal: every event carries its batch, its index in it, and the batch's size.

use domain::{BookEvent, Event, GroupId, ReservationId, Sats, Stream, UnitPrice, UnixMs, UserId, VaultEvent};

/// An event's place in its batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Numbered {
    /// The batch.
    pub(crate) batch: u64,
    /// The index of the event in its batch, from 0.
    pub(crate) index: u32,
    /// The number of events in the batch, in all streams.
    ///
    pub(crate) total: u32,
}

impl Numbered {
    /// An event for `stream` that carries these numbers.
    pub(crate) fn event(self, stream: Stream) -> Event {
        let place = (u64::from(self.total) << 32) | u64::from(self.index);
        match stream {
            Stream::Vault(_) => Event::Vault(VaultEvent::Held {
                reservation: ReservationId((u128::from(self.batch) << 64) | u128::from(place)),
                amount: Sats::new(self.batch),
            }),
            _ => Event::Book(BookEvent::PriceMoved {
                price: UnitPrice::from_scaled(self.batch),
                observed_at: UnixMs(place),
            }),
        }
    }

    /// The numbers that an event carries.
    pub(crate) fn of(event: &Event) -> Self {
        let (batch, place) = match event {
            Event::Vault(VaultEvent::Held { reservation, .. }) => {
                (u64::try_from(reservation.0 >> 64).unwrap(), reservation.0 & u128::from(u64::MAX))
            }
            Event::Book(BookEvent::PriceMoved { price, observed_at }) => (price.scaled(), u128::from(observed_at.0)),
            other => panic!("not a numbered event: {other:?}"),
        };
        let half = |bits: u128| u32::try_from(bits & u128::from(u32::MAX)).unwrap();
        Self { batch, index: half(place), total: half(place >> 32) }
    }
}

/// The streams that numbered batches are spread over.
pub(crate) fn streams() -> Vec<Stream> {
    let books = (1..=4).map(|group| Stream::Book(GroupId(group)));
    books.chain((1..=4).map(|lender| Stream::Vault(UserId(lender)))).collect()
}
