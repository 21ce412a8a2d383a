//! The values in the samples of events.

use std::sync::Arc;

use domain::{
    ApiKeyTerms, Bundle, CollateralType, CollectionGroup, ContactChannel, GroupId, Inscription, InterestRate, KeyScope,
    LendingLimits, LinkKey, LoanDeal, LoanId, LoanTerms, Ltv, Message, MessageContent, MessageId, NamedBorrower,
    NegotiatedLoan, NegotiationSubject, NoticeFacts, NoticeKind, OfferConditions, OfferTerms, Outpoint, ProcessType,
    Proposal, ProposedTerms, PushTarget, Quantity, RefinanceOrder, RequestTerms, Reservation, Role, Sats,
    SignedDelegation, SubCollection, SubCollectionId, TermChange, TermChangeId, TermDays, TransferOrder, UnixMs,
    UserId, VaultSpend, WalletAddresses,
};

use super::{AMOUNT, LOAN, OFFER, ORDER, OUTPOINT, RESERVATION, TXID};

pub(super) fn message() -> Message {
    let facts = NoticeFacts {
        id: "ln_9-overdue".to_owned(),
        kind: NoticeKind::OfferNotAdmitted,
        at: UnixMs(1_700_000_000_000),
        collection_name: "Golden Rune".to_owned(),
        loan: Some(LOAN),
        role: Some(Role::Lender),
        offer: Some(OFFER),
    };
    Message {
        id: MessageId(6),
        user: UserId(7),
        channel: ContactChannel::Telegram,
        content: MessageContent::Notice(facts),
    }
}

pub(super) fn order() -> TransferOrder {
    TransferOrder {
        id: ORDER,
        user: UserId(7),
        ticker: "ordi".to_owned(),
        amount_raw: u128::MAX,
        coins: vec![OUTPOINT],
        expires_at: UnixMs(1_700_000_900_000),
        record: "{}".to_owned(),
    }
}

pub(super) fn deal() -> LoanDeal {
    LoanDeal {
        offer: OFFER,
        sub_collection: SubCollectionId(2),
        process: ProcessType::Manual,
        lender: UserId(7),
        borrower: UserId(8),
        principal: AMOUNT,
        rate: InterestRate::from_basis_points(325),
        interest: Sats::new(65_000),
        platform_fee: Sats::new(13_000),
        pledged_raw: u128::MAX,
        pledged_ids: ["abi0"].into_iter().collect(),
        term: TermDays(14),
        claim_after: UnixMs(1_800_000_000_000),
        follows: Some(LoanId(5)),
    }
}

pub(super) fn vault_spend() -> VaultSpend {
    let outpoint = |vout| Outpoint { txid: TXID, vout };
    VaultSpend { outputs: vec![outpoint(1)], change: Some((outpoint(2), AMOUNT)).into() }
}

pub(super) fn group() -> CollectionGroup {
    let sub_collection = |id, bundle, manual| SubCollection {
        id: SubCollectionId(id),
        slug: format!("golden-rune-{id}").parse().unwrap(),
        term: TermDays(14),
        interest: InterestRate::from_basis_points(325),
        bundle,
        manual,
        instant: !manual,
    };
    CollectionGroup {
        id: GroupId(3),
        slug: "golden-rune".parse().unwrap(),
        name: "Golden Rune".into(),
        symbol: "ᚠ".into(),
        image: "/golden.svg".into(),
        external_link: Some("https://example.org/golden".to_owned()),
        collateral: CollateralType::Rune {
            rune_id: "840000:1".to_owned(),
            rune_name: "GOLDEN•RUNE".to_owned(),
            decimals: 2,
        },
        points_multiplier: 50,
        is_lending_allowed: true,
        sub_collections: vec![
            sub_collection(0, Bundle::Fixed(Quantity::tokens(1_000_000, 2)), true),
            sub_collection(1, Bundle::Open, false),
        ],
    }
}

pub(super) fn limits() -> LendingLimits {
    LendingLimits {
        budget: Some(AMOUNT),
        daily: Some(Sats::new(1)),
        collection_budgets: [(GroupId(3), Sats::new(500_000))].into(),
        absence_minutes: Some(10_080),
    }
}

pub(super) fn addresses() -> WalletAddresses {
    WalletAddresses {
        payment_address: "bc1qpayment".to_owned(),
        payment_pubkey: "02aa".to_owned(),
        ordinal_address: "bc1pordinal".to_owned(),
        ordinal_pubkey: "bb".to_owned(),
    }
}

