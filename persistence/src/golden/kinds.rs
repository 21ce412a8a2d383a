//! A sample of every kind of event.

use domain::{
    AccountEvent, Allowance, ApiKeyId, AssetEvent, AttemptResult, BookEvent, CancelReason, CancelledBy, ContactEvent,
    Ending, Event, GiveUpReason, GroupId, HaltEvent, HaltReason, HaltScope, Inscription, ListingEvent, LoanCoins,
    LoanEnd, LoanEvent, LoanId, MessageId, NegotiationEnd, Nonce, NoticeChoices, NoticeKind, NumberRange, OfferId,
    OutboxEvent, Outpoint, ReleaseReason, RequestEnd, Sats, SessionId, SignerKeys, SpendId, Stream, SubCollectionId,
    TermChangeId, TransferOrderEvent, UnitPrice, UnixMs, UserId, VaultChange, VaultEvent, WebhookPauseReason,
};

use super::samples::{
    addresses, conditions, deal, group, key_terms, limits, message, negotiated_loan, order, proposal, push_target,
    refinance_order, request_terms, reservation, signed_delegation, term_change, terms, vault_spend,
};
use super::{
    AMOUNT, BOOK, DELEGATION, HOOK, IntoEvent as _, LOAN, LOAN_STREAM, MINED, NEGOTIATION, OFFER, ORDER, OUTPOINT,
    PUSH, REQUEST, RESERVATION, TXID, VAULT,
};

/// A sample per kind, and the kind of any event. A new kind does not compile here until it has a sample.
macro_rules! kinds {
    ($($kind:literal, $pattern:pat, $stream:expr, $sample:expr;)*) => {
        pub(super) fn kind(event: &Event) -> &'static str {
            match event { $($pattern => $kind,)* }
        }

        pub(super) fn samples() -> Vec<(&'static str, Stream, Event)> {
            vec![$(($kind, $stream, $sample.into_event()),)*]
        }
    };
}

