//! The requests and replies of the operator's socket, one line of JSON each.

use std::sync::Arc;

use bitcoin::hashes::Hash as _;
use bitcoin::{Network, Txid};
use domain::{
    AccountRejection, CollateralType, CollectionGroup, DAY_MS, GroupId, HaltReason, HaltScope, InterestRate, Sats,
    TermChange, TermChangeId, TermDays, UnitPrice, UnixMs, UserId,
};
use engine::asset_index::InscriptionId;
use engine::wire::VaultView;
use engine::{ListingRejection, Market, NonceUse, Refusal};
use escrow::address::WalletAddress;
use persistence::FeedStart;
use serde::{Deserialize, Serialize};

use super::collection_draft::CollectionDraft;
use super::credit_id::CreditId;
use crate::clock;
use crate::failure::Failure;

/// The name of the socket in the data folder.
pub const SOCKET_NAME: &str = "operator.sock";

/// The longest line, in bytes.
pub const LINE_LENGTH_MAX: u64 = 65_536;

/// The largest number of inscriptions in one request, which always fits in a line.
pub const INSCRIPTIONS_MAX: usize = 500;

/// The reason why a server whose journal is in a database sends no commits.
pub(super) const JOURNAL_ELSEWHERE: &str = "the journal is not in this folder: name its database by --journal";

/// A request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    /// Credits an amount to a lender's vault.
    CreditVault {
        /// The id of the credit, with which it is executed at most once.
        id: CreditId,
        /// The lender's payment address.
        payment_address: String,
        /// The amount in sats.
        sats: u64,
    },
    /// Returns the balance of a vault.
    ShowVault {
        /// The lender's payment address.
        payment_address: String,
    },
    /// Lists a collection.
    AddCollection {
        /// The collection.
        collection: CollectionDraft,
    },
    /// Adds inscriptions to a collection.
    ListInscriptions {
        /// The slug or id of the collection.
        collection: String,
        /// The ids of the inscriptions, at most [`INSCRIPTIONS_MAX`].
        inscriptions: Vec<String>,
    },
    /// Announces a term change.
    AnnounceTerm {
        /// The slug of the sub-collection.
        sub_collection: String,
        /// Days until a loan is due, with the new term.
        term_days: u16,
        /// The interest for the whole new term, in hundredths of a percent.
        interest_basis_points: u32,
        /// The number of days until the change takes effect.
        in_days: u16,
    },
    /// Sets the price of a collection's collateral.
    SetPrice {
        /// The slug or id of the collection.
        collection: String,
        /// The price of a whole unit in hundred-millionths of a sat.
        price_scaled: u64,
    },
    /// Halts new loans, or changes the reason of their halt.
    HaltNewLoans {
        /// The reason, one line for users.
        reason: String,
    },
    /// Ends the halt of new loans.
    ResumeNewLoans,
    /// Sends the commits of the journal, for a backup: the connection goes on as `commit_frames` describes.
    ShipCommits {
        /// The last commit that the backup has; 0 for none.
        after: u64,
    },
}

impl Request {
    /// Returns whether the request changes anything.
    #[must_use]
    pub const fn is_change(&self) -> bool {
        !matches!(self, Self::ShowVault { .. } | Self::ShipCommits { .. })
    }
}

/// A reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Reply {
    /// The durable balance of the vault.
    Vault {
        /// The whole balance.
        balance_sats: u64,
        /// The part that can be lent.
        usable_sats: u64,
    },
    /// The collection is listed, durably.
    Listed {
        /// The id of the collection.
        id: String,
    },
    /// The inscriptions are added to the collection, durably.
    InscriptionsListed {
        /// The slug of the collection.
        collection: String,
        /// The number of inscriptions that were not in it before.
        new: usize,
    },
    /// The term change is announced, durably.
    TermAnnounced {
        /// The id of the term change.
        id: String,
        /// The time at which it takes effect, in unix milliseconds.
        change_at: UnixMs,
    },
    /// The price is set, durably.
    PriceSet {
        /// The slug of the collection.
        collection: String,
        /// The previous price of a whole unit, in hundred-millionths of a sat.
        before_scaled: Option<u64>,
    },
    /// New loans are halted, durably.
    NewLoansHalted {
        /// The time since which they are.
        since: UnixMs,
        /// The number of accepted loans that their lenders cannot sign while the halt lasts.
        waiting: usize,
    },
    /// New loans begin again, durably.
    NewLoansResumed {
        /// The time since which they were halted.
        since: UnixMs,
        /// The reason of the halt.
        reason: String,
    },
    /// Commits follow when the client pulls them.
    CommitsFollow {
        /// The state of the journal where the backup continues.
        #[serde(flatten)]
        start: FeedStart,
    },
    /// The request was not executed.
    Refused {
        /// The reason, in one line.
        reason: String,
    },
}

