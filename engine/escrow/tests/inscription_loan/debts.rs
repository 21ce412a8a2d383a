//! The debts of a borrower, and the coins to repay them.

use bitcoin::hashes::Hash as _;
use bitcoin::transaction::Version;
use bitcoin::{Amount, FeeRate, OutPoint, ScriptBuf, Transaction, TxOut, Txid};
use escrow::contract::assets::pledge::{INSCRIPTIONS_MAX, InscribedRange, Pledge};
use escrow::contract::loan::escrow_move::MoveOutputs;
use escrow::contract::loan::loan_escrow::{EscrowTerms, LoanEscrow};
use escrow::contract::loan::payout_signatures::PayoutSignatures;
use escrow::contract::loan::repayable_loan::RepayableLoan;
use escrow::contract::loan::repayment::Repayment;
use escrow::contract::loan::running_loan::RunningLoan;
use escrow::contract::transaction::coin::Coin;
use escrow::contract::transaction::template::Template;
use ordinals::RuneId;
use proptest::prelude::*;

use super::keyring::Keyring;
use super::loan_fixture::{CLAIM_AFTER, Party, coin, coin_of};

pub(super) fn rune(tx: u32) -> RuneId {
    RuneId { block: 840_000, tx }
}

pub(super) fn inscription(offset: u64) -> Pledge {
    Pledge::Inscription { offset: Amount::from_sat(offset) }
}

pub(super) fn runes(tx: u32, amount: u128) -> Pledge {
    Pledge::Runes { id: rune(tx), amount }
}

/// The least value of an output that pays a P2TR script.
const P2TR_DUST: u64 = 330;

/// Generates as many inscriptions as fit into an escrow of this value, each in a range that could be an output.
pub(super) fn any_inscriptions(postage: u64) -> impl Strategy<Value = Pledge> {
    let count_max = usize::try_from(postage / P2TR_DUST).expect("few").min(INSCRIPTIONS_MAX);
    let parts = (1..=count_max).prop_flat_map(move |count| {
        let spare = postage - P2TR_DUST * u64::try_from(count).expect("few");
        let most = spare / u64::try_from(count).expect("few");
        (prop::collection::vec(0..=most, count - 1), prop::collection::vec(any::<prop::sample::Index>(), count))
    });
    parts.prop_map(move |(extra, places)| {
        let mut left = postage;
        let mut ranges = Vec::new();
        for (index, place) in places.iter().enumerate() {
            let value = extra.get(index).map_or(left, |extra| P2TR_DUST + extra);
            left -= value;
            let offset = place.index(usize::try_from(value).expect("few"));
            let offset = Amount::from_sat(u64::try_from(offset).expect("few"));
            ranges.push(InscribedRange { value: Amount::from_sat(value), offset });
        }
        match ranges[..] {
            [InscribedRange { offset, .. }] => Pledge::Inscription { offset },
            _ => Pledge::Inscriptions(ranges),
        }
    })
}

/// Generates inscriptions at any offsets, or runes.
pub(super) fn any_pledge(postage: u64) -> impl Strategy<Value = Pledge> {
    let units = (1_u32..4, 1_u128..1 << 90).prop_map(|(tx, amount)| runes(tx, amount));
    prop_oneof![any_inscriptions(postage), units]
}

/// The runs of sats in which a pledge returns, from this input.
pub(super) fn expected_runs(loan: &RunningLoan, input: usize) -> Vec<Vec<(usize, u64, u64)>> {
    let runs = loan.ranges().into_iter().scan(0, |start, range| {
        let run = (input, *start, range.value.to_sat());
        *start += range.value.to_sat();
        Some(vec![run])
    });
    runs.collect()
}

/// The runes among pledges.
pub(super) fn held_runes<'a>(pledges: impl IntoIterator<Item = &'a Pledge>) -> Vec<(RuneId, u128)> {
    let runes = pledges.into_iter().filter_map(|pledge| match pledge {
        Pledge::Runes { id, amount } => Some((*id, *amount)),
        Pledge::Inscription { .. } | Pledge::Inscriptions(_) | Pledge::TransferInscription { .. } => None,
    });
    runes.collect()
}

/// The index of the new escrow of a loan that returns in one output.
pub(super) const MOVED_ESCROW: usize = 1;