pub(super) fn terms() -> OfferTerms {
    OfferTerms {
        sub_collection: SubCollectionId(1),
        process: ProcessType::Instant,
        principal: Sats::new(5_000_000),
        quantity: Quantity::tokens(u128::MAX, 38),
        smallest_take: Sats::new(100_000),
        max_ltv: Some(Ltv::from_basis_points(9_800)),
        accepts_next_term: true,
    }
}

pub(super) fn conditions() -> Arc<OfferConditions> {
    Arc::new(OfferConditions {
        borrower: Some(NamedBorrower { user: UserId(8), payment_address: "bc1qpayment".to_owned() }),
        link_key: Some(LinkKey([0xdd; 16])),
        repaid_min: 3,
        default_free_days: 90,
        inscriptions: vec![Inscription { txid: [0xee; 32], index: 1 }],
        numbers: Vec::new(),
    })
}

pub(super) fn request_terms() -> Arc<RequestTerms> {
    Arc::new(RequestTerms {
        borrower: NamedBorrower { user: UserId(8), payment_address: "bc1qpayment".to_owned() },
        inscriptions: vec![Inscription { txid: [0xee; 32], index: 1 }],
        quantity: Quantity::inscriptions(1),
        principal: Sats::new(4_000_000),
        interest_max: InterestRate::from_basis_points(325),
        term_min: TermDays(7),
        term_max: TermDays(30),
        good_until: UnixMs(1_800_000_000_000),
    })
}

pub(super) const fn refinance_order() -> RefinanceOrder {
    RefinanceOrder {
        principal_min: Sats::new(4_000_000),
        interest_max: InterestRate::from_basis_points(325),
        term_min: TermDays(7),
        term_max: TermDays(30),
        days_before: 3,
    }
}

pub(super) fn negotiated_loan() -> Arc<NegotiatedLoan> {
    Arc::new(NegotiatedLoan {
        subject: NegotiationSubject::Offer(OFFER),
        borrower: NamedBorrower { user: UserId(8), payment_address: "bc1qpayment".to_owned() },
        lender: UserId(7),
        sub_collection: SubCollectionId(1),
        inscriptions: Vec::new(),
        quantity: Quantity::tokens(500, 2),
    })
}

pub(super) fn proposal() -> Proposal {
    let loan = LoanTerms { interest: InterestRate::from_basis_points(325), days: TermDays(11) };
    let terms = ProposedTerms { principal: Sats::new(4_000_000), loan };
    Proposal { by: Role::Lender, terms, good_until: UnixMs(1_800_000_000_000) }
}

pub(super) fn reservation() -> Reservation {
    Reservation {
        id: RESERVATION,
        offer: OFFER,
        borrower: UserId(8),
        principal: Sats::new(4_000_000),
        pledged_raw: 1 << 70,
        expires_at: UnixMs(1_700_000_600_000),
    }
}

pub(super) fn term_change() -> TermChange {
    TermChange {
        id: TermChangeId(5),
        interest: InterestRate::from_basis_points(400),
        term: TermDays(30),
        change_at: UnixMs(1_700_086_400_000),
    }
}

pub(super) fn key_terms() -> Arc<ApiKeyTerms> {
    let ranges = ["203.0.113.0/24", "2001:db8::1/128"];
    Arc::new(ApiKeyTerms {
        name: "quoting-bot".to_owned(),
        scopes: [KeyScope::Read, KeyScope::Vault].into(),
        principal_max: Sats::new(1_250_000),
        outstanding_max: Sats::new(50_000_000),
        daily_max: Sats::new(100_000_000),
        collections: Some([GroupId(3), GroupId(300)].into()),
        addresses: Some(ranges.map(|range| range.parse().unwrap()).into()),
        valid_until: UnixMs(1_800_000_000_000),
        is_hardware_wallet: true,
    })
}

pub(super) fn signed_delegation() -> Arc<SignedDelegation> {
    Arc::new(SignedDelegation {
        message: "Lienbook: delegate quotes".to_owned(),
        signature: "AAAA".to_owned(),
        valid_until: UnixMs(1_800_000_000_000),
    })
}

pub(super) fn push_target() -> PushTarget {
    PushTarget {
        endpoint: "https://push.example.org/x".to_owned(),
        public_key: "BCVxsr7N".to_owned(),
        auth: "BTBZMqHH".to_owned(),
    }
}
