//! Labels of the inputs and outputs of a kit's transactions, for review before signing.

use bitcoin::{OutPoint, TxOut};

use super::borrower_kit::BorrowerKit;
use super::lender_kit::LenderKit;
use crate::contract::assets::pledge::Pledge;

/// The label of every input of an exit.
pub const EXIT_INPUT: &str = "your vault";
/// The label of the output of an exit.
pub const EXIT_OUTPUT: &str = "to your address";

impl BorrowerKit {
    /// Returns the label of an input of a repayment.
    #[must_use]
    pub fn input_label(&self, outpoint: OutPoint) -> &'static str {
        if outpoint == self.record().loan.outpoint {
            "the escrow"
        } else if self.pads().iter().any(|pad| pad.outpoint == outpoint) {
            "your pad"
        } else {
            "your coin"
        }
    }

    /// Returns the label of an output of a repayment.
    #[must_use]
    pub fn output_label(&self, paid: &TxOut) -> &'static str {
        let loan = &self.record().loan;
        if *paid == loan.payout {
            "principal and interest, to the lender"
        } else if paid.script_pubkey == self.ordinals_script() {
            match loan.pledge {
                Pledge::Inscription { .. } => "the inscription, to your ordinals address",
                Pledge::Inscriptions(_) => "an inscription, to your ordinals address",
                Pledge::TransferInscription { .. } => "the transfer note, to your ordinals address",
                Pledge::Runes { .. } => "the runes, to your ordinals address",
            }
        } else if paid.script_pubkey.is_op_return() {
            "tells the runes where to go"
        } else {
            "back to your payment address"
        }
    }
}

impl LenderKit {
    /// Returns the label of an input of a claim.
    #[must_use]
    pub fn input_label(&self, outpoint: OutPoint) -> &'static str {
        if outpoint == self.record().loan.outpoint { "the escrow" } else { "your coin, for the fee" }
    }

    /// Returns the label of an output of a claim.
    #[must_use]
    pub fn output_label(&self, paid: &TxOut) -> &'static str {
        if paid.script_pubkey == self.ordinals_script() {
            "the collateral, to your ordinals address"
        } else {
            "back to your payment address"
        }
    }
}
