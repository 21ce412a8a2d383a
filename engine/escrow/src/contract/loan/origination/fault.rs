//! The final check of an origination.

use bitcoin::transaction::Version;
use bitcoin::{Amount, ScriptBuf, TxOut};
use ordinals::{Artifact, Edict, RuneId, Runestone};
use thiserror::Error;

use super::Origination;
use crate::contract::assets::asset_coin::POSTAGE;
use crate::contract::assets::brc20_transfer::Brc20Transfer;
use crate::contract::assets::rune_flow::RuneFlow;
use crate::contract::assets::sat_flow::{SatPlace, arrival};
use crate::contract::loan::collateral::Collateral;
use crate::contract::loan::origination_outputs::{COMMIT, ESCROW, PAD, REST, pads};
use crate::contract::loan::reveal;
use crate::contract::transaction::template::vout;
use crate::contract::transaction::template::{Template, fee_of, total};
use crate::contract::vault::vault_change;

/// A fault that the final check of an origination can find.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OriginationFault {
    /// The first output is not the expected escrow.
    #[error("the first output is not the expected escrow")]
    WrongEscrow,
    /// The inscription does not arrive in the escrow on its sat.
    #[error("the inscription arrives at {found:?}, not in the escrow on its sat")]
    InscriptionMisplaced {
        /// The place where it arrives; `None` if it is spent as fee.
        found: Option<SatPlace>,
    },
    /// The runestone differs or is missing.
    #[error("the runestone is not the expected one")]
    WrongRunestone,
    /// The escrow does not receive the pledged runes, or the borrower not the whole rest.
    #[error("the escrow gets {escrow} of the rune and the borrower {rest}")]
    RunesMisplaced {
        /// The amount that the escrow receives.
        escrow: u128,
        /// The amount that arrives in the output for the rest.
        rest: u128,
    },
    /// The rest of the runes does not go to the borrower.
    #[error("output {REST} is not the borrower's, for the rest of the runes")]
    WrongRest,
    /// The commit differs, or does not fund the reveal.
    #[error("output {COMMIT} is not the commit to the transfer inscription with the cost of its reveal")]
    WrongCommit,
    /// The lender has an output, with which they could inscribe a conflicting transfer before the reveal.
    #[error("output {index} is the lender's, who could spend it before the reveal")]
    LenderOutput {
        /// The output's index.
        index: usize,
    },
    /// A pad is missing, which the borrower needs before the escrow at the repayment.
    #[error("output {index} is not a pad for the borrower")]
    PadMissing {
        /// The output's index.
        index: usize,
    },
    /// The borrower does not receive the rest of the principal.
    #[error("the borrower gets {found} besides the collateral, and {expected} is due")]
    BorrowerUnderpaid {
        /// The amount due.
        expected: Amount,
        /// The amount that arrives.
        found: Amount,
    },
    /// The lender does not pay exactly principal and platform fee.
    #[error("the lender pays {found}, and {expected} is due")]
    LenderPays {
        /// The amount due.
        expected: Amount,
        /// The amount that the lender pays.
        found: Amount,
    },
    /// The change of the vault has another number of outputs, or unequal ones.
    #[error("the change has {found} outputs instead of {expected} equal ones")]
    WrongSplit {
        /// The number expected.
        expected: usize,
        /// The number found.
        found: usize,
    },
    /// The platform fee is not paid.
    #[error("the platform fee is not paid")]
    PlatformFeeUnpaid,
    /// The version is wrong, a locktime delays it, or its weight differs from the declared one.
    #[error("version, locktime or weight is not as expected")]
    WrongForm,
    /// An input is not the expected one, or is spent in another way.
    #[error("input {index} is not the expected one")]
    ForeignInput {
        /// Its index; also that of the first missing or surplus input.
        index: usize,
    },
    /// The fee is more or less than the fee rate requires.
    #[error("the fee is {found:?}, and {expected} is due")]
    WrongFee {
        /// The amount due.
        expected: Amount,
        /// The amount paid.
        found: Option<Amount>,
    },
}

