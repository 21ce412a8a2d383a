//! A lender's actions, and the check that the signer backs the offers in the books.

use bitcoin::hashes::{Hash as _, sha256};
use domain::{Command, InterestRate, Ltv, Offer, OfferDraft, OfferId, PauseReasons, ProcessType, Sats};
use domain::{SubCollectionId, TermChange, TermChangeId, TermDays};
use escrow::action::{Action, CancelOffers, InstantTerms, NewOffer, OfferProcess};
use escrow::address::AddressKind;
use lending::instant_offers::opening::{self, OpenVaultError, OpenVaultRequest};
use lending::instant_offers::service::{InstantOfferError, InstantOfferState, InstantOffers, SignedAction};
use lending::lookups::ports::Ports as _;
use signer::request::{OfferHash, OfferStatus};
use signer::term_sheet::Term;
use signer::vault_signer::VaultSigner;

use crate::kit::groups::{FROGS, NOWHERE, sheet};
use crate::kit::people::Person;
use crate::kit::world::{Signed, World};

pub(crate) const PRINCIPAL: u64 = 1_000_000;
pub(crate) const CHANGE: TermChangeId = TermChangeId(7);

/// An action that a lender signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    Create,
    Edit,
    Cancel,
    Pause,
    Resume,
    AcceptTerm,
}

pub(crate) const ACTS: [Act; 6] = [Act::Create, Act::Edit, Act::Cancel, Act::Pause, Act::Resume, Act::AcceptTerm];

/// Signs an action, once: a message that is sent again is the same message.
pub(crate) fn signed_action(world: &World, lender: &Person, action: Action) -> SignedAction {
    let Signed { text, nonce_use } = world.sign(lender, AddressKind::P2wpkh, action);
    SignedAction { text, nonce_use }
}

pub(crate) fn new_offer(policy: &str) -> NewOffer {
    let terms = InstantTerms::plain(7_500, policy.to_owned());
    NewOffer {
        collection_slug: "frogs-7d".to_owned(),
        principal_sats: PRINCIPAL,
        process: OfferProcess::Instant(terms),
    }
}

fn draft() -> OfferDraft {
    OfferDraft {
        max_ltv: Some(Ltv::from_basis_points(7_500)),
        ..OfferDraft::plain(SubCollectionId(0), ProcessType::Instant, Sats::new(PRINCIPAL))
    }
}

/// A world with an open and funded vault.
pub(crate) async fn world() -> (World, Person) {
    let world = World::new().await;
    let lender = world.lender().await;
    world.open_vault(&lender).await;
    world.service.market.credit_vault(lender.user, Sats::new(10 * PRINCIPAL)).await.unwrap();
    (world, lender)
}

pub(crate) fn quotes<'a, S>(world: &'a World, signer: &'a S, state: &'a InstantOfferState) -> InstantOffers<'a, S> {
    InstantOffers { market: &world.service.market, signer, state }
}

pub(crate) async fn create(world: &World, lender: &Person) -> OfferId {
    let memory = InstantOfferState::default();
    let signed_action = signed_action(world, lender, Action::CreateOffer(new_offer(&world.policy().await)));
    let quotes = quotes(world, world.service.ports.signer(), &memory);
    quotes.create(FROGS, lender.user, draft(), signed_action).await.unwrap().offer_id.0
}

/// The message of an act on an offer.
pub(crate) async fn action(world: &World, act: Act, offer: OfferId) -> Action {
    let policy = world.policy().await;
    let offer_id = offer.to_string();
    match act {
        Act::Create => Action::CreateOffer(new_offer(&policy)),
        Act::Edit => Action::EditOffer { delete_offer_id: offer_id, new_offer: new_offer(&policy) },
        Act::Cancel => {
            let (ordinal_offer_ids, rune_offer_ids) = (vec![offer_id], Vec::new());
            Action::CancelOffers(CancelOffers { ordinal_offer_ids, rune_offer_ids, vault: Some(policy) })
        }
        Act::Pause => Action::PauseOffer { offer_id },
        Act::Resume => Action::ResumeOffer { offer_id },
        Act::AcceptTerm => Action::AcceptTerm { offer_id, term_id: CHANGE.to_string() },
    }
}

