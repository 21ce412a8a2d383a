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
        /// Where it ends up; `None` when it is spent as fee.
        found: Option<SatPlace>,
    },
    /// The runestone is missing, or another one, or one too many.
    #[error("the runestone does not say what it should")]
    WrongRunestone,
    /// Runes do not arrive where they should, all of them and no others.
    #[error("the runes of the loans do not arrive in their outputs")]
    RunesAstray,
}

/// An edict for the runes of a pledge; nothing else needs one.
pub(super) fn edict(output: usize, pledge: &Pledge) -> Option<Edict> {
    match pledge {
        Pledge::Runes { id, amount } => Some(Edict { id: *id, amount: *amount, output: u32::try_from(output).ok()? }),
        Pledge::Inscription { .. } | Pledge::Note { .. } => None,
    }
}

/// The output that carries a runestone.
pub(super) fn runestone_output(runestone: &Runestone) -> TxOut {
    TxOut { value: Amount::ZERO, script_pubkey: runestone.encipher() }
}

/// Where a runestone stands; it may stand there once.
pub(super) fn runestone_place(template: &Template, runestone: Option<&TxOut>) -> Option<usize> {
    let mut outputs = template.psbt.unsigned_tx.output.iter();
    runestone.and_then(|runestone| outputs.position(|output| output == runestone))
}

/// Follows the collateral of each loan through a finished transaction: to an output of that script which holds the
/// escrow's sats and no others, with the inscription on its sat or with exactly the runes, as
/// the runestone that is meant for these outputs and pledges says. The outputs and pledges, in the order of the loans.
pub(super) fn follow<'a>(
    template: &Template,
    loans: &[(&'a RunningLoan, &ScriptBuf)],
    meant: impl Fn(&[(usize, &'a Pledge)]) -> Option<Runestone>,
) -> Result<Vec<(usize, &'a Pledge)>, CollateralFault> {
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
            Some(to) => arrivals.push((to.index, &loan.pledge)),
            None => return Err(CollateralFault::Astray { escrow, found }),
        }
    }
    if Runestone::decipher(transaction) != meant(&arrivals).map(Artifact::Runestone) {
        return Err(CollateralFault::WrongRunestone);
    }
    let runes = |(index, pledge): (usize, &Pledge)| match pledge {
        Pledge::Runes { id, amount } => Some((index, *id, *amount)),
        Pledge::Inscription { .. } | Pledge::Note { .. } => None,
    };
    let wanted: Vec<_> = arrivals.iter().copied().filter_map(runes).collect();
    let flow = RuneFlow::of(wanted.iter().map(|(_, id, amount)| (*id, *amount)), transaction);
    let arrive = flow.is_some_and(|flow| flow.is_exactly(wanted));
    if arrive { Ok(arrivals) } else { Err(CollateralFault::RunesAstray) }
}
