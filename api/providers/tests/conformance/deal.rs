//! A loan against an inscription, signed as the product does it.

use bitcoin::transaction::Version;
use bitcoin::{Amount, FeeRate, OutPoint, ScriptBuf, Transaction, TxOut};
use engine::asset_index::{AssetIndex as _, InscriptionId};
use escrow::contract::asset_coin::AssetCoin;
use escrow::contract::claim::Claim;
use escrow::contract::coin::Coin;
use escrow::contract::collateral::Collateral;
use escrow::contract::funding::Funding;
use escrow::contract::loan_escrow::{EscrowTerms, LoanEscrow};
use escrow::contract::origination::{Origination, PADS};
use escrow::contract::payout_request::PayoutRequest;
use escrow::contract::payout_signatures::PayoutSignatures;
use escrow::contract::repayable_loan::RepayableLoan;
use escrow::contract::repayment::Repayment;
use escrow::contract::running_loan::{RunningLoan, TRUC};
use escrow::contract::template::Template;

use crate::inscriber::inscribe;
use crate::person::{Person, coin_of, funded};
use crate::world::{World, confirm};

/// When the lender may claim.
pub(crate) const CLAIM_AFTER: u32 = 1_760_000_000;
/// What is lent.
pub(crate) const PRINCIPAL_SATS: u64 = 2_000_000;
/// What is paid back.
pub(crate) const PAYOUT_SATS: u64 = 2_065_000;
/// What the platform gets.
pub(crate) const PLATFORM_SATS: u64 = 13_000;

/// What everybody pays the miners.
pub(crate) fn fee_rate() -> FeeRate {
    FeeRate::from_sat_per_vb(5).unwrap()
}

/// Who deals.
pub(crate) struct Parties {
    pub(crate) borrower: Person,
    pub(crate) lender: Person,
    pub(crate) platform: Person,
    pub(crate) escrow: LoanEscrow,
}

impl Parties {
    pub(crate) fn new() -> Self {
        let [borrower, lender, platform] = [1, 2, 3].map(Person::new);
        let terms = EscrowTerms {
            loan: 77,
            borrower: borrower.key(),
            repay: lender.key(),
            lender: lender.key(),
            claim_after: CLAIM_AFTER,
        };
        Self { escrow: LoanEscrow::new(terms).unwrap(), borrower, lender, platform }
    }
}

/// A loan that can begin: everything is signed and nothing is sent.
pub(crate) struct Deal {
    pub(crate) parties: Parties,
    pub(crate) inscription: InscriptionId,
    pub(crate) collateral: AssetCoin,
    /// The lender's coins.
    pub(crate) funding: Vec<Coin>,
    pub(crate) begun: Transaction,
    pub(crate) loan: RunningLoan,
    pub(crate) beforehand: PayoutSignatures,
}

/// The inscription stands so deep in the collateral.
pub(crate) const OFFSET_SATS: u64 = 4_000;
/// The collateral's output holds so much.
pub(crate) const POSTAGE_SATS: u64 = 10_000;

impl Deal {
    /// The lender pays from coins of every kind.
    pub(crate) async fn prepare(world: &impl World) -> Self {
        let parties = Parties::new();
        let (inscription, collateral) =
            inscribe(world, &parties.borrower, OFFSET_SATS, POSTAGE_SATS - OFFSET_SATS + 2_000).await;
        assert_eq!(collateral.coin.output.value, Amount::from_sat(POSTAGE_SATS));
        let lender = &parties.lender;
        let mut funding = Vec::new();
        for (key, sats) in [(lender.payment(), 1_500_000), (lender.nested(), 400_000), (lender.ordinals(), 700_000)] {
            funding.push(funded(world, key, sats).await);
        }
        Self::sign(parties, inscription, collateral, funding)
    }

    fn sign(parties: Parties, inscription: InscriptionId, collateral: AssetCoin, funding: Vec<Coin>) -> Self {
        let Parties { borrower, lender, platform, escrow } = &parties;
        let change = lender.purse();
        let platform_fee = TxOut { value: Amount::from_sat(PLATFORM_SATS), script_pubkey: platform.purse() };
        let payment = borrower.purse();
        let origination = Origination {
            escrow,
            collateral: Collateral::Inscription(&collateral),
            funding: Funding::Coins { coins: &funding, change: &change },
            principal: Amount::from_sat(PRINCIPAL_SATS),
            platform_fee: Some(&platform_fee),
            borrower_payment: &payment,
            fee_rate: fee_rate(),
        };
        let template = origination.build().unwrap();
        let payout = TxOut { value: Amount::from_sat(PAYOUT_SATS), script_pubkey: lender.purse() };
        let loan = origination.running_loan(&template, payout).unwrap();
        // The borrower signs first, and the lender never sees it before he has signed the repayment.
        let signed = borrower.signatures(&template);
        let beforehand = payout_signatures(&parties, &template, &loan);
        beforehand.check(&loan).unwrap();
        let signed = signed.merge(lender.signatures(&template)).unwrap();
        let begun = template.finish(&signed, template.final_txid()).unwrap();
        Self { parties, inscription, collateral, funding, begun, loan, beforehand }
    }

