//! The actions that a wallet can sign for.

use crate::new_api_key::NewApiKey;
use crate::new_delegation::NewDelegation;

/// An action that a wallet is asked to sign, with every field that matters.
///
/// Each variant documents its lines of the text, which come between the title and the closing fields of the
/// [`Envelope`](crate::envelope::Envelope).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Opens a session.
    SignIn(SignIn),
    /// Quotes a new offer.
    ///
    /// ```text
    /// Lienbook: create offer
    /// ```
    ///
    /// followed by the lines of [`NewOffer`].
    CreateOffer(NewOffer),
    /// Replaces an offer by a new one.
    ///
    /// ```text
    /// Lienbook: edit offer
    /// Delete offer: 0b1c6c1e-7f0e-4b52-9a55-3f1d2c4b5a69
    /// ```
    ///
    /// followed by the lines of [`NewOffer`].
    EditOffer {
        /// The id of the offer to delete.
        delete_offer_id: String,
        /// The offer that replaces it.
        new_offer: NewOffer,
    },
    /// Cancels offers.
    CancelOffers(CancelOffers),
    /// Cancels all offers that a vault backs, however many there are.
    ///
    /// ```text
    /// Lienbook: cancel all offers
    /// Vault: 9d1f0c2ab3e4556677889900aabbccdd
    /// ```
    CancelAllOffers {
        /// The hash of the policy that the vault signer enforces.
        vault: String,
    },
    /// Accepts the term that will replace, or has replaced, the one an offer was quoted for.
    ///
    /// ```text
    /// Lienbook: accept term
    /// Offer: 0b1c6c1e-7f0e-4b52-9a55-3f1d2c4b5a69
    /// Term: pizza-ninjas-14d-2
    /// ```
    AcceptTerm {
        /// The id of the offer.
        offer_id: String,
        /// The id of the term.
        term_id: String,
    },
    /// Takes an offer out of the ranking by hand.
    ///
    /// ```text
    /// Lienbook: pause offer
    /// Offer: 0b1c6c1e-7f0e-4b52-9a55-3f1d2c4b5a69
    /// ```
    PauseOffer {
        /// The id of the offer.
        offer_id: String,
    },
    /// Puts a paused offer back into the ranking.
    ///
    /// ```text
    /// Lienbook: resume offer
    /// Offer: 0b1c6c1e-7f0e-4b52-9a55-3f1d2c4b5a69
    /// ```
    ResumeOffer {
        /// The id of the offer.
        offer_id: String,
    },
    /// Authorizes the signer to spend a vault by its policy, and fixes the address that its money may return to.
    ///
    /// Signed by the ordinals address, whose key is in the vault's script, so only the vault's owner can authorize it.
    ///
    /// ```text
    /// Lienbook: open vault
    /// Payment address: bc1q9vza2e8x573nczrlzms0wvx3gsqjx7vavgkx0l
    /// Vault: 9d1f0c2ab3e4556677889900aabbccdd
    /// ```
    OpenVault {
        /// The address that withdrawals and repayments go to.
        payment_address: String,
        /// The hash of the policy that the vault signer enforces.
        vault: String,
    },
    /// Requests a loan, which any lender can fill on these terms.
    ///
    /// ```text
    /// Lienbook: borrow request
    /// ```
    ///
    /// followed by the lines of [`NewRequest`].
    RequestLoan(NewRequest),
    /// Creates an API key, with which a program acts for the user.
    ///
    /// ```text
    /// Lienbook: create api key
    /// ```
    ///
    /// followed by the lines of [`NewApiKey`].
    CreateApiKey(NewApiKey),
    /// Lets a program sign instant offers within limits.
    ///
    /// ```text
    /// Lienbook: delegate quotes
    /// ```
    ///
    /// followed by the lines of [`NewDelegation`].
    DelegateQuotes(NewDelegation),
    /// Withdraws from a vault.
    ///
    /// ```text
    /// Lienbook: withdraw
    /// Withdraw sats: 1250000
    /// To: bc1q9vza2e8x573nczrlzms0wvx3gsqjx7vavgkx0l
    /// Max fee sats: 5250
    /// Vault: 9d1f0c2ab3e4556677889900aabbccdd
    /// ```
    Withdraw {
        /// The sats that leave the vault, network fee included.
        sats: u64,
        /// The receiving address: the payment address that the vault was opened with.
        to: String,
        /// The maximum network fee within `sats`. Older messages have no such line; new messages always have it.
        fee_max_sats: Option<u64>,
        /// The hash of the policy that the vault signer enforces.
        vault: String,
    },
    /// Moves everything in a vault to the vault that other signers hold for the same lender, which the message opens.
    ///
    /// Signed by the ordinals address, whose key is in the scripts of both vaults.
    ///
    /// ```text
    /// Lienbook: move vault
    /// From vault: 9d1f0c2ab3e4556677889900aabbccdd
    /// To: bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr
    /// Max fee sats: 5250
    /// Payment address: bc1q9vza2e8x573nczrlzms0wvx3gsqjx7vavgkx0l
    /// Vault: 1c2e4f6a8b0d1c2e4f6a8b0d1c2e4f6a
    /// ```
    MoveVault {
        /// The hash of the policy of the signers that hold the vault now.
        from_vault: String,
        /// The address of the vault that the new signers hold.
        to: String,
        /// The maximum network fee, which is all that does not arrive.
        fee_max_sats: u64,
        /// The address that withdrawals and repayments go to, before and after.
        payment_address: String,
        /// The hash of the policy of the new signers.
        vault: String,
    },
}

