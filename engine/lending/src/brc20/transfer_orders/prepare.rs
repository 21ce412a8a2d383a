//! The preparation of an order.

use std::collections::BTreeSet;

use bitcoin::hashes::Hash as _;
use bitcoin::{Amount, Txid};
use domain::{
    AssetRejection, Outpoint, TrackedOrder, TransferOrder, TransferOrderId, TransferOrderRejection, TransferOrderState,
};
use engine::Refusal;
use engine::asset_index::{Brc20Index as _, InscriptionId};
use escrow::contract::assets::brc20_transfer::Brc20Transfer;
use escrow::contract::inscribe_transfer::{CommitAndReveal, InscribeTransfer};
use escrow::contract::signing::spent_output::InputPolicy;
use escrow::contract::transaction::coin::Coin;
use escrow::contract::transaction::coin_selection::SelectionTarget;
use escrow::contract::transaction::funding_target::FeePayer;
use escrow::contract::transaction::spend::Spend;
use escrow::contract::transaction::template::Template;

use super::record::TransferOrderRecord;
use super::reveal_key::RevealKey;
use super::{PreparedOrder, SIGNING_MS, TransferOrderError, TransferOrderRequest};
use crate::lookups::ports::Ports;
use crate::records::outpoint::to_domain;
use crate::service::fee_bounds::FEE_RATE_MIN;
use crate::service::loan_service::LoanService;
use crate::service::sides::sides;

/// The most repetitions of coin selection after another request took a coin.
const ATTEMPTS_MAX: usize = 4;
/// The time left for signing, in milliseconds, below which an order is not returned again.
const SIGNING_MIN_MS: u64 = 5 * 60 * 1_000;

impl<P: Ports> LoanService<P> {
    /// Prepares an order: the available balance of the ordinals key must cover it, and it is paid by confirmed,
    /// unreserved coins without assets of the payment address. Idempotent for the same request while it can be signed;
    /// an unsigned order of the same transfer at another fee rate is replaced.
    pub async fn prepare_order(&self, request: &TransferOrderRequest) -> Result<PreparedOrder, TransferOrderError> {
        let (found, max) = (request.fee_rate, self.rules.fee_rate_max);
        if found < FEE_RATE_MIN || found > max {
            return Err(TransferOrderError::FeeRate { found, min: FEE_RATE_MIN, max });
        }
        // One spelling each, so that equal transfers are equal texts; indexers ignore case.
        let ticker = request.transfer.ticker().to_lowercase();
        let transfer = Brc20Transfer::new(&ticker, request.transfer.amount())?;
        let request = &TransferOrderRequest { transfer, ..request.clone() };
        let open = self.market.open_orders(request.user).await;
        let replaced: Vec<&TrackedOrder> = open.iter().filter(|order| is_replaced(order, request)).collect();
        self.check_balance(request, &open, &replaced).await?;
        for order in &replaced {
            if let Some(again) = self.prepared_again(request, order).await? {
                return Ok(again);
            }
        }
        let free: BTreeSet<Outpoint> = replaced.iter().flat_map(|order| order.order.coins.iter().copied()).collect();
        let mut attempts = 0;
        loop {
            match self.prepare_new(request, &free).await {
                Err(TransferOrderError::Market(
                    Refusal::Order(TransferOrderRejection::CoinReserved { .. })
                    | Refusal::Asset(AssetRejection::Pledged(_)),
                )) if attempts < ATTEMPTS_MAX => attempts += 1,
                outcome => return outcome,
            }
        }
    }

    /// Checks that the balance covers the transfer together with all pending ones.
    pub(super) async fn check_balance(
        &self,
        request: &TransferOrderRequest,
        open: &[TrackedOrder],
        except: &[&TrackedOrder],
    ) -> Result<(), TransferOrderError> {
        let (ticker, wanted) = (request.transfer.ticker(), request.transfer.amount());
        let mut promised = 0_u128;
        for order in open.iter().filter(|order| order.order.ticker == ticker && !except.contains(order)) {
            let is_counted = match &order.state {
                TransferOrderState::Committed { reveal, .. } => self.is_indexed(*reveal).await?,
                _ => false,
            };
            if !is_counted {
                promised = promised.saturating_add(order.order.amount_raw);
            }
        }
        // Asked last: one that is indexed meanwhile counts twice, and never not at all.
        let available = self.lookup().brc20_balance(&request.ordinals, ticker).await?.available;
        if promised.saturating_add(wanted) <= available {
            Ok(())
        } else {
            Err(TransferOrderError::Balance { available, promised, wanted })
        }
    }

    /// Whether the indexer has read a transfer inscription, so that the available balance is without it.
    pub(super) async fn is_indexed(&self, reveal: [u8; 32]) -> Result<bool, TransferOrderError> {
        let note = InscriptionId { txid: Txid::from_byte_array(reveal), index: 0 };
        Ok(self.ports.brc20().transfer_inscription(note).await?.is_some())
    }