/// Executes a request.
pub async fn answer(market: &Market, request: Request) -> Reply {
    let done = match request {
        Request::CreditVault { id, payment_address, sats } => {
            credit_once(market, &id, &payment_address, Sats::new(sats)).await.map(|vault| Reply::of_vault(&vault))
        }
        Request::ShowVault { payment_address } => {
            vault(market, &payment_address).await.map(|vault| Reply::of_vault(&vault))
        }
        Request::AddCollection { collection } => {
            add_collection(market, collection).await.map(|group| Reply::Listed { id: group.id.to_string() })
        }
        Request::ListInscriptions { collection, inscriptions } => {
            list_inscriptions(market, &collection, &inscriptions).await
        }
        Request::AnnounceTerm { sub_collection, term_days, interest_basis_points, in_days } => {
            let interest = InterestRate::from_basis_points(interest_basis_points);
            announce_term(market, &sub_collection, (TermDays(term_days), interest), in_days).await
        }
        Request::SetPrice { collection, price_scaled } => {
            set_price(market, &collection, UnitPrice::from_scaled(price_scaled)).await
        }
        Request::HaltNewLoans { reason } => halt_new_loans(market, &reason).await,
        Request::ResumeNewLoans => resume_new_loans(market).await,
        // A running server answers it before, unless its journal is elsewhere.
        Request::ShipCommits { .. } => Err(Failure::new(JOURNAL_ELSEWHERE)),
    };
    done.unwrap_or_else(|failure| Reply::Refused { reason: failure.to_string() })
}

impl Reply {
    fn of_vault(vault: &VaultView) -> Self {
        Self::Vault { balance_sats: vault.balance_sats.get(), usable_sats: vault.usable_balance_sats.get() }
    }
}

async fn credit_once(
    market: &Market,
    id: &CreditId,
    payment_address: &str,
    amount: Sats,
) -> Result<VaultView, Failure> {
    if WalletAddress::parse(payment_address, Network::Bitcoin).is_ok() {
        // On mainnet the balance of a vault is on the chain only.
        return Err(Failure::new("a vault of real money is credited by the chain alone"));
    }
    let user = user_of(market, payment_address).await?;
    let expires_at = UnixMs(clock::now().0 + CreditId::RETENTION_MS);
    match market.credit_vault_once(user, amount, NonceUse { nonce: id.nonce(), expires_at }).await {
        Err(Refusal::Account(AccountRejection::NonceUsed)) => {
            Err(Failure::new(format!("the credit {id} was carried out before, and was not carried out again")))
        }
        credited => credited.map_err(Failure::new),
    }
}

async fn vault(market: &Market, payment_address: &str) -> Result<VaultView, Failure> {
    let user = user_of(market, payment_address).await?;
    let vault = market.vault(user).await;
    vault.ok_or_else(|| Failure::new(format!("nothing was ever credited to {}", shortened(payment_address))))
}

async fn user_of(market: &Market, payment_address: &str) -> Result<UserId, Failure> {
    let user = market.user_of(payment_address).await;
    user.ok_or_else(|| {
        let shown = shortened(payment_address);
        Failure::new(format!("no user has signed in with {shown}, so there is no vault"))
    })
}

/// Lists a collection with the next free id.
async fn add_collection(market: &Market, draft: CollectionDraft) -> Result<CollectionGroup, Failure> {
    let mut number = market.groups().iter().map(|group| group.id.0).max().map_or(1, |last| last + 1);
    loop {
        let group = draft.clone().into_group(GroupId(number)).map_err(Failure::new)?;
        match market.list_group(group.clone()).await {
            // The id belongs to another collection that is not durable yet.
            Err(Refusal::Listing(ListingRejection::IdTaken(_))) => number += 1,
            listed => return listed.map(|()| group).map_err(Failure::new),
        }
    }
}