/// The two addresses of a session and the keys behind them.
///
/// ```text
/// Lienbook: sign in
/// Ordinals address: bc1ppv609nr0vr25u07u95waq5lucwfm6tde4nydujnu8npg4q75mr5sxq8lt3
/// Ordinals public key: c7f12003196442943d8588e01aee840423cc54fc1521526a3b85c2b0cbd58872
/// Payment address: bc1q9vza2e8x573nczrlzms0wvx3gsqjx7vavgkx0l
/// Payment public key: 02c7f12003196442943d8588e01aee840423cc54fc1521526a3b85c2b0cbd58872
/// ```
///
/// Both addresses sign this one text, which names them with their keys. Its `Address` is the payment address.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SignIn {
    /// The taproot address, where ordinals and runes are kept.
    pub ordinals_address: String,
    /// Its internal key in hexadecimal, as the wallet reports it.
    pub ordinals_public_key: String,
    /// The address that pays and is paid.
    pub payment_address: String,
    /// Its compressed public key in hexadecimal.
    pub payment_public_key: String,
}

/// An offer to be quoted.
///
/// A manual one, which its lender counter-signs:
///
/// ```text
/// Collection: bitcoin-puppets-30d
/// Process: manual
/// Principal sats: 1250000
/// Quantity: 2
/// ```
///
/// An instant one, which the vault funds without asking the lender; the line `Rune amount` only for runes:
///
/// ```text
/// Collection: dog-to-the-moon-14d
/// Process: instant
/// Principal sats: 1250000
/// Min principal sats: 800000
/// Rune amount: 250000000000
/// Inscriptions: 5
/// Max LTV x100: 7500
/// Accept next term: yes
/// Borrower: bc1q9vza2e8x573nczrlzms0wvx3gsqjx7vavgkx0l
/// Good until: 1800043200
/// Vault: 9d1f0c2ab3e4556677889900aabbccdd
/// ```
///
/// The line `Min principal sats` only for an offer whose principal follows the floor, at the LTV of the message, from this
/// one up to `Principal sats`; such an offer is against an inscription. The line `Inscriptions` only for a loan against
/// several inscriptions together. The lines `Borrower` and `Good until` only for an
/// offer that is for one borrower or a limited time.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NewOffer {
    /// The slug of the sub-collection that the offer is for, which fixes term and interest.
    pub collection_slug: String,
    /// The principal, in sats; the largest one if it follows the floor.
    pub principal_sats: u64,
    /// The process by which loans are made, with the fields of that process.
    pub process: OfferProcess,
}

/// The process by which a borrower gets the loan, with the fields of that process alone.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum OfferProcess {
    /// The lender counter-signs each loan.
    Manual {
        /// The number of such offers quoted at once, so that the signature cannot be used for more.
        quantity: u32,
    },
    /// The vault funds loans automatically.
    Instant(InstantTerms),
}