/// Performs an act with its signed message.
pub(crate) async fn perform<S: VaultSigner>(
    quotes: &InstantOffers<'_, S>,
    lender: &Person,
    act: Act,
    offer: OfferId,
    signed_action: SignedAction,
) -> Result<(), InstantOfferError> {
    let user = lender.user;
    match act {
        Act::Create => quotes.create(FROGS, user, draft(), signed_action).await.map(drop),
        Act::Edit => quotes.edit(offer, user, draft(), signed_action).await.map(drop),
        Act::Cancel => quotes.cancel(user, &[offer], signed_action).await.map(drop),
        Act::Pause => quotes.pause(user, offer, Some(signed_action)).await,
        Act::Resume => quotes.resume(user, offer, Some(signed_action)).await,
        Act::AcceptTerm => quotes.accept_term(user, offer, CHANGE, signed_action).await.map(drop),
    }
}

/// Prepares the state that an act needs.
pub(crate) async fn prepare(world: &World, lender: &Person, act: Act) -> OfferId {
    let offer = create(world, lender).await;
    let memory = InstantOfferState::default();
    let quotes = quotes(world, world.service.ports.signer(), &memory);
    if act == Act::Resume {
        let signed_action = signed_action(world, lender, Action::PauseOffer { offer_id: offer.to_string() });
        quotes.pause(lender.user, offer, Some(signed_action)).await.unwrap();
    }
    if act == Act::AcceptTerm {
        let change = TermChange {
            id: CHANGE,
            interest: InterestRate::from_basis_points(300),
            term: TermDays(9),
            change_at: domain::UnixMs(u64::MAX),
        };
        let command = Command::ScheduleTermChange { sub_collection: SubCollectionId(0), change };
        world.service.market.command(FROGS, command, None).await.unwrap();
        let term = Term { days: 9, interest_bps: 300 };
        world.set_sheet(&sheet(NOWHERE).with_change("frogs-7d", CHANGE.to_string(), term));
    }
    offer
}

/// The instant offers of the book.
pub(crate) async fn offers(world: &World) -> Vec<Offer> {
    world.service.market.instant_offers(FROGS).await.unwrap()
}

/// The signer's standing of an offer in the book.
pub(crate) async fn standing(world: &World, offer: OfferId) -> Option<OfferStatus> {
    let name = world.service.market.offer_admission(offer).await?;
    let name = OfferHash(sha256::Hash::from_byte_array(name));
    let answer = world.service.ports.signer().offer_status(vec![name]).await.unwrap();
    answer.first().map(|(_, standing)| *standing)
}

/// Asserts, while nothing is in progress, that the signer backs every offer that is not paused.
pub(crate) async fn assert_paid_from(world: &World, case: &str) {
    for offer in offers(world).await {
        if !offer.paused.contains(PauseReasons::LENDER) {
            assert_eq!(
                standing(world, offer.id).await,
                Some(OfferStatus::Open),
                "{case}: {} is listed in the book",
                offer.id
            );
        }
    }
}

/// Opens a lender's vault with its signed message.
pub(crate) async fn open<S: VaultSigner>(
    world: &World,
    signer: &S,
    lender: &Person,
    signed_action: SignedAction,
) -> Result<(), OpenVaultError> {
    let payment_address = lender.wallet.payment_address().to_string();
    let opening = OpenVaultRequest {
        lender: lender.user,
        ordinals_key: lender.ordinals_key(),
        payment_address,
        message: signed_action,
    };
    opening::open_vault(&world.service.market, signer, opening).await.map(drop)
}

pub(crate) async fn opening(world: &World, lender: &Person) -> SignedAction {
    let payment_address = lender.wallet.payment_address().to_string();
    let action = Action::OpenVault { payment_address, vault: world.policy().await };
    let Signed { text, nonce_use } = world.sign(lender, AddressKind::P2tr, action);
    SignedAction { text, nonce_use }
}
