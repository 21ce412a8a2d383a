//! Golden files, one per version of the events, which keep every version readable.
//!
//! A line of `tests/golden/v1.txt` is the kind of an event and a whole block with one such event, in hexadecimal. Lines
//! are added, never changed: if a line reads differently, so do old journals.

mod block_lines;
mod kinds;
mod public_log_lines;
mod samples;
mod split_change;
mod webhook_messages;

use std::{fmt::Write as _, fs, path::PathBuf};

use domain::{
    AccountEvent, AssetEvent, BlockTime, BookEvent, ContactEvent, DelegationId, Event, GroupId, HaltEvent,
    ListingEvent, LoanEvent, LoanId, NegotiationId, OfferId, OutboxEvent, Outpoint, PushId, RequestId, ReservationId,
    Sats, Stream, TransferOrderEvent, TransferOrderId, UnixMs, UserId, VaultEvent, WebhookId,
};
use engine::journal::Recorded;

use crate::{block::Block, upcast};

use self::{
    block_lines::{bytes, header, line},
    kinds::{kind, samples},
};

const VERSION: u8 = 1;
/// The variable that adds the missing lines to the golden file of the current version.
const ADD_LINES: &str = "LIENBOOK_GOLDEN_ADD";

trait IntoEvent {
    fn into_event(self) -> Event;
}

macro_rules! into_event {
    ($($type:ty, $variant:ident;)*) => {
        $(impl IntoEvent for $type {
            fn into_event(self) -> Event {
                Event::$variant(self)
            }
        })*
    };
}

into_event! { ListingEvent, Listing; AccountEvent, Account; BookEvent, Book; VaultEvent, Vault; AssetEvent, Asset; LoanEvent, Loan; TransferOrderEvent, Order; ContactEvent, Contact; OutboxEvent, Message; HaltEvent, Halt; }

const BOOK: Stream = Stream::Book(GroupId(3));
const VAULT: Stream = Stream::Vault(UserId(u64::MAX));
const OFFER: OfferId = OfferId(0x300_0000_002a);
const REQUEST: RequestId = RequestId(0x300_0000_0007);
const NEGOTIATION: NegotiationId = NegotiationId(0x300_0000_0009);
const LOAN_STREAM: Stream = Stream::Loan(LOAN);
const ORDER: TransferOrderId = TransferOrderId(1 << 90);
const TXID: [u8; 32] = [0xab; 32];
const MINED: BlockTime = BlockTime { height: 840_000, at: UnixMs(1_713_571_767_000) };
const RESERVATION: ReservationId = ReservationId(u128::MAX);
const DELEGATION: DelegationId = DelegationId(u128::MAX - 7);
const HOOK: WebhookId = WebhookId(300);
const PUSH: PushId = PushId(301);
const LOAN: LoanId = LoanId(1 << 100);
const OUTPOINT: Outpoint = Outpoint { txid: [0xab; 32], vout: 9 };
const AMOUNT: Sats = Sats::new(2_100_000_000_000_000);

fn path(version: u8) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/v{version}.txt"))
}

#[test]
fn records_of_version_1_read_as_they_always_have() {
    let mut golden = fs::read_to_string(path(1)).unwrap_or_default();
    for (name, stream, event) in samples().into_iter().chain(split_change::samples()).chain(webhook_messages::samples())
    {
        assert_eq!(
            kind(&event),
            name.trim_end_matches(".split")
                .trim_end_matches(".to_webhook")
                .trim_end_matches(".test_event")
                .trim_end_matches(".to_browser")
        );
        let found = golden.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')).map(bytes);
        let Some(found) = found else {
            let missing = line(name, stream, &event);
            assert!(
                std::env::var_os(ADD_LINES).is_some(),
                "run once with {ADD_LINES}=1 to add to {}:\n{missing}",
                path(1).display()
            );
            writeln!(golden, "{missing}").unwrap();
            continue;
        };
        let block = Block::parse(&found).unwrap_or_else(|problem| panic!("{name}: {problem}"));
        assert_eq!(block.header, header(stream), "{name}");
        let mut read = Vec::new();
        block.events(&mut |recorded| read.push(recorded)).unwrap_or_else(|(_, problem)| panic!("{name}: {problem}"));
        let expected = Recorded { sequence: 34, at: UnixMs(1_700_000_000_000), event };
        assert_eq!(read, [expected], "{name} reads differently now: give the old shape a module in `upcast`");
    }
    if std::env::var_os(ADD_LINES).is_some() {
        fs::write(path(1), golden).unwrap();
    }
}

#[test]
fn the_lines_of_an_export_carry_every_kind_of_event() {
    for (name, stream, event) in samples().into_iter().chain(split_change::samples()).chain(webhook_messages::samples())
    {
        let line = crate::line::EventLine { stream, sequence: 1, at: UnixMs(1), event };
        let text = serde_json::to_vec(&line).unwrap();
        assert_eq!(upcast::from_json(VERSION, &text).unwrap(), line, "{name}");
    }
}
