//! A loan with its parties, signed as the product does it.

use bitcoin::taproot::Signature;
use bitcoin::transaction::Version;
use bitcoin::{Amount, FeeRate, OutPoint, Transaction, XOnlyPublicKey};
use engine::asset_index::{AssetIndex as _, Inscribed, InscriptionId};
use escrow::contract::loan::claim::Claim;
use escrow::contract::loan::collateral::Collateral;
use escrow::contract::loan::funding::Funding;
use escrow::contract::loan::loan_escrow::{EscrowTerms, LoanEscrow};
use escrow::contract::loan::origination::Origination;
use escrow::contract::loan::origination_outputs::pads;
use escrow::contract::loan::payout_request::PayoutRequest;
use escrow::contract::loan::payout_signature_pair::PayoutSignaturePair;
use escrow::contract::loan::payout_signatures::PayoutSignatures;
use escrow::contract::loan::repay_keys::RepayKeys;
use escrow::contract::loan::repayable_loan::RepayableLoan;
use escrow::contract::loan::repayment::Repayment;
use escrow::contract::loan::reveal;
use escrow::contract::loan::running_loan::RunningLoan;
use escrow::contract::transaction::coin::{Coin, CoinKey};
use escrow::contract::transaction::template::{PAYOUT_SIGHASH, Template};
use escrow::contract::transaction::version::TRUC;

use crate::custom_transaction::{CustomTransaction, pay};
use crate::test_wallet::{TestWallet, funded};
use crate::world::{World, confirm};

/// The lender's claim time.
pub(crate) const CLAIM_AFTER: u32 = 1_760_000_000;
/// The principal.
pub(crate) const PRINCIPAL_SATS: u64 = 2_000_000;
/// The repayment.
pub(crate) const PAYOUT_SATS: u64 = 2_065_000;
/// The platform fee.
pub(crate) const PLATFORM_SATS: u64 = 13_000;
/// The amount that the lender pays.
pub(crate) const LENT_SATS: u64 = PRINCIPAL_SATS + PLATFORM_SATS;

/// The fee rate of all transactions.
pub(crate) fn fee_rate() -> FeeRate {
    FeeRate::from_sat_per_vb(5).unwrap()
}

/// The parties of a loan.
pub(crate) struct Parties {
    pub(crate) borrower: TestWallet,
    pub(crate) lender: TestWallet,
    pub(crate) platform: TestWallet,
    /// The signer of the principal: the lender, or the vault signer.
    pub(crate) funder: TestWallet,
    /// Another signer of a shared vault.
    pub(crate) cosigner: Option<TestWallet>,
    /// The signers of the pre-signed repayment: the lender, or single-use keys.
    pub(crate) repayers: Vec<TestWallet>,
    pub(crate) escrow: LoanEscrow,
}

impl Parties {
    /// The parties of a manual loan: the lender signs.
    pub(crate) fn manual() -> Self {
        Self::new(77, [2, 2, 2], CLAIM_AFTER)
    }

    /// The parties of an instant loan: the vault signer signs.
    pub(crate) fn instant() -> Self {
        Self::new(77, [2, 9, 8], CLAIM_AFTER)
    }

    /// Creates the parties of the loan with this id, with the seeds of lender, funder and repayer.
    pub(crate) fn new(loan: u128, [lender, funder, repayer]: [u8; 3], claim_after: u32) -> Self {
        Self::with_repayers(loan, [lender, funder], &[repayer], claim_after)
    }

    /// Creates the parties of a loan whose repayment is pre-signed by each of these seeds.
    pub(crate) fn with_repayers(loan: u128, [lender, funder]: [u8; 2], repayers: &[u8], claim_after: u32) -> Self {
        let [borrower, lender, platform, funder] = [1, lender, 3, funder].map(TestWallet::new);
        let repayers: Vec<TestWallet> = repayers.iter().copied().map(TestWallet::new).collect();
        let (repay, owner) = (RepayKeys::new(repayers.iter().map(TestWallet::key)).unwrap(), lender.key());
        let terms = EscrowTerms { loan, borrower: borrower.key(), repay, lender: owner, claim_after };
        Self { escrow: LoanEscrow::new(terms).unwrap(), borrower, lender, platform, funder, cosigner: None, repayers }
    }

