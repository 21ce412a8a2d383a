//! The one line that is asked, and the one that is answered.

use std::sync::Arc;

use bitcoin::hashes::Hash as _;
use bitcoin::{Network, Txid};
use domain::{
    AccountRejection, CollateralType, CollectionGroup, GroupId, InterestRate, Sats, TermChange, TermChangeId, TermDays,
    UnitPrice, UnixMs, UserId,
};
use engine::asset_index::InscriptionId;
use engine::wire::VaultView;
use engine::{Burn, ListingRejection, Market, Refusal};
use escrow::address::WalletAddress;
use lending::outpoint;
use serde::{Deserialize, Serialize};

use super::collection_draft::CollectionDraft;
use super::credit_id::CreditId;
use crate::clock;
use crate::failure::Failure;

/// The socket within the data folder.
pub const SOCKET_NAME: &str = "operator.sock";

/// No line is longer, in bytes.
pub const LINE_LENGTH_MAX: u64 = 65_536;

const DAY_MS: u64 = 86_400_000;

/// So many inscriptions always fit in a line.
pub const INSCRIPTIONS_MAX: usize = 500;

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    /// Credits money that arrived for a lender.
    CreditVault {
        /// The name of the credit, under which it happens once.
        id: CreditId,
        /// The lender's payment address.
        payment_address: String,
        /// How much arrived.
        sats: u64,
    },
    /// Asks what a vault holds.
    ShowVault {
        /// The lender's payment address.
        payment_address: String,
    },
    /// Lists a collection.
    AddCollection {
        /// Which one.
        collection: CollectionDraft,
    },
    /// Says which inscriptions belong to a collection.
    ListInscriptions {
        /// Its slug or id.
        collection: String,
        /// Their ids, at most [`INSCRIPTIONS_MAX`].
        inscriptions: Vec<String>,
    },
    /// Announces other terms.
    AnnounceTerm {
        /// The slug of the term or bundle.
        place: String,
        /// Days until a loan is due, from then on.
        term_days: u16,
        /// Interest for the whole term, from then on.
        interest_basis_points: u32,
        /// In how many days they take effect.
        in_days: u16,
    },
    /// Says what a collection's collateral costs.
    SetPrice {
        /// The collection's slug or id.
        collection: String,
        /// Hundred-millionths of a sat for a whole unit.
        price_scaled: u64,
    },
}

/// What is answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Reply {
    /// What the vault holds now, durably.
    Vault {
        /// All of it.
        balance_sats: u64,
        /// What of it can be lent.
        usable_sats: u64,
    },
    /// The collection is listed, durably.
    Listed {
        /// The number it was given.
        id: String,
    },
    /// The inscriptions belong to the collection, durably.
    InscriptionsListed {
        /// The collection's slug.
        collection: String,
        /// How many did not before.
        new: usize,
    },
    /// The terms are announced, durably.
    TermAnnounced {
        /// The id of the change.
        id: String,
        /// When it takes effect, in unix milliseconds.
        change_at: UnixMs,
    },
    /// The price is set, durably.
    PriceSet {
        /// The collection's slug.
        collection: String,
        /// What it cost before, in hundred-millionths of a sat for a whole unit.
        before_scaled: Option<u64>,
    },
    /// It was not done.
    Refused {
        /// Why, in one line.
        reason: String,
    },
}

/// Does what is asked.
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
        Request::AnnounceTerm { place, term_days, interest_basis_points, in_days } => {
            let interest = InterestRate::from_basis_points(interest_basis_points);
            announce_term(market, &place, (TermDays(term_days), interest), in_days).await
        }
        Request::SetPrice { collection, price_scaled } => {
            set_price(market, &collection, UnitPrice::from_scaled(price_scaled)).await
        }
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
        // Whoever lends real money has it on the chain, and nowhere else.
        return Err(Failure::new("a vault of real money is credited by the chain alone"));
    }
    let user = user_of(market, payment_address).await?;
    let expires_at = UnixMs(clock::now().0 + CreditId::REMEMBERED_MS);
    match market.credit_vault_once(user, amount, Burn { nonce: id.nonce(), expires_at }).await {
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
        Failure::new(format!("nobody has signed in with {shown}, so there is no vault"))
    })
}

/// Lists a collection under the next free number.
async fn add_collection(market: &Market, draft: CollectionDraft) -> Result<CollectionGroup, Failure> {
    let mut number = market.groups().iter().map(|group| group.id.0).max().map_or(1, |last| last + 1);
    loop {
        let group = draft.clone().into_group(GroupId(number)).map_err(Failure::new)?;
        match market.list_group(group.clone()).await {
            // Another operator's collection has the number and is not durable yet.
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
    let inscriptions: Vec<_> =
        ids.iter().map(|id| id.parse().map(outpoint::inscription)).collect::<Result<_, _>>().map_err(Failure::new)?;
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
    place: &str,
    (term, interest): (TermDays, InterestRate),
    in_days: u16,
) -> Result<Reply, Failure> {
    let named = market.sub_collection_named(place);
    let (group, sub) =
        named.ok_or_else(|| Failure::new(format!("no term or bundle is listed as {}", shortened(place))))?;
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

fn group_named(market: &Market, collection: &str) -> Result<Arc<CollectionGroup>, Failure> {
    let group = market.group_named(collection);
    group.ok_or_else(|| Failure::new(format!("no collection is listed as {}", shortened(collection))))
}

/// As much of a text as a line of the terminal bears.
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
