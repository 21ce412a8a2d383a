//! The network fees of a loan, read from the transactions that originate it.

use bitcoin::transaction::{InputWeightPrediction, predict_weight};
use bitcoin::{Amount, ScriptBuf, TxOut, Weight};
use domain::{LoanCharges, LoanCost, LoanDeal, Sats};
use escrow::contract::assets::pledge::Pledge;
use escrow::contract::loan::origination_outputs::ESCROW;
use escrow::contract::transaction::coin::CoinKey;
use escrow::contract::transaction::leaf::Leaf;
use ordinals::{Edict, Runestone};

use crate::records::contract::{Contract, LoanTransactions, Source};

impl Contract {
    /// Returns the cost to the borrower of a deal that begins with these transactions; `None` on overflow.
    #[must_use]
    pub fn cost(&self, deal: &LoanDeal, transactions: &LoanTransactions) -> Option<LoanCost> {
        let charges = LoanCharges {
            origination_fee: sats(self.origination_fee(transactions)?),
            postage: sats(postage(transactions)),
            repayment_fee: sats(self.fee_rate.fee_wu(repayment_weight(transactions)?)?),
        };
        LoanCost::of(deal, charges)
    }

    /// The borrower's share of the network fee: all that the borrower brings and is lent, less what arrives elsewhere.
    /// A vault pays the fee of its own outputs, and the borrower gets an excess of the lender's coins.
    fn origination_fee(&self, transactions: &LoanTransactions) -> Option<Amount> {
        let own: [ScriptBuf; 2] = [self.borrower.payment_script(), self.borrower.ordinals_script()];
        let is_own = |output: &&TxOut| own.contains(&output.script_pubkey);
        let (mut brought, mut arrived) = (Amount::ZERO, Amount::ZERO);
        for template in transactions.templates() {
            let inputs = template.psbt.inputs.iter().filter_map(|input| input.witness_utxo.as_ref());
            brought = brought.checked_add(sum(inputs.filter(is_own))?)?;
            arrived = arrived.checked_add(sum(template.psbt.unsigned_tx.output.iter().filter(is_own))?)?;
        }
        let lent = if matches!(self.source, Source::Rollover { .. }) { Amount::ZERO } else { self.principal };
        let elsewhere = match (self.pledged.replaced_kit(), &self.source) {
            // The collateral stays as it is, in another escrow.
            (Some(_), Source::Rollover { interest }) => *interest,
            (Some(kit), _) => kit.record().loan.payout.value,
            (None, _) => {
                let escrows = transactions.templates().filter_map(|each| each.psbt.unsigned_tx.output.get(ESCROW));
                sum(escrows)?
            }
        };
        let available = brought.checked_add(lent)?;
        Some(available.checked_sub(arrived.checked_add(elsewhere)?).unwrap_or(Amount::ZERO))
    }
}

/// The sats that the consumed transfer inscription keeps in the escrow's script: with BRC-20, only the output of the
/// reveal is the loan's escrow.
fn postage(transactions: &LoanTransactions) -> Amount {
    let consumed = transactions.reveal.as_ref().and(transactions.origination.psbt.unsigned_tx.output.get(ESCROW));
    consumed.map_or(Amount::ZERO, |output| output.value)
}

/// The weight of a repayment of this loan alone, paid with one coin of the payment address, and with change.
fn repayment_weight(transactions: &LoanTransactions) -> Option<Weight> {
    let request = transactions.payout_request();
    let payment_key = request.pads.first()?.key;
    let keys = request.pads.iter().map(|pad| pad.key).chain([payment_key]);
    let inputs = keys.map(of_key).chain([of_leaf(request.loan.escrow.repay_leaf())]);
    let returning = request.loan.ranges().len();
    // The first pad, the collateral, the payout, the change.
    let scripts = [request.change, &request.loan.payout.script_pubkey, request.change].map(|script| script.len());
    let collateral = std::iter::repeat_n(request.destination.len(), returning);
    let runestone = runestone_length(&request.loan.pledge);
    Some(predict_weight(inputs, scripts.into_iter().chain(collateral).chain(runestone)))
}

/// The length of the output script that returns runes; `None` for other collateral.
fn runestone_length(pledge: &Pledge) -> Option<usize> {
    matches!(pledge, Pledge::Runes { .. }).then(|| {
        // All runes follow the pointer.
        let runestone = Runestone { edicts: Vec::<Edict>::new(), pointer: Some(1), ..Runestone::default() };
        runestone.encipher().len()
    })
}

fn of_key(key: CoinKey) -> InputWeightPrediction {
    match key {
        CoinKey::P2tr(_) => InputWeightPrediction::P2TR_KEY_DEFAULT_SIGHASH,
        CoinKey::P2wpkh(_) => InputWeightPrediction::P2WPKH_MAX,
        CoinKey::P2shP2wpkh(_) => InputWeightPrediction::new(23, [72, 33]),
    }
}

fn of_leaf(leaf: &Leaf) -> InputWeightPrediction {
    let signatures = leaf.signers.iter().take(leaf.required).map(|signer| signer.signature_length());
    let absent = leaf.signers.iter().skip(leaf.required).map(|_| 0);
    InputWeightPrediction::new(0, signatures.chain(absent).chain([leaf.script.len(), leaf.control_block.size()]))
}

fn sum<'a>(outputs: impl Iterator<Item = &'a TxOut>) -> Option<Amount> {
    outputs.map(|output| output.value).try_fold(Amount::ZERO, Amount::checked_add)
}

fn sats(amount: Amount) -> Sats {
    Sats::new(amount.to_sat())
}