    /// Begins it, and looks whether everything is where it should be.
    pub(crate) async fn begin(world: &impl World) -> Self {
        let deal = Self::prepare(world).await;
        confirm(world, &deal.begun).await;
        deal.assert_inscription_in(world, deal.loan.outpoint).await;
        deal
    }

    /// The inscription stands on its sat of this output.
    pub(crate) async fn assert_inscription_in(&self, world: &impl World, outpoint: OutPoint) {
        assert_inscription(world, self.inscription, (outpoint, OFFSET_SATS)).await;
    }

    /// What the borrower has of the beginning.
    pub(crate) fn pads(&self) -> [Coin; 2] {
        PADS.map(|pad| coin_of(&self.begun, u32::try_from(pad).unwrap(), self.parties.borrower.payment()))
    }

    /// The repayment, unsigned.
    pub(crate) fn repayment(&self, version: Version, coin: &Coin, fee_rate: FeeRate) -> Template {
        let borrower = &self.parties.borrower;
        let repayment = Repayment {
            loans: &[RepayableLoan { loan: &self.loan, beforehand: &self.beforehand }],
            version,
            pads: &self.pads(),
            funding: std::slice::from_ref(coin),
            waiting: &[],
            home: &borrower.home(),
            change: &borrower.purse(),
            fee_rate,
        };
        repayment.build().unwrap()
    }

    /// The repayment, by the borrower alone.
    pub(crate) fn repay(&self, version: Version, coin: &Coin, fee_rate: FeeRate) -> Transaction {
        let template = self.repayment(version, coin, fee_rate);
        let payout = self.beforehand.of(version).unwrap();
        let beforehand = template.check_signature(2, &self.parties.lender.key(), payout).unwrap();
        let signed = self.parties.borrower.signatures(&template).merge(beforehand).unwrap();
        template.finish(&signed, template.final_txid()).unwrap()
    }

    /// The claim, by the lender alone; `coin` pays for it where the collateral's sats shall not.
    pub(crate) fn claim(&self, coin: Option<&Coin>) -> Transaction {
        let lender = &self.parties.lender;
        let (home, change): (ScriptBuf, ScriptBuf) = (lender.home(), lender.purse());
        let claim = Claim { loan: &self.loan, fee_coin: coin, home: &home, change: &change, fee_rate: fee_rate() };
        let template = claim.build().unwrap();
        template.finish(&lender.signatures(&template), template.final_txid()).unwrap()
    }
}

/// What the lender's wallet signs before the loan begins.
fn payout_signatures(parties: &Parties, origination: &Template, loan: &RunningLoan) -> PayoutSignatures {
    let borrower = &parties.borrower;
    let pads = PADS.map(|pad| Coin {
        outpoint: OutPoint::new(origination.final_txid(), u32::try_from(pad).unwrap()),
        output: origination.psbt.unsigned_tx.output[pad].clone(),
        key: borrower.payment(),
    });
    let request = PayoutRequest { loan, pads: &pads, home: &borrower.home(), change: &borrower.purse() };
    let sign = |version| {
        let text = parties.lender.sign(&request.build(version).unwrap());
        request.check_returned(version, &text).unwrap()
    };
    PayoutSignatures { two: sign(Version::TWO), truc: sign(TRUC) }
}

/// The indexer finds an inscription, and nothing else, on this sat of this output.
pub(crate) async fn assert_inscription(world: &impl World, id: InscriptionId, place: (OutPoint, u64)) {
    let (outpoint, offset) = (place.0, Amount::from_sat(place.1));
    assert_eq!(world.indexer().place_of(id).await, Ok(Some((outpoint, offset))));
    let carried = world.indexer().carried_by(outpoint).await.unwrap().unwrap();
    assert_eq!(carried.inscriptions, [engine::asset_index::Inscribed { id, offset }]);
    assert_eq!(carried.runes, []);
}