impl NewOffer {
    /// The signed time from which nothing is lent, in unix seconds.
    #[must_use]
    pub const fn good_until_s(&self) -> Option<u64> {
        match &self.process {
            OfferProcess::Manual { .. } => None,
            OfferProcess::Instant(terms) => terms.good_until_s,
        }
    }
}

/// The terms under which a lender lets the vault fund loans.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InstantTerms {
    /// The least principal, in sats, of an offer whose principal follows the floor; `None` if it is fixed.
    pub principal_min_sats: Option<u64>,
    /// For runes only: the most collateral that the principal is lent against, in raw units (not scaled by the rune's
    /// decimals).
    pub fungible_amount: Option<u128>,
    /// The number of inscriptions that secure the loan together; `None` for one, and for runes.
    pub inscriptions: Option<u32>,
    /// The loan-to-value above which the offer pauses, times 100: 75 % is 7500.
    pub ltv_max: u32,
    /// Whether a change of the term is accepted in advance.
    pub accept_next_term: bool,
    /// The payment address of the only borrower who is lent to; `None` if anyone is.
    pub borrower: Option<String>,
    /// The time from which nothing is lent, in unix seconds; `None` if the offer is good until it is cancelled.
    pub good_until_s: Option<u64>,
    /// The vault that pays, as the hash of its policy or its id.
    pub vault: String,
}

impl InstantTerms {
    /// Returns the terms of a fixed principal against one inscription, for any borrower and until the offer is cancelled.
    /// No change of the term is accepted in advance.
    #[must_use]
    pub const fn plain(ltv_max: u32, vault: String) -> Self {
        Self {
            principal_min_sats: None,
            fungible_amount: None,
            inscriptions: None,
            ltv_max,
            accept_next_term: false,
            borrower: None,
            good_until_s: None,
            vault,
        }
    }
}

/// A loan that a borrower requests.
///
/// Against an inscription, or several, with a line for each; against tokens the line `Amount`, in raw units, stands in
/// their place:
///
/// ```text
/// Collection: bitcoin-puppets
/// Inscription: 521f8eccffa4c41a3a7728dd012ea5a4a02feed81f41159231251ecf1e5c79dai0
/// Principal sats: 1250000
/// Max interest x100: 350
/// Min term days: 7
/// Max term days: 30
/// Good until: 1800604800
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NewRequest {
    /// The slug of the collection.
    pub collection_slug: String,
    /// The collateral.
    pub collateral: RequestedPledge,
    /// The wanted principal, in sats.
    pub principal_sats: u64,
    /// The highest interest for the whole term, in percent times 100: 3.5 % is 350.
    pub interest_max: u32,
    /// The shortest term, in days.
    pub term_min_days: u16,
    /// The longest term, in days.
    pub term_max_days: u16,
    /// The time from which it cannot be filled, in unix seconds.
    pub good_until_s: u64,
}

/// The collateral of a requested loan.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RequestedPledge {
    /// The ids of inscriptions to pledge together, at least one.
    Inscriptions(Vec<String>),
    /// An amount of the collection's token, in raw units.
    Amount(u128),
}

/// Offers to cancel.
///
/// ```text
/// Lienbook: cancel offers
/// Ordinal offer: 0b1c6c1e-7f0e-4b52-9a55-3f1d2c4b5a69
/// Ordinal offer: 1f9d2a60-2f0c-4a8e-8a8f-6f1f4d0c7b11
/// Rune offer: 7c9e6679-7425-40de-944b-e07fc1f90ae7
/// Vault: 9d1f0c2ab3e4556677889900aabbccdd
/// ```
///
/// One line for each offer, ordinal ones first, in the order of the request. At least one and at most
/// [`CANCELLED_OFFERS_MAX`], none twice.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CancelOffers {
    /// Ids of offers against ordinals.
    pub ordinal_offer_ids: Vec<String>,
    /// Ids of offers against runes.
    pub rune_offer_ids: Vec<String>,
    /// The vault that backs them; `None`, and no such line, if all are manual.
    pub vault: Option<String>,
}

/// The most offers that one message cancels.
pub const CANCELLED_OFFERS_MAX: usize = 100;