    /// Returns the same order again, if it matches the request and its coins are still unspent.
    async fn prepared_again(
        &self,
        request: &TransferOrderRequest,
        order: &TrackedOrder,
    ) -> Result<Option<PreparedOrder>, TransferOrderError> {
        let record = TransferOrderRecord::from_text(&order.order.record)?;
        let is_same = record.fee_rate == request.fee_rate
            && record.payment == request.payment
            && record.ordinals_script == request.ordinals.script_pubkey();
        if !is_same || order.order.expires_at < self.market.now().plus_ms(SIGNING_MIN_MS) {
            return Ok(None);
        }
        let both = record.rebuild(&order.order)?;
        match self.prepared_order(request, &order.order, &both).await {
            Ok(prepared) => Ok(Some(prepared)),
            // Its coins were spent: others may do.
            Err(TransferOrderError::Spent(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn prepare_new(
        &self,
        request: &TransferOrderRequest,
        free: &BTreeSet<Outpoint>,
    ) -> Result<PreparedOrder, TransferOrderError> {
        let (id, key) = (TransferOrderId(rand::random()), RevealKey::generate());
        let (ordinals_script, change) = (request.ordinals.script_pubkey(), request.payment.script_pubkey());
        let mut order = InscribeTransfer {
            order: id.0,
            transfer: &request.transfer,
            reveal_key: key.public_key(),
            destination: &ordinals_script,
            coins: &[],
            change: &change,
            fee_rate: request.fee_rate,
        };
        let committed = order.commit_output()?;
        let coins = self.choose_coins(request, &order, free, committed).await?;
        order.coins = &coins;
        let both = order.build()?;
        let reveal = key.sign(&both)?;
        let record = TransferOrderRecord {
            reveal_key: order.reveal_key,
            ordinals_script: ordinals_script.clone(),
            payment: request.payment,
            coins: coins.iter().map(|coin| (coin.outpoint, coin.output.value)).collect(),
            fee_rate: request.fee_rate,
            commit: both.commit.final_txid(),
            reveal,
        };
        let stored = TransferOrder {
            id,
            user: request.user,
            ticker: request.transfer.ticker().to_owned(),
            amount_raw: request.transfer.amount(),
            coins: coins.iter().map(|coin| to_domain(coin.outpoint)).collect(),
            expires_at: self.market.now().plus_ms(SIGNING_MS),
            record: record.to_text()?,
        };
        let prepared = self.prepared_order(request, &stored, &both).await?;
        self.market.prepare_order(stored).await?;
        Ok(prepared)
    }

    async fn choose_coins(
        &self,
        request: &TransferOrderRequest,
        order: &InscribeTransfer<'_>,
        free: &BTreeSet<Outpoint>,
        committed: bitcoin::TxOut,
    ) -> Result<Vec<Coin>, TransferOrderError> {
        let holdings = self.lookup().holdings(&request.payment).await?;
        let outpoints = holdings.coins.iter().map(|held| to_domain(held.coin.outpoint));
        let promised: BTreeSet<Outpoint> =
            self.market.locked_outputs(outpoints).into_iter().filter(|outpoint| !free.contains(outpoint)).collect();
        let mut candidates = holdings.candidates();
        candidates.retain(|candidate| !promised.contains(&to_domain(candidate.spend.outpoint())));
        let wanted = SelectionTarget {
            amount: committed.value,
            fee_payer: FeePayer::Coins,
            fee_rate: request.fee_rate,
            inputs: &[],
            outputs: &[committed],
            change: order.change,
        };
        let choice = wanted.select(&candidates)?;
        let coins = choice.spends.into_iter().filter_map(|spend| match spend {
            Spend::Coin(coin) => Some(coin.clone()),
            Spend::Script { .. } => None,
        });
        Ok(coins.collect())
    }

    /// Returns the commit for the wallet, after a lookup of all its inputs.
    async fn prepared_order(
        &self,
        request: &TransferOrderRequest,
        order: &TransferOrder,
        both: &CommitAndReveal,
    ) -> Result<PreparedOrder, TransferOrderError> {
        let checked =
            self.lookup().check(&both.commit, &InputPolicy::default()).await.map_err(TransferOrderError::of_inputs)?;
        let fees = [&both.commit, &both.reveal].into_iter().filter_map(Template::fee);
        Ok(PreparedOrder {
            order: order.id,
            expires_at: order.expires_at,
            transaction: checked.to_base64(),
            sides: sides(&checked, &[request.payment], self.rules.network),
            fees: fees.fold(Amount::ZERO, |sum, fee| sum.checked_add(fee).unwrap_or(Amount::MAX)),
            reveal: both.reveal.final_txid(),
        })
    }
}

/// Whether an order is replaced by this one: unsigned, and of the same transfer.
fn is_replaced(order: &TrackedOrder, request: &TransferOrderRequest) -> bool {
    let TrackedOrder { order, state } = order;
    let is_same = order.ticker == request.transfer.ticker() && order.amount_raw == request.transfer.amount();
    *state == TransferOrderState::Prepared && is_same
}
