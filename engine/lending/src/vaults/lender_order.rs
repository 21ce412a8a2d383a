//! The part that both orders of a lender have in common which take outputs out of a vault: withdrawals and moves.

use bitcoin::{Amount, FeeRate, OutPoint, Transaction, Txid};
use domain::{Nonce, Sats, UserId, VaultRejection};
use engine::chain::Chain as _;
use engine::{NonceUse, Refusal};
use escrow::contract::transaction::template::Template;
use signer::refusal::Refusal as SignerRefusal;
use signer::request::SpentOutput;
use signer::signed_text::SignedText;

use crate::lookups::ports::Ports;
use crate::service::loan_service::LoanService;
use crate::vaults::vault::sats;

/// The margin over the prepared fee that the lender signs for, in percent: other outputs may have to be spent than those at
/// preparation.
const FEE_SLACK_PERCENT: u64 = 50;

/// A lender's signed order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedOrder {
    /// The signed message; the caller has verified signature, origin and time.
    pub signed: SignedText,
    /// Its nonce.
    pub nonce_use: NonceUse,
    /// The fee rate.
    pub fee_rate: FeeRate,
}

/// The transaction of an order, which is signed and journaled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderTransaction {
    /// Its txid.
    pub txid: Txid,
    /// Whether the node has accepted it. If not, it is broadcast again until it or a conflicting spend is confirmed.
    pub is_sent: bool,
}

/// Returns the fee of a transaction that was built.
pub(super) fn fee(template: &Template) -> Sats {
    // Every template built has a fee.
    template.fee().map_or(Sats::ZERO, sats)
}

/// Returns the highest fee, which the lender signs.
pub(super) fn fee_max(fee: Sats) -> Sats {
    let slack = fee.get().saturating_mul(FEE_SLACK_PERCENT).div_ceil(100);
    fee.saturating_add(Sats::new(slack))
}

/// Returns the outputs of a vault as a request to the signers names them.
pub(super) fn spent_outputs(outputs: &[(OutPoint, Amount)]) -> Vec<SpentOutput> {
    outputs.iter().map(|(outpoint, value)| SpentOutput { outpoint: *outpoint, sats: value.to_sat() }).collect()
}

/// Returns whether a refusal of the signers may be lifted a moment later.
pub(super) const fn is_temporary(refusal: &SignerRefusal) -> bool {
    refusal.is_undecided() || matches!(refusal, SignerRefusal::Deposed { .. })
}

impl<P: Ports> LoanService<P> {
    /// Releases the outputs after the signers' refusal; they count again at the next check of the chain.
    pub(super) async fn abandon_order(&self, lender: UserId, id: Nonce) -> Result<(), Refusal> {
        match self.market.abandon_withdrawal(lender, id).await {
            Ok(_) | Err(Refusal::Vault(VaultRejection::AlreadySigned(_) | VaultRejection::UnknownSpend(_))) => Ok(()),
            Err(refusal) => Err(refusal),
        }
    }

    /// Broadcasts the journaled transaction of an order. On failure the vault watch broadcasts it again.
    pub(super) async fn broadcast_journaled(&self, transaction: &Transaction) -> OrderTransaction {
        let txid = transaction.compute_txid();
        let sent = self.ports.chain().broadcast(std::slice::from_ref(transaction)).await;
        if let Err(error) = &sent {
            tracing::warn!(%txid, %error, "the broadcast of a vault's transaction failed; it is repeated");
        }
        OrderTransaction { txid, is_sent: sent.is_ok() }
    }
}