/// A borrower with running loans of a lender each, and coins to repay them.
pub(super) struct Debts {
    pub(super) keyring: Keyring,
    pub(super) borrower: Party,
    pub(super) loans: Vec<(RunningLoan, PayoutSignatures)>,
    pub(super) pads: Vec<Coin>,
    pub(super) funding: Vec<Coin>,
    pub(super) ordinals_script: ScriptBuf,
    pub(super) change: ScriptBuf,
}

impl Debts {
    /// Creates loans with this postage, pledge and payout, as many pads as each has, and one coin.
    pub(super) fn new(loans: &[(u64, Pledge, u64)], coin_sats: u64) -> Self {
        Self::with_repay_keys(loans, &vec![0; loans.len()], coin_sats)
    }

    /// The same, with this number of single-use repay keys of each loan; for 0, the lender's key pre-signs.
    pub(super) fn with_repay_keys(loans: &[(u64, Pledge, u64)], keys: &[usize], coin_sats: u64) -> Self {
        let mut keyring = Keyring::new();
        let borrower = keyring.party(1);
        let key = |party: &Party| party.keys.x_only_public_key().0;
        let mut originated = Vec::new();
        for (number, ((postage, pledge, payout), keys)) in (0_u8..).zip(loans.iter().zip(keys)) {
            let lender = keyring.party(100 + number);
            let terms = EscrowTerms {
                loan: u128::from(number),
                borrower: key(&borrower),
                repay: keyring.repay_keys(&lender, *keys),
                lender: key(&lender),
                claim_after: CLAIM_AFTER,
            };
            let payout_key = [lender.payment(), lender.nested(), lender.ordinals()][usize::from(number % 3)];
            let loan = RunningLoan {
                escrow: LoanEscrow::new(terms).expect("valid keys and amounts"),
                outpoint: OutPoint::new(Txid::from_byte_array([200 - number; 32]), u32::from(number % 2)),
                value: Amount::from_sat(*postage),
                pledge: pledge.clone(),
                payout: TxOut { value: Amount::from_sat(*payout), script_pubkey: payout_key.script_pubkey() },
            };
            let pre_signatures = keyring.pre_sign(&loan);
            originated.push((loan, pre_signatures));
        }
        let pads: usize = loans.iter().map(|(_, pledge, _)| pledge.range_count() + 1).sum();
        // Outputs of one transaction, which no other coin of the tests comes from.
        let pads = (0..pads).map(|vout| Coin {
            outpoint: OutPoint::new(Txid::from_byte_array([255; 32]), u32::try_from(vout).expect("few")),
            ..coin(0, borrower.payment(), 600)
        });
        Self {
            pads: pads.collect(),
            funding: vec![coin(99, borrower.payment(), coin_sats)],
            ordinals_script: borrower.ordinals().script_pubkey(),
            change: borrower.payment().script_pubkey(),
            loans: originated,
            borrower,
            keyring,
        }
    }

    pub(super) fn ending(&self) -> Vec<RepayableLoan<'_>> {
        self.loans.iter().map(|(loan, pre_signatures)| RepayableLoan { loan, pre_signatures }).collect()
    }

    pub(super) fn repayment<'a>(
        &'a self,
        loans: &'a [RepayableLoan<'a>],
        version: Version,
        fee_rate: FeeRate,
    ) -> Repayment<'a> {
        Repayment {
            loans,
            version,
            pads: &self.pads,
            funding: &self.funding,
            unconfirmed: &[],
            destination: &self.ordinals_script,
            change: &self.change,
            fee_rate,
        }
    }

    /// Repays the loan that a refinance or an extension began, with its new pads.
    pub(super) fn repay_next(
        &mut self,
        next: &RunningLoan,
        originated: &Transaction,
        version: Version,
        fee_rate: FeeRate,
    ) -> (Template, Transaction) {
        let pre_signatures = self.keyring.pre_sign(next);
        let pads = MoveOutputs::of(next).pads();
        let pads = pads.map(|pad| coin_of(originated, u32::try_from(pad).expect("few"), self.borrower.payment()));
        let pads: Vec<Coin> = pads.collect();
        let funding = [coin(98, self.borrower.payment(), 100_000_000)];
        let loans = [RepayableLoan { loan: next, pre_signatures: &pre_signatures }];
        let repayment = Repayment { pads: &pads, funding: &funding, ..self.repayment(&loans, version, fee_rate) };
        let template = repayment.build().expect("valid keys and amounts");
        let signed = self.keyring.sign(&template);
        (template, signed)
    }
}