impl Origination<'_> {
    /// Runs the final check: computed from the finished transaction alone, independently of how it was built.
    ///
    /// # Errors
    /// The first fault found.
    pub fn check(&self, template: &Template) -> Result<(), OriginationFault> {
        let outputs = &template.psbt.unsigned_tx.output;
        let escrow = TxOut { value: self.escrow_value(), script_pubkey: self.escrow.output().script_pubkey() };
        if outputs.get(ESCROW) != Some(&escrow) {
            return Err(OriginationFault::WrongEscrow);
        }
        match self.collateral {
            Collateral::Inscription(_) | Collateral::Inscriptions(_) => self.check_sats(template)?,
            Collateral::Runes { id, amount, .. } => self.check_runes(template, id, amount)?,
            Collateral::Brc20 { transfer, .. } => {
                self.check_sats(template)?;
                self.check_commit(template, transfer)?;
            }
        }
        let mut pads = if self.transfer().is_some() { 0..0 } else { pads(self.collateral.range_count()) };
        let pad = TxOut { value: PAD, script_pubkey: self.borrower_payment.clone() };
        if let Some(index) = pads.find(|index| outputs.get(*index) != Some(&pad)) {
            return Err(OriginationFault::PadMissing { index });
        }
        if self.platform_fee.is_some_and(|fee| !outputs.contains(fee)) {
            return Err(OriginationFault::PlatformFeeUnpaid);
        }
        let dust = self.check_lender(template)?;
        let due = match self.transfer() {
            Some(_) => reveal::own_fee(template.weight, self.fee_rate),
            None => fee_of(template.weight, self.fee_rate),
        };
        let due = due.unwrap_or(Amount::MAX_MONEY);
        let fee = template.fee();
        if fee != Some(due) {
            return Err(OriginationFault::WrongFee { expected: due, found: fee });
        }
        let brought = template.input_amounts().into_iter().take(self.collateral.coins().len());
        let available = total(brought.chain([self.principal, dust]));
        let commit = outputs.get(COMMIT).filter(|_| self.transfer().is_some());
        let costs = total([escrow.value, due].into_iter().chain(commit.map(|commit| commit.value)));
        let expected = available.checked_sub(costs).unwrap_or(Amount::ZERO);
        let rest = self.collateral.rest_script();
        let is_own = |script: &ScriptBuf| script == self.borrower_payment || rest.is_some_and(|rest| **script == *rest);
        let found = self.paid(template, is_own);
        if found != expected {
            return Err(OriginationFault::BorrowerUnderpaid { expected, found });
        }
        let spends = self.spends();
        if !template.has_form(Version::TWO, &spends) {
            return Err(OriginationFault::WrongForm);
        }
        let mismatched = template.first_mismatched_input(spends.into_iter());
        mismatched.map_or(Ok(()), |index| Err(OriginationFault::ForeignInput { index }))
    }

    /// Checks that the lender pays principal, platform fee, the cost of splitting the change, and at most a rest too
    /// small for an output. Returns the amount beyond the first two.
    fn check_lender(&self, template: &Template) -> Result<Amount, OriginationFault> {
        let change = self.funding.change();
        let platform = self.platform_fee.map_or(Amount::ZERO, |fee| fee.value);
        let paid_in = total(template.input_amounts().into_iter().skip(self.collateral.coins().len()));
        let back: Vec<TxOut> = self.outputs_to(template, |script| *script == change).cloned().collect();
        let (count, returned) = (back.len(), total(back.iter().map(|output| output.value)));
        let split = vault_change::split_cost(template.weight, count, &change, self.fee_rate).unwrap_or(Amount::MAX);
        let (expected, found) =
            (total([self.principal, platform, split]), paid_in.checked_sub(returned).unwrap_or(Amount::ZERO));
        // Only a rest too small for an output is not returned.
        let most = if back.is_empty() { change.minimal_non_dust() } else { Amount::ONE_SAT };
        let dust = found.checked_sub(expected).filter(|dust| *dust < most);
        let dust = dust.ok_or(OriginationFault::LenderPays { expected, found })?;
        let is_split = count == self.change_outputs && back == vault_change::outputs(returned, count, &change);
        if is_split || (count == 0 && self.change_outputs == 1) {
            return Ok(total([split, dust]));
        }
        Err(OriginationFault::WrongSplit { expected: self.change_outputs, found: count })
    }

    /// The total paid to these scripts, except the platform fee.
    fn paid(&self, template: &Template, is_own: impl Fn(&ScriptBuf) -> bool) -> Amount {
        total(self.outputs_to(template, is_own).map(|output| output.value))
    }

    /// The outputs with these scripts, except the platform fee.
    fn outputs_to<'t>(
        &self,
        template: &'t Template,
        is_own: impl Fn(&ScriptBuf) -> bool,
    ) -> impl Iterator<Item = &'t TxOut> {
        let outputs = template.psbt.unsigned_tx.output.iter();
        outputs.filter(move |output| is_own(&output.script_pubkey) && Some(*output) != self.platform_fee)
    }

    /// Checks that the commit funds the reveal, and that the lender has no output to spend before it.
    fn check_commit(&self, template: &Template, transfer: &Brc20Transfer) -> Result<(), OriginationFault> {
        let outputs = &template.psbt.unsigned_tx.output;
        let commit = reveal::commit(self.escrow, transfer).ok();
        let expected = commit.and_then(|commit| {
            let shares = reveal::fee_and_commit_value(
                &commit,
                template.weight,
                self.escrow,
                self.borrower_payment,
                self.fee_rate,
            );
            shares.map(|(_, held)| commit.output(held))
        });
        if expected.is_none() || outputs.get(COMMIT) != expected.as_ref() {
            return Err(OriginationFault::WrongCommit);
        }
        let funds = self.funding.spends();
        let scripts = funds.iter().map(|spend| spend.output().script_pubkey).chain([self.funding.change()]);
        let lender: Vec<ScriptBuf> = scripts.collect();
        match outputs.iter().position(|output| lender.contains(&output.script_pubkey)) {
            Some(index) => Err(OriginationFault::LenderOutput { index }),
            None => Ok(()),
        }
    }

    /// Checks that the inscription of each coin arrives in the escrow, behind the sats of the coins before.
    fn check_sats(&self, template: &Template) -> Result<(), OriginationFault> {
        let (inputs, outputs) = (template.input_amounts(), template.output_amounts());
        let mut start = Amount::ZERO;
        for (index, coin) in self.collateral.coins().iter().enumerate() {
            let [offset] = coin.inscriptions[..] else {
                return Err(OriginationFault::InscriptionMisplaced { found: None });
            };
            let found = arrival(&inputs, &outputs, SatPlace { index, offset });
            if found != Some(SatPlace { index: ESCROW, offset: total([start, offset]) }) {
                return Err(OriginationFault::InscriptionMisplaced { found });
            }
            start = total([start, coin.coin.output.value]);
        }
        Ok(())
    }

    fn check_runes(&self, template: &Template, id: RuneId, amount: u128) -> Result<(), OriginationFault> {
        let transaction = &template.psbt.unsigned_tx;
        let carried = || self.collateral.coins().iter().flat_map(|coin| coin.runes.iter().copied());
        let all = carried().try_fold(0_u128, |sum, (_, amount)| sum.checked_add(amount));
        let rest = all.and_then(|all| all.checked_sub(amount)).unwrap_or(0);
        let rune_change =
            self.collateral.rest_script().map(|rest| TxOut { value: POSTAGE, script_pubkey: rest.into() });
        if rest > 0 && transaction.output.get(REST) != rune_change.as_ref() {
            return Err(OriginationFault::WrongRest);
        }
        let edicts = vec![Edict { id, amount, output: vout(ESCROW) }];
        let expected = Runestone { edicts, pointer: (rest > 0).then(|| vout(REST)), ..Runestone::default() };
        if Runestone::decipher(transaction) != Some(Artifact::Runestone(expected)) {
            return Err(OriginationFault::WrongRunestone);
        }
        let flow = RuneFlow::of(carried(), transaction).unwrap_or_default();
        if flow.is_exactly([(ESCROW, id, amount), (REST, id, rest)]) {
            Ok(())
        } else {
            Err(OriginationFault::RunesMisplaced { escrow: flow.held(ESCROW, id), rest: flow.held(REST, id) })
        }
    }
}