    /// Passes the origination of their loan to `look`.
    pub(crate) fn with_origination<T>(
        &self,
        collateral: Collateral<'_>,
        funding: Funding<'_>,
        look: impl FnOnce(&Origination<'_>) -> T,
    ) -> T {
        look(&Origination {
            escrow: &self.escrow,
            collateral,
            funding,
            principal: Amount::from_sat(PRINCIPAL_SATS),
            platform_fee: Some(&pay(self.platform.payment_script(), PLATFORM_SATS)),
            borrower_payment: &self.borrower.payment_script(),
            fee_rate: fee_rate(),
            change_outputs: 1,
        })
    }

    /// Returns the repay keys' signatures of the payout, made before the origination.
    pub(crate) fn payout_signatures(&self, loan: &RunningLoan, pads: &[Coin]) -> PayoutSignatures {
        let beforehand: PayoutSignatures = match &self.repayers[..] {
            [repayer] => self.requested_signatures(repayer, loan, pads).into(),
            _ => loan.escrow.terms().repay.keys().iter().map(|key| self.single_use_signatures(key, loan)).collect(),
        };
        beforehand.check(loan).unwrap();
        beforehand
    }

    /// Returns the signatures of a single-use key, which signs without being asked like a wallet.
    fn single_use_signatures(&self, key: &XOnlyPublicKey, loan: &RunningLoan) -> PayoutSignaturePair {
        let repayer = self.repayers.iter().find(|repayer| repayer.key() == *key).unwrap();
        let sign = |version| {
            let spends = vec![loan.escrow.output().spend(loan.outpoint, loan.value, loan.escrow.repay_leaf())];
            let bare = CustomTransaction { version, ..CustomTransaction::new(spends, vec![loan.payout.clone()]) };
            let mut template = bare.template();
            template.psbt.inputs[0].sighash_type = Some(PAYOUT_SIGHASH.into());
            let signed = repayer.signatures(&template);
            let signature = (0..self.repayers.len()).find_map(|place| signed.get(0, place)).unwrap();
            Signature::from_slice(signature).unwrap()
        };
        PayoutSignaturePair { two: sign(Version::TWO), truc: sign(TRUC) }
    }

    /// Returns the signatures that the wallet of a single repay key makes.
    fn requested_signatures(&self, repayer: &TestWallet, loan: &RunningLoan, pads: &[Coin]) -> PayoutSignaturePair {
        let request = PayoutRequest {
            loan,
            pads,
            destination: &self.borrower.ordinals_script(),
            change: &self.borrower.payment_script(),
        };
        let sign = |version| {
            let text = repayer.sign(&request.build(version).unwrap());
            request.check_returned(version, &text).unwrap()
        };
        PayoutSignaturePair { two: sign(Version::TWO), truc: sign(TRUC) }
    }
}

/// A loan that is signed and not broadcast.
pub(crate) struct Deal {
    pub(crate) parties: Parties,
    pub(crate) origination: Transaction,
    /// The reveal of the transfer inscription into the escrow, for BRC-20.
    pub(crate) reveal: Option<Transaction>,
    /// The borrower's pads of the origination.
    pub(crate) pads: Vec<Coin>,
    pub(crate) loan: RunningLoan,
    pub(crate) presigned: PayoutSignatures,
}

impl Deal {
    /// Signs for both sides, the borrower first. The lender does not see that signature before the repayment is
    /// pre-signed.
    pub(crate) fn sign(parties: Parties, collateral: Collateral<'_>, funding: Funding<'_>) -> Self {
        let Parties { borrower, lender, funder, cosigner, .. } = &parties;
        let (template, reveal_template, loan) = parties.with_origination(collateral, funding, |origination| {
            let template = origination.build().unwrap();
            let reveal = origination.reveal(&template).map(|reveal| reveal.build().unwrap());
            let loan = origination.running_loan(&template, pay(lender.payment_script(), PAYOUT_SATS)).unwrap();
            (template, reveal, loan)
        });
        let signed = borrower.signatures(&template);
        let reveal = reveal_template
            .as_ref()
            .map(|reveal| reveal.finish(&borrower.signatures(reveal), reveal.final_txid()).unwrap());
        let (made_by, places) = match &reveal_template {
            Some(reveal) => (reveal, reveal::PADS.to_vec()),
            None => (&template, pads(loan.pledge.range_count()).collect()),
        };
        let pads: Vec<Coin> = places.into_iter().map(|place| future_coin(made_by, place, borrower.payment())).collect();
        let presigned = parties.payout_signatures(&loan, &pads);
        let mut signed = signed.merge(funder.signatures(&template)).unwrap();
        if let Some(cosigner) = cosigner {
            signed = signed.merge(cosigner.signatures(&template)).unwrap();
        }
        let origination = template.finish(&signed, template.final_txid()).unwrap();
        Self { parties, origination, reveal, pads, loan, presigned }
    }

