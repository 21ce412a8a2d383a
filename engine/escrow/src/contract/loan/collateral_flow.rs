//! The flow of the loans' collateral when their escrows are spent.

use bitcoin::{Amount, OutPoint, ScriptBuf, TxOut};
use ordinals::{Artifact, Edict, Runestone};
use thiserror::Error;

use super::running_loan::RunningLoan;
use crate::contract::assets::pledge::{InscribedRange, Pledge};
use crate::contract::assets::rune_flow::RuneFlow;
use crate::contract::assets::sat_flow::{SatPlace, arrival};
use crate::contract::transaction::template::{Template, total};

/// A way in which collateral is misdirected.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CollateralFault {
    /// An escrow is not spent.
    #[error("the escrow {0} is not spent")]
    NotSpent(OutPoint),
    /// The escrow's sats do not fill an output of their own at the expected place.
    #[error("the collateral of {escrow} arrives at {found:?}, not on its sat in an output of its own")]
    Misplaced {
        /// The outpoint of the escrow.
        escrow: OutPoint,
        /// The place where it arrives; `None` if it is spent as fee.
        found: Option<SatPlace>,
    },
    /// The ranges of the collateral are not the whole escrow.
    #[error("the ranges of {escrow} have {found} of its {expected}")]
    WrongRanges {
        /// The outpoint of the escrow.
        escrow: OutPoint,
        /// The value of the escrow.
        expected: Amount,
        /// The total of the ranges.
        found: Amount,
    },
    /// The runestone is missing, differs, or is not expected.
    #[error("the runestone is not the expected one")]
    WrongRunestone,
    /// The outputs do not receive exactly their runes.
    #[error("the runes of the loans do not arrive in their outputs")]
    RunesMisplaced,
}

/// Returns the edict for the runes of a pledge; other pledges need none.
pub(super) fn edict(output: usize, pledge: &Pledge) -> Option<Edict> {
    match pledge {
        Pledge::Runes { id, amount } => Some(Edict { id: *id, amount: *amount, output: u32::try_from(output).ok()? }),
        Pledge::Inscription { .. } | Pledge::Inscriptions(_) | Pledge::TransferInscription { .. } => None,
    }
}

/// Returns the output that carries a runestone.
pub(super) fn runestone_output(runestone: &Runestone) -> TxOut {
    TxOut { value: Amount::ZERO, script_pubkey: runestone.encipher() }
}

/// Returns the index of a runestone's output; there can be only one.
pub(super) fn runestone_index(template: &Template, runestone: Option<&TxOut>) -> Option<usize> {
    let mut outputs = template.psbt.unsigned_tx.output.iter();
    runestone.and_then(|runestone| outputs.position(|output| output == runestone))
}

/// Follows the collateral of each loan through a finished transaction: each of its ranges to an output with the given
/// script that holds exactly the range's sats, with the inscription on its sat or with exactly the runes, as the
/// runestone `expected` for these outputs and pledges directs. Returns the output indices and pledges, in the order of
/// loans and ranges.
pub(super) fn trace_collateral<'a>(
    template: &Template,
    loans: &[(&'a RunningLoan, Vec<InscribedRange>, &ScriptBuf)],
    expected: impl Fn(&[(usize, &'a Pledge)]) -> Option<Runestone>,
) -> Result<Vec<(usize, &'a Pledge)>, CollateralFault> {
    let transaction = &template.psbt.unsigned_tx;
    let (inputs, outputs) = (template.input_amounts(), template.output_amounts());
    let mut arrivals = Vec::with_capacity(loans.len());
    for (loan, ranges, script) in loans {
        let escrow = loan.outpoint;
        let index = transaction.input.iter().position(|input| input.previous_output == escrow);
        let index = index.ok_or(CollateralFault::NotSpent(escrow))?;
        let mut start = Amount::ZERO;
        for InscribedRange { value, offset } in ranges {
            let place = start.checked_add(*offset).map(|offset| SatPlace { index, offset });
            let found = place.and_then(|place| arrival(&inputs, &outputs, place));
            let wanted = TxOut { value: *value, script_pubkey: (*script).clone() };
            // An output of equal value with the inscription on its sat is filled by the range's sats, and by no other
            // range's.
            match found.filter(|to| to.offset == *offset && transaction.output.get(to.index) == Some(&wanted)) {
                Some(to) => arrivals.push((to.index, &loan.pledge)),
                None => return Err(CollateralFault::Misplaced { escrow, found }),
            }
            start = total([start, *value]);
        }
        if start != loan.value {
            return Err(CollateralFault::WrongRanges { escrow, expected: loan.value, found: start });
        }
    }
    if Runestone::decipher(transaction) != expected(&arrivals).map(Artifact::Runestone) {
        return Err(CollateralFault::WrongRunestone);
    }
    let runes = |(index, pledge): (usize, &Pledge)| match pledge {
        Pledge::Runes { id, amount } => Some((index, *id, *amount)),
        Pledge::Inscription { .. } | Pledge::Inscriptions(_) | Pledge::TransferInscription { .. } => None,
    };
    let wanted: Vec<_> = arrivals.iter().copied().filter_map(runes).collect();
    let flow = RuneFlow::of(wanted.iter().map(|(_, id, amount)| (*id, *amount)), transaction);
    let arrive = flow.is_some_and(|flow| flow.is_exactly(wanted));
    if arrive { Ok(arrivals) } else { Err(CollateralFault::RunesMisplaced) }
}