kinds! {
    "listing.group_listed", Event::Listing(ListingEvent::GroupListed(_)), Stream::Listings,
        ListingEvent::GroupListed(Box::new(group()));
    "listing.lending_allowed", Event::Listing(ListingEvent::LendingAllowed { .. }), Stream::Listings,
        ListingEvent::LendingAllowed { group: GroupId(3), allowed: false };
    "listing.inscriptions_listed", Event::Listing(ListingEvent::InscriptionsListed { .. }), Stream::Listings,
        ListingEvent::InscriptionsListed {
            group: GroupId(3),
            inscriptions: vec![Inscription { txid: TXID, index: 7 }],
        };
    "account.signed_in", Event::Account(AccountEvent::SignedIn { .. }), Stream::Accounts,
        AccountEvent::SignedIn { user: UserId(7), addresses: addresses() };
    "account.nonce_burned", Event::Account(AccountEvent::NonceUsed { .. }), Stream::Accounts,
        AccountEvent::NonceUsed { nonce: Nonce(u128::MAX - 1), expires_at: UnixMs(1_800_000_000_000) };
    "account.signed_out", Event::Account(AccountEvent::SignedOut { .. }), Stream::Accounts,
        AccountEvent::SignedOut { user: UserId(7), generation: 3 };
    "account.favourite_set", Event::Account(AccountEvent::FavouriteSet { .. }), Stream::Accounts,
        AccountEvent::FavouriteSet { user: UserId(7), group: GroupId(3), is_favourite: true };
    "account.ordinals_proven", Event::Account(AccountEvent::OrdinalsProven { .. }), Stream::Accounts,
        AccountEvent::OrdinalsProven { user: UserId(7) };
    "account.session_opened", Event::Account(AccountEvent::SessionOpened { .. }), Stream::Accounts,
        AccountEvent::SessionOpened { user: UserId(7), session: SessionId(9), agent: "Firefox".to_owned() };
    "account.session_renewed", Event::Account(AccountEvent::SessionRenewed { .. }), Stream::Accounts,
        AccountEvent::SessionRenewed { user: UserId(7), session: SessionId(9), serial: 300 };
    "account.session_ended", Event::Account(AccountEvent::SessionEnded { .. }), Stream::Accounts,
        AccountEvent::SessionEnded { user: UserId(7), session: SessionId(9) };
    "account.let_go", Event::Account(AccountEvent::Removed { .. }), Stream::Accounts,
        AccountEvent::Removed { user: UserId(7) };
    "account.limits_set", Event::Account(AccountEvent::LimitsSet { .. }), Stream::Accounts,
        AccountEvent::LimitsSet { user: UserId(7), limits: limits() };
    "account.absence_changed", Event::Account(AccountEvent::AbsenceChanged { .. }), Stream::Accounts,
        AccountEvent::AbsenceChanged { user: UserId(7), is_absent: true };
    "account.key_created", Event::Account(AccountEvent::KeyCreated { .. }), Stream::Accounts,
        AccountEvent::KeyCreated { user: UserId(7), key: ApiKeyId(9), terms: key_terms(), secret_hash: [0xcd; 32] };
    "account.key_revoked", Event::Account(AccountEvent::KeyRevoked { .. }), Stream::Accounts,
        AccountEvent::KeyRevoked { user: UserId(7), key: ApiKeyId(9) };
    "account.key_quoted", Event::Account(AccountEvent::KeyQuoted { .. }), Stream::Accounts,
        AccountEvent::KeyQuoted { user: UserId(7), key: ApiKeyId(9), day: 20_000, sum: AMOUNT };
    "account.delegation_created", Event::Account(AccountEvent::DelegationCreated { .. }), Stream::Accounts,
        AccountEvent::DelegationCreated { user: UserId(7), delegation: DELEGATION, signed: signed_delegation() };
    "account.delegation_revoked", Event::Account(AccountEvent::DelegationRevoked { .. }), Stream::Accounts,
        AccountEvent::DelegationRevoked { user: UserId(7), delegation: DELEGATION };
    "account.delegation_revocation_confirmed",
        Event::Account(AccountEvent::DelegationRevocationConfirmed { .. }), Stream::Accounts,
        AccountEvent::DelegationRevocationConfirmed { user: UserId(7), delegation: DELEGATION };
    "account.delegation_number_used", Event::Account(AccountEvent::DelegationNumberUsed { .. }), Stream::Accounts,
        AccountEvent::DelegationNumberUsed { user: UserId(7), delegation: DELEGATION, number: 300 };
    "book.offer_created", Event::Book(BookEvent::OfferCreated { .. }), BOOK,
        BookEvent::OfferCreated { offer: OFFER, lender: UserId(7), terms: terms() };
    "book.offer_cancelled", Event::Book(BookEvent::OfferCancelled { .. }), BOOK,
        BookEvent::OfferCancelled { offer: OFFER, reason: CancelReason::Edited };
    "book.offer_paused", Event::Book(BookEvent::OfferPaused { .. }), BOOK,
        BookEvent::OfferPaused { offer: OFFER };
    "book.offer_resumed", Event::Book(BookEvent::OfferResumed { .. }), BOOK,
        BookEvent::OfferResumed { offer: OFFER };
    "book.price_moved", Event::Book(BookEvent::PriceMoved { .. }), BOOK,
        BookEvent::PriceMoved { price: UnitPrice::from_scaled(8_300_000), observed_at: UnixMs(1_700_000_000_001) };
    "book.vault_moved", Event::Book(BookEvent::VaultBalanceChanged { .. }), BOOK,
        BookEvent::VaultBalanceChanged { lender: UserId(7), usable: AMOUNT };
    "book.offer_reserved", Event::Book(BookEvent::OfferReserved(_)), BOOK,
        BookEvent::OfferReserved(reservation());
    "book.reservation_confirmed", Event::Book(BookEvent::ReservationConfirmed { .. }), BOOK,
        BookEvent::ReservationConfirmed { reservation: RESERVATION, loan: LOAN };
    "book.reservation_released", Event::Book(BookEvent::ReservationReleased { .. }), BOOK,
        BookEvent::ReservationReleased { reservation: RESERVATION, reason: ReleaseReason::Expired };
    "book.loan_ended", Event::Book(BookEvent::LoanEnded { .. }), BOOK,
        BookEvent::LoanEnded { loan: LOAN, end: LoanEnd::Failed };
    "book.term_change_scheduled", Event::Book(BookEvent::TermChangeScheduled { .. }), BOOK,
        BookEvent::TermChangeScheduled { sub_collection: SubCollectionId(2), change: term_change() };
    "book.term_change_activated", Event::Book(BookEvent::TermChangeActivated { .. }), BOOK,
        BookEvent::TermChangeActivated { sub_collection: SubCollectionId(2), change: TermChangeId(5) };
    "book.term_accepted", Event::Book(BookEvent::TermAccepted { .. }), BOOK,
        BookEvent::TermAccepted { offer: OFFER, change: TermChangeId(5) };
    "book.reservation_extended", Event::Book(BookEvent::ReservationExtended { .. }), BOOK,
        BookEvent::ReservationExtended { reservation: RESERVATION, expires_at: UnixMs(1_700_000_900_000) };
    "book.loan_followed", Event::Book(BookEvent::LoanReplaced { .. }), BOOK,
        BookEvent::LoanReplaced { loan: LOAN, successor: LoanId(9) };
    "book.offers_unfunded", Event::Book(BookEvent::OffersUnfunded { .. }), BOOK,
        BookEvent::OffersUnfunded { offers: vec![OFFER, OfferId(7)] };
    "book.offers_funded", Event::Book(BookEvent::OffersFunded { .. }), BOOK,
        BookEvent::OffersFunded { offers: vec![OFFER] };
    "book.good_until_set", Event::Book(BookEvent::GoodUntilSet { .. }), BOOK,
        BookEvent::GoodUntilSet { offer: OFFER, good_until: Some(UnixMs(1_800_000_000_000)) };
    "book.offers_expired", Event::Book(BookEvent::OffersExpired { .. }), BOOK,
        BookEvent::OffersExpired { offers: vec![OFFER] };
    "book.conditions_set", Event::Book(BookEvent::ConditionsSet { .. }), BOOK,
        BookEvent::ConditionsSet { offer: OFFER, conditions: conditions() };
    "book.good_until_signed", Event::Book(BookEvent::GoodUntilSigned { .. }), BOOK,
        BookEvent::GoodUntilSigned { offer: OFFER, good_until: UnixMs(1_800_000_000_000) };
    "book.allowance_changed", Event::Book(BookEvent::AllowanceChanged { .. }), BOOK,
        BookEvent::AllowanceChanged {
            lender: UserId(7),
            allowance: Allowance { available: Some(AMOUNT), is_absent: true },
        };
    "book.request_placed", Event::Book(BookEvent::RequestPlaced { .. }), BOOK,
        BookEvent::RequestPlaced { request: REQUEST, terms: request_terms() };
    "book.request_ended", Event::Book(BookEvent::RequestEnded { .. }), BOOK,
        BookEvent::RequestEnded { request: REQUEST, reason: RequestEnd::CollateralGone };
    "book.request_filled", Event::Book(BookEvent::RequestFilled { .. }), BOOK,
        BookEvent::RequestFilled { request: REQUEST, offer: OFFER };
    "book.requests_expired", Event::Book(BookEvent::RequestsExpired { .. }), BOOK,
        BookEvent::RequestsExpired { requests: vec![REQUEST] };
    "book.negotiation_opened", Event::Book(BookEvent::NegotiationOpened { .. }), BOOK,
        BookEvent::NegotiationOpened { negotiation: NEGOTIATION, loan: negotiated_loan() };
    "book.proposal_made", Event::Book(BookEvent::ProposalMade { .. }), BOOK,
        BookEvent::ProposalMade { negotiation: NEGOTIATION, proposal: proposal() };
    "book.proposal_accepted", Event::Book(BookEvent::ProposalAccepted { .. }), BOOK,
        BookEvent::ProposalAccepted { negotiation: NEGOTIATION, offer: OFFER };
    "book.negotiation_ended", Event::Book(BookEvent::NegotiationEnded { .. }), BOOK,
        BookEvent::NegotiationEnded { negotiation: NEGOTIATION, end: NegotiationEnd::Withdrawn };
    "book.negotiations_expired", Event::Book(BookEvent::NegotiationsExpired { .. }), BOOK,
        BookEvent::NegotiationsExpired { negotiations: vec![NEGOTIATION] };
    "book.peg_set", Event::Book(BookEvent::PegSet { .. }), BOOK,
        BookEvent::PegSet { offer: OFFER, min: AMOUNT };
    "book.numbers_chosen", Event::Book(BookEvent::NumbersChosen { .. }), BOOK,
        BookEvent::NumbersChosen { offer: OFFER, numbers: vec![NumberRange { first: 1, last: u32::MAX }] };
    "book.cancels_on_disconnect", Event::Book(BookEvent::CancelsOnDisconnect { .. }), BOOK,
        BookEvent::CancelsOnDisconnect { offer: OFFER };
    "book.extension_agreed", Event::Book(BookEvent::ExtensionAgreed { .. }), BOOK,
        BookEvent::ExtensionAgreed { negotiation: NEGOTIATION };
    "vault.credited", Event::Vault(VaultEvent::Credited { .. }), VAULT,
        VaultEvent::Credited { amount: AMOUNT };
    "vault.debited", Event::Vault(VaultEvent::Debited { .. }), VAULT,
        VaultEvent::Debited { amount: Sats::new(1) };
    "vault.held", Event::Vault(VaultEvent::Held { .. }), VAULT,
        VaultEvent::Held { reservation: RESERVATION, amount: AMOUNT };
    "vault.released", Event::Vault(VaultEvent::Released { .. }), VAULT,
        VaultEvent::Released { reservation: RESERVATION };
    "vault.lent", Event::Vault(VaultEvent::Lent { .. }), VAULT,
        VaultEvent::Lent { reservation: RESERVATION };
    "vault.opened", Event::Vault(VaultEvent::Opened { .. }), VAULT,
        VaultEvent::Opened { signer_key: [0xaa; 32], lender_key: [0xbb; 32], payment_address: "bc1qpayment".to_owned() };
    "vault.offer_admitted", Event::Vault(VaultEvent::OfferAdmitted { .. }), VAULT,
        VaultEvent::OfferAdmitted { offer: OFFER, admission: [0xcc; 32] };
    "vault.offer_forgotten", Event::Vault(VaultEvent::AdmissionRemoved { .. }), VAULT,
        VaultEvent::AdmissionRemoved { offer: OFFER };
    "vault.output_confirmed", Event::Vault(VaultEvent::OutputConfirmed { .. }), VAULT,
        VaultEvent::OutputConfirmed { outpoint: OUTPOINT, amount: AMOUNT, height: 840_000 };
    "vault.output_unconfirmed", Event::Vault(VaultEvent::OutputUnconfirmed { .. }), VAULT,
        VaultEvent::OutputUnconfirmed { outpoint: OUTPOINT };
    "vault.output_spent", Event::Vault(VaultEvent::OutputSpent { .. }), VAULT,
        VaultEvent::OutputSpent { outpoint: OUTPOINT };
    "vault.spent", Event::Vault(VaultEvent::Spent { .. }), VAULT,
        VaultEvent::Spent {
            reservation: RESERVATION,
            txid: [0xdd; 32],
            outpoints: vec![OUTPOINT],
            change: Some((Outpoint { txid: [0xdd; 32], vout: 5 }, AMOUNT)).into(),
        };
    "vault.withdrawing", Event::Vault(VaultEvent::Withdrawing { .. }), VAULT,
        VaultEvent::Withdrawing {
            id: Nonce(u128::MAX - 2),
            txid: [0xee; 32],
            outpoints: vec![OUTPOINT],
            amount: AMOUNT,
            change: VaultChange::default(),
        };
    "vault.withdrawal_signed", Event::Vault(VaultEvent::WithdrawalSigned { .. }), VAULT,
        VaultEvent::WithdrawalSigned { id: Nonce(u128::MAX - 2), transaction: vec![2, 0, 0, 0] };
    "vault.departure_failed", Event::Vault(VaultEvent::SpendFailed { .. }), VAULT,
        VaultEvent::SpendFailed { spend: SpendId::Loan(RESERVATION) };
    "vault.departure_settled", Event::Vault(VaultEvent::SpendSettled { .. }), VAULT,
        VaultEvent::SpendSettled { spend: SpendId::Withdrawal(Nonce(u128::MAX - 2)) };
    "vault.fee_bumped", Event::Vault(VaultEvent::FeeBumped { .. }), VAULT,
        VaultEvent::FeeBumped {
            parent: [0xdd; 32],
            outpoint: Outpoint { txid: [0xdd; 32], vout: 5 },
            fee: Sats::new(12_345),
            change: (Outpoint { txid: [0xef; 32], vout: 0 }, AMOUNT),
            transaction: vec![2, 0, 0, 0],
        };
    "vault.offer_delegated", Event::Vault(VaultEvent::OfferDelegated { .. }), VAULT,
        VaultEvent::OfferDelegated { offer: OFFER, delegation: DELEGATION };
    "vault.opened_shared", Event::Vault(VaultEvent::OpenedShared { .. }), VAULT,
        VaultEvent::OpenedShared {
            signers: SignerKeys { required: 2, keys: vec![[0xa1; 32], [0xa2; 32], [0xa3; 32]] },
            lender_key: [0xbb; 32],
            payment_address: "bc1qpayment".to_owned(),
        };
    "vault.moving", Event::Vault(VaultEvent::Moving { .. }), VAULT,
        VaultEvent::Moving {
            id: Nonce(u128::MAX - 3),
            txid: [0xec; 32],
            outpoints: vec![OUTPOINT],
            signers: SignerKeys { required: 2, keys: vec![[0xa1; 32], [0xa2; 32], [0xa3; 32]] },
            arriving: Some((Outpoint { txid: [0xec; 32], vout: 0 }, AMOUNT)).into(),
        };
    "vault.move_signed", Event::Vault(VaultEvent::MoveSigned { .. }), VAULT,
        VaultEvent::MoveSigned { id: Nonce(u128::MAX - 3), transaction: vec![2, 0, 0, 0] };
    "asset.locked", Event::Asset(AssetEvent::Locked { .. }), Stream::Assets,
        AssetEvent::Locked { outpoint: Outpoint { txid: [0xab; 32], vout: 9 }, reservation: RESERVATION };
    "asset.unlocked", Event::Asset(AssetEvent::Unlocked { .. }), Stream::Assets,
        AssetEvent::Unlocked { outpoint: Outpoint { txid: [0xab; 32], vout: 9 } };
    "loan.extension_prepared", Event::Loan(LoanEvent::ExtensionPrepared { .. }), LOAN_STREAM,
        LoanEvent::ExtensionPrepared {
            deal: Box::new(deal()),
            contract: "{}".to_owned(),
            expires_at: UnixMs(1_700_000_900_000),
            due_at: UnixMs(1_799_913_600_000),
        };
    "loan.prepared", Event::Loan(LoanEvent::Prepared { .. }), LOAN_STREAM,
        LoanEvent::Prepared {
            deal: Box::new(deal()),
            contract: "{}".to_owned(),
            expires_at: UnixMs(1_700_000_900_000),
        };
    "loan.rebuilt", Event::Loan(LoanEvent::Rebuilt { .. }), LOAN_STREAM,
        LoanEvent::Rebuilt { contract: "{}".to_owned(), expires_at: UnixMs(1_700_000_900_000) };
    "loan.borrower_signed", Event::Loan(LoanEvent::BorrowerSigned { .. }), LOAN_STREAM,
        LoanEvent::BorrowerSigned { answer: "cHNidP8=".to_owned(), expires_at: UnixMs(1_700_000_900_000) };
    "loan.signed", Event::Loan(LoanEvent::Signed { .. }), LOAN_STREAM,
        LoanEvent::Signed { txid: TXID, running: "{}".to_owned(), vault: Some(vault_spend()) };
    "loan.confirmed", Event::Loan(LoanEvent::Confirmed(_)), LOAN_STREAM,
        LoanEvent::Confirmed(MINED);
    "loan.unconfirmed", Event::Loan(LoanEvent::Unconfirmed), LOAN_STREAM,
        LoanEvent::Unconfirmed;
    "loan.expired", Event::Loan(LoanEvent::Expired), LOAN_STREAM,
        LoanEvent::Expired;
    "loan.ending_signed", Event::Loan(LoanEvent::EndingSigned { .. }), LOAN_STREAM,
        LoanEvent::EndingSigned { ending: Ending::Refinance(LoanId(9)), txid: TXID, transaction: "{}".to_owned() };
    "loan.ending_dropped", Event::Loan(LoanEvent::EndingDropped), LOAN_STREAM,
        LoanEvent::EndingDropped;
    "loan.ended", Event::Loan(LoanEvent::Ended { .. }), LOAN_STREAM,
        LoanEvent::Ended { ending: Ending::Claim, txid: TXID, mined: MINED };
    "loan.end_undone", Event::Loan(LoanEvent::EndUnconfirmed), LOAN_STREAM,
        LoanEvent::EndUnconfirmed;
    "loan.cancelled", Event::Loan(LoanEvent::Cancelled { .. }), LOAN_STREAM,
        LoanEvent::Cancelled { by: CancelledBy::Market };
    "loan.lapsed", Event::Loan(LoanEvent::Lapsed), LOAN_STREAM,
        LoanEvent::Lapsed;
    "loan.failed", Event::Loan(LoanEvent::Failed), LOAN_STREAM,
        LoanEvent::Failed;
    "loan.soft_prepared", Event::Loan(LoanEvent::SoftPrepared { .. }), LOAN_STREAM,
        LoanEvent::SoftPrepared {
            deal: Box::new(deal()),
            contract: "{}".to_owned(),
            expires_at: UnixMs(1_700_000_900_000),
            coins: LoanCoins { collateral: vec![OUTPOINT], money: Vec::new() },
        };
    "loan.held", Event::Loan(LoanEvent::Held { .. }), LOAN_STREAM,
        LoanEvent::Held { expires_at: UnixMs(1_700_000_900_000) };
    "loan.refinance_ordered", Event::Loan(LoanEvent::RefinanceOrdered(_)), LOAN_STREAM,
        LoanEvent::RefinanceOrdered(Some(refinance_order()));
    "order.prepared", Event::Order(TransferOrderEvent::Prepared(_)), Stream::Orders,
        TransferOrderEvent::Prepared(Box::new(order()));
    "order.committed", Event::Order(TransferOrderEvent::Committed { .. }), Stream::Orders,
        TransferOrderEvent::Committed { order: ORDER, reveal: TXID, transactions: ["02aa".to_owned(), "02bb".to_owned()] };
    "order.revealed", Event::Order(TransferOrderEvent::Revealed { .. }), Stream::Orders,
        TransferOrderEvent::Revealed { order: ORDER };
    "order.failed", Event::Order(TransferOrderEvent::Failed { .. }), Stream::Orders,
        TransferOrderEvent::Failed { order: ORDER };
    "order.lapsed", Event::Order(TransferOrderEvent::Lapsed { .. }), Stream::Orders,
        TransferOrderEvent::Lapsed { order: ORDER };
    "contact.email_given", Event::Contact(ContactEvent::EmailSet { .. }), Stream::Contacts,
        ContactEvent::EmailSet {
            user: UserId(7),
            address: "lender@example.org".to_owned(),
            serial: 4,
            expires_at: UnixMs(1_700_000_900_000),
        };
    "contact.email_verified", Event::Contact(ContactEvent::EmailVerified { .. }), Stream::Contacts,
        ContactEvent::EmailVerified { user: UserId(7) };
    "contact.email_removed", Event::Contact(ContactEvent::EmailRemoved { .. }), Stream::Contacts,
        ContactEvent::EmailRemoved { user: UserId(7) };
    "contact.telegram_linked", Event::Contact(ContactEvent::TelegramLinked { .. }), Stream::Contacts,
        ContactEvent::TelegramLinked { user: UserId(7), chat: -1_001_234_567_890 };
    "contact.telegram_unlinked", Event::Contact(ContactEvent::TelegramUnlinked { .. }), Stream::Contacts,
        ContactEvent::TelegramUnlinked { user: UserId(7) };
    "contact.chosen", Event::Contact(ContactEvent::ChoicesSet { .. }), Stream::Contacts,
        ContactEvent::ChoicesSet {
            user: UserId(7),
            choices: NoticeChoices { critical_alerts: true, kinds: NoticeKind::ALL[..17].iter().copied().collect() },
        };
    "contact.email_refused", Event::Contact(ContactEvent::EmailBounced { .. }), Stream::Contacts,
        ContactEvent::EmailBounced { user: UserId(7) };
    "contact.webhook_added", Event::Contact(ContactEvent::WebhookAdded { .. }), Stream::Contacts,
        ContactEvent::WebhookAdded {
            user: UserId(7),
            webhook: HOOK,
            url: "https://example.org/hook".to_owned(),
            kinds: NoticeKind::ALL[..27].iter().copied().collect(),
        };
    "contact.webhook_kinds_set", Event::Contact(ContactEvent::WebhookKindsSet { .. }), Stream::Contacts,
        ContactEvent::WebhookKindsSet { user: UserId(7), webhook: HOOK, kinds: [NoticeKind::Repaid].into_iter().collect() };
    "contact.webhook_secret_rotated", Event::Contact(ContactEvent::WebhookSecretRotated { .. }), Stream::Contacts,
        ContactEvent::WebhookSecretRotated { user: UserId(7), webhook: HOOK };
    "contact.webhook_paused", Event::Contact(ContactEvent::WebhookPaused { .. }), Stream::Contacts,
        ContactEvent::WebhookPaused { user: UserId(7), webhook: HOOK, reason: WebhookPauseReason::Gone };
    "contact.webhook_resumed", Event::Contact(ContactEvent::WebhookResumed { .. }), Stream::Contacts,
        ContactEvent::WebhookResumed { user: UserId(7), webhook: HOOK };
    "contact.webhook_removed", Event::Contact(ContactEvent::WebhookRemoved { .. }), Stream::Contacts,
        ContactEvent::WebhookRemoved { user: UserId(7), webhook: HOOK };
    "contact.push_added", Event::Contact(ContactEvent::PushAdded { .. }), Stream::Contacts,
        ContactEvent::PushAdded { user: UserId(7), push: PUSH, target: push_target(), agent: "Firefox".to_owned(), kinds: [NoticeKind::Overdue].into_iter().collect() };
    "contact.push_kinds_set", Event::Contact(ContactEvent::PushKindsSet { .. }), Stream::Contacts,
        ContactEvent::PushKindsSet { user: UserId(7), push: PUSH, kinds: [NoticeKind::Repaid].into_iter().collect() };
    "contact.push_removed", Event::Contact(ContactEvent::PushRemoved { .. }), Stream::Contacts,
        ContactEvent::PushRemoved { user: UserId(7), push: PUSH };
    "message.queued", Event::Message(OutboxEvent::Queued(_)), Stream::Outbox,
        OutboxEvent::Queued(Box::new(message()));
    "message.handed", Event::Message(OutboxEvent::DeliveryStarted { .. }), Stream::Outbox,
        OutboxEvent::DeliveryStarted { id: MessageId(6) };
    "message.delivered", Event::Message(OutboxEvent::Delivered { .. }), Stream::Outbox,
        OutboxEvent::Delivered { id: MessageId(6) };
    "message.failed", Event::Message(OutboxEvent::Failed { .. }), Stream::Outbox,
        OutboxEvent::Failed { id: MessageId(6), retry_at: UnixMs(1_700_000_900_000) };
    "message.given_up", Event::Message(OutboxEvent::GivenUp { .. }), Stream::Outbox,
        OutboxEvent::GivenUp { id: MessageId(6), reason: GiveUpReason::NotWanted };
    "message.attempted", Event::Message(OutboxEvent::Attempted { .. }), Stream::Outbox,
        OutboxEvent::Attempted { id: MessageId(6), result: AttemptResult::Status(503), duration_ms: 10_000 };
    "message.webhook_stopped", Event::Message(OutboxEvent::WebhookStopped { .. }), Stream::Outbox,
        OutboxEvent::WebhookStopped { webhook: HOOK };
    "message.webhook_forgotten", Event::Message(OutboxEvent::WebhookForgotten { .. }), Stream::Outbox,
        OutboxEvent::WebhookForgotten { webhook: HOOK };
    "message.push_stopped", Event::Message(OutboxEvent::PushStopped { .. }), Stream::Outbox,
        OutboxEvent::PushStopped { push: PUSH };
    "halt.halted", Event::Halt(HaltEvent::Halted { .. }), Stream::Halts,
        HaltEvent::Halted { scope: HaltScope::NewLoans, reason: HaltReason::parse("indexers disagree").unwrap() };
    "halt.resumed", Event::Halt(HaltEvent::Resumed { .. }), Stream::Halts,
        HaltEvent::Resumed { scope: HaltScope::NewLoans };
}