    /// Returns the repayment, unsigned.
    pub(crate) fn repayment(&self, version: Version, coin: &Coin, fee_rate: FeeRate) -> Template {
        with_repayment(&[self], (version, coin), fee_rate, |repayment| repayment.build().unwrap())
    }

    /// Returns the repayment, signed by the borrower alone.
    pub(crate) fn repay(&self, version: Version, coin: &Coin, fee_rate: FeeRate) -> Transaction {
        repay_together(&[self], (version, coin), fee_rate)
    }

    /// Returns the loan with its pre-signed repayment.
    pub(crate) fn repayable(&self) -> RepayableLoan<'_> {
        RepayableLoan { loan: &self.loan, pre_signatures: &self.presigned }
    }

    /// Returns the claim, signed by the lender alone; `coin` pays its fee where the collateral's sats must not.
    pub(crate) fn claim(&self, coin: Option<&Coin>) -> Transaction {
        let lender = &self.parties.lender;
        let (home, change) = (lender.ordinals_script(), lender.payment_script());
        let claim =
            Claim { loan: &self.loan, fee_coin: coin, destination: &home, change: &change, fee_rate: fee_rate() };
        let template = claim.build().unwrap();
        template.finish(&lender.signatures(&template), template.final_txid()).unwrap()
    }
}

/// Originates a loan against runes, paid by the lender with change.
pub(crate) async fn begin(world: &impl World, parties: Parties, collateral: Collateral<'_>) -> Deal {
    let funding = [funded(world, parties.lender.payment(), LENT_SATS + 500_000).await];
    let change = parties.lender.payment_script();
    let deal = Deal::sign(parties, collateral, Funding::Coins { coins: &funding, change: &change });
    confirm(world, &deal.origination).await;
    deal
}

/// Returns the coin that an output will be once the transaction is signed.
pub(crate) fn future_coin(template: &Template, place: usize, key: CoinKey) -> Coin {
    Coin {
        outpoint: OutPoint::new(template.final_txid(), u32::try_from(place).unwrap()),
        output: template.psbt.unsigned_tx.output[place].clone(),
        key,
    }
}

/// Passes the repayment of one borrower's loans to `look`.
pub(crate) fn with_repayment<T>(
    deals: &[&Deal],
    (version, coin): (Version, &Coin),
    fee_rate: FeeRate,
    look: impl FnOnce(&Repayment<'_>) -> T,
) -> T {
    let loans: Vec<RepayableLoan<'_>> = deals.iter().map(|deal| deal.repayable()).collect();
    let pads: Vec<Coin> = deals.iter().flat_map(|deal| deal.pads.clone()).collect();
    let borrower = &deals[0].parties.borrower;
    look(&Repayment {
        loans: &loans,
        version,
        pads: &pads,
        funding: std::slice::from_ref(coin),
        unconfirmed: &[],
        destination: &borrower.ordinals_script(),
        change: &borrower.payment_script(),
        fee_rate,
    })
}

/// Returns one repayment of several loans, signed by the borrower alone.
pub(crate) fn repay_together(deals: &[&Deal], paid: (Version, &Coin), fee_rate: FeeRate) -> Transaction {
    let template = with_repayment(deals, paid, fee_rate, |repayment| repayment.build().unwrap());
    let mut signed = deals[0].parties.borrower.signatures(&template);
    for deal in deals {
        signed = signed.merge(deal.repayable().signatures(&template).unwrap()).unwrap();
    }
    template.finish(&signed, template.final_txid()).unwrap()
}

/// Asserts that the indexer finds this inscription, and nothing else, at this offset of this output.
pub(crate) async fn assert_inscription(world: &impl World, id: InscriptionId, place: (OutPoint, u64)) {
    let (outpoint, offset) = (place.0, Amount::from_sat(place.1));
    assert_eq!(world.indexer().sat_point(id).await, Ok(Some((outpoint, offset))));
    let carried = world.indexer().assets_in(outpoint).await.unwrap().unwrap();
    assert_eq!(carried.inscriptions, [Inscribed { id, offset }]);
    assert_eq!(carried.runes, []);
}