async fn list_inscriptions(market: &Market, collection: &str, ids: &[String]) -> Result<Reply, Failure> {
    let group = group_named(market, collection)?;
    if group.collateral != CollateralType::Inscription {
        return Err(Failure::new(format!("{} holds no inscriptions", group.slug)));
    }
    let inscriptions: Vec<_> = ids
        .iter()
        .map(|id| id.parse().map(|id: InscriptionId| id.into()))
        .collect::<Result<_, _>>()
        .map_err(Failure::new)?;
    let new = market.list_inscriptions(group.id, &inscriptions).await.map_err(|refusal| match refusal {
        Refusal::Listing(ListingRejection::InscriptionTaken(taken)) => {
            let txid = Txid::from_byte_array(taken.txid);
            Failure::new(format!("{} belongs to another collection", InscriptionId { txid, index: taken.index }))
        }
        other => Failure::new(other),
    })?;
    Ok(Reply::InscriptionsListed { collection: group.slug.to_string(), new })
}

async fn announce_term(
    market: &Market,
    sub_collection: &str,
    (term, interest): (TermDays, InterestRate),
    in_days: u16,
) -> Result<Reply, Failure> {
    let named = market.sub_collection_named(sub_collection);
    let (group, sub) =
        named.ok_or_else(|| Failure::new(format!("no term or bundle is listed as {}", shortened(sub_collection))))?;
    let change_at = clock::now().plus_ms(u64::from(in_days) * DAY_MS);
    let change = TermChange { id: TermChangeId(rand::random()), interest, term, change_at };
    let id = change.id.to_string();
    market.announce_term(group.id, sub, change).await.map_err(Failure::new)?;
    Ok(Reply::TermAnnounced { id, change_at })
}

async fn set_price(market: &Market, collection: &str, price: UnitPrice) -> Result<Reply, Failure> {
    let group = group_named(market, collection)?;
    let before = market.row(group.id).and_then(|row| row.unit_price);
    market.move_price(group.id, price, clock::now()).await.map_err(Failure::new)?;
    Ok(Reply::PriceSet { collection: group.slug.to_string(), before_scaled: before.map(|price| price.0.scaled()) })
}

async fn halt_new_loans(market: &Market, reason: &str) -> Result<Reply, Failure> {
    let reason = HaltReason::parse(reason).map_err(Failure::new)?;
    let halt = market.halt(HaltScope::NewLoans, reason).await.map_err(Failure::new)?;
    Ok(Reply::NewLoansHalted { since: halt.since, waiting: market.count_awaiting_lender() })
}

async fn resume_new_loans(market: &Market) -> Result<Reply, Failure> {
    let halt = market.resume_halted(HaltScope::NewLoans).await.map_err(Failure::new)?;
    Ok(Reply::NewLoansResumed { since: halt.since, reason: halt.reason.as_str().to_owned() })
}

fn group_named(market: &Market, collection: &str) -> Result<Arc<CollectionGroup>, Failure> {
    let group = market.group_named(collection);
    group.ok_or_else(|| Failure::new(format!("no collection is listed as {}", shortened(collection))))
}

/// Truncates a text for a line of the terminal.
fn shortened(text: &str) -> String {
    text.chars().take(100).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_one_line_of_json() {
        let id = "a-credit".parse().unwrap();
        let request = Request::CreditVault { id, payment_address: "bcrt1q".to_owned(), sats: 5 };
        let line = serde_json::to_string(&request).unwrap();
        assert_eq!(line, r#"{"op":"credit_vault","id":"a-credit","payment_address":"bcrt1q","sats":5}"#);
        assert_eq!(serde_json::from_str::<Request>(&line).unwrap(), request);
        assert!(serde_json::from_str::<Request>(&line.replace('5', "-5")).is_err());
        assert!(serde_json::from_str::<Request>(&line.replace("a-credit", "")).is_err());
        let longest = format!("{}i{}", "ab".repeat(32), u32::MAX);
        let inscriptions = vec![longest; INSCRIPTIONS_MAX];
        let request = Request::ListInscriptions { collection: "f".repeat(100), inscriptions };
        assert!(serde_json::to_string(&request).unwrap().len() < usize::try_from(LINE_LENGTH_MAX).unwrap());
        let request = Request::SetPrice { collection: "paper-frogs".to_owned(), price_scaled: 8_300_000 };
        let line = serde_json::to_string(&request).unwrap();
        assert_eq!(line, r#"{"op":"set_price","collection":"paper-frogs","price_scaled":8300000}"#);
    }
}
