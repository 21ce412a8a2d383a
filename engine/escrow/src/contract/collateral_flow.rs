//! Where the collateral of loans goes when their escrows are spent.

use bitcoin::{Amount, OutPoint, ScriptBuf, TxOut};
use ordinals::{Artifact, Edict, Runestone};
use thiserror::Error;

use super::pledge::Pledge;
use super::rune_flow::RuneFlow;
use super::running_loan::RunningLoan;
use super::sat_flow::{SatPlace, arrival};
use super::template::Template;

/// How collateral can go astray.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CollateralFault {
    /// An escrow that is not spent.
    #[error("the escrow {0} is not spent")]
    NotSpent(OutPoint),
    /// The escrow's sats do not make up an output of their own where they should.
    #[error("the collateral of {escrow} arrives at {found:?}, not on its sat in an output of its own")]
    Astray {
        /// Whose collateral.
        escrow: OutPoint,
        /// Where it arrives.
        found: Option<SatPlace>,
    },
    /// The runestone is missing, or another one, or one too many.
    #[error("the runestone does not say what it should")]
    WrongRunestone,
    /// Runes do not arrive where they should, all of them and no others.
    #[error("the runes of the loans do not arrive in their outputs")]
    RunesAstray,
}

/// What tells the runes of these pledges to go to the outputs beside them; `None` where there are no runes.
///
/// The first runes follow the pointer, which also catches whatever nobody knew of; the others need an edict each.
/// In the order of its edicts when it is read again.
pub(super) fn runestone<'a>(arrivals: impl IntoIterator<Item = (usize, &'a Pledge)>) -> Option<Runestone> {
    let runes = arrivals.into_iter().filter_map(|(index, pledge)| match pledge {
        Pledge::Runes { id, amount } => Some(Edict { id: *id, amount: *amount, output: u32::try_from(index).ok()? }),
        Pledge::Inscription { .. } | Pledge::Note { .. } => None,
    });
    let mut edicts: Vec<Edict> = runes.collect();
    if edicts.is_empty() {
        return None;
    }
    let pointer = Some(edicts.remove(0).output);
    edicts.sort_by_key(|edict| edict.id);
    Some(Runestone { edicts, pointer, ..Runestone::default() })
}

/// The output that carries a runestone.
pub(super) fn runestone_output(runestone: &Runestone) -> TxOut {
    TxOut { value: Amount::ZERO, script_pubkey: runestone.encipher() }
}

/// Follows the collateral of each loan through a finished transaction: to an output of that script which holds the
/// escrow's sats and no others, with the inscription on its sat or with exactly the runes. The outputs, in the order of
/// the loans.
pub(super) fn follow(template: &Template, loans: &[(&RunningLoan, &ScriptBuf)]) -> Result<Vec<usize>, CollateralFault> {
    let transaction = &template.psbt.unsigned_tx;
    let (inputs, outputs) = (template.input_amounts(), template.output_amounts());
    let mut arrivals = Vec::with_capacity(loans.len());
    for (loan, script) in loans {
        let escrow = loan.outpoint;
        let index = transaction.input.iter().position(|input| input.previous_output == escrow);
        let offset = loan.pledge.offset().unwrap_or(Amount::ZERO);
        let from = SatPlace { index: index.ok_or(CollateralFault::NotSpent(escrow))?, offset };
        let found = arrival(&inputs, &outputs, from);
        let wanted = TxOut { value: loan.value, script_pubkey: (*script).clone() };
        // On its sat in an output of its own value, the escrow's sats fill it, and no other escrow's can be there.
        match found.filter(|to| to.offset == offset && transaction.output.get(to.index) == Some(&wanted)) {
            Some(to) => arrivals.push(to.index),
            None => return Err(CollateralFault::Astray { escrow, found }),
        }
    }
    let pledges = || loans.iter().map(|(loan, _)| &loan.pledge);
    let intended = runestone(arrivals.iter().copied().zip(pledges())).map(Artifact::Runestone);
    if Runestone::decipher(transaction) != intended {
        return Err(CollateralFault::WrongRunestone);
    }
    let runes = |(index, pledge): (usize, &Pledge)| match pledge {
        Pledge::Runes { id, amount } => Some((index, *id, *amount)),
        Pledge::Inscription { .. } | Pledge::Note { .. } => None,
    };
    let wanted: Vec<_> = arrivals.iter().copied().zip(pledges()).filter_map(runes).collect();
    let flow = RuneFlow::of(wanted.iter().map(|(_, id, amount)| (*id, *amount)), transaction);
    if flow.is_some_and(|flow| flow.is_exactly(wanted)) { Ok(arrivals) } else { Err(CollateralFault::RunesAstray) }
}
