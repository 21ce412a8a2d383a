//! Scenarios of refinancing: the old lender need not agree, and no party can alter it.

use bitcoin::transaction::Version;
use bitcoin::{Amount, OutPoint, Transaction};
use engine::chain::Chain as _;
use escrow::contract::loan::collateral::Collateral;
use escrow::contract::loan::funding::Funding;
use escrow::contract::loan::loan_escrow::{EscrowTerms, LoanEscrow};
use escrow::contract::loan::refinance::{Refinance, RefinanceFault};
use escrow::contract::transaction::coin::Coin;
use escrow::contract::transaction::spend::Spend;
use escrow::contract::transaction::template::Template;
use escrow::contract::transaction::version::TRUC;

use crate::custom_transaction::{Change, CustomTransaction, assembled, pay};
use crate::deal::{
    CLAIM_AFTER, Deal, LENT_SATS, PAYOUT_SATS, PLATFORM_SATS, PRINCIPAL_SATS, Parties, begin, fee_rate, future_coin,
};
use crate::etcher::{assert_flow, etch};
use crate::inscription_deal::InscriptionDeal;
use crate::moved_loan::{ESCROW, LENDER_PAYMENT, PADS};
use crate::test_wallet::{TestWallet, funded};
use crate::vault::fund_vault;
use crate::world::{World, confirm, refusal, send};

const SCRIPT_FAILS: &str = "mempool-script-verify-flag-failed";
/// The new lender's claim time.
const LATER: u32 = CLAIM_AFTER + 30 * 86_400;

/// The inputs of a refinance.
struct RefinanceSetup {
    /// The borrower and the new lender.
    parties: Parties,
    /// The new lender's coin.
    lent: [Coin; 1],
    /// The borrower's coin: it pays the interest of the old loan and the fee.
    added: [Coin; 1],
}

impl RefinanceSetup {
    async fn new(world: &impl World) -> Self {
        let parties = Parties::new(78, [4, 4, 4], LATER);
        let lent = [funded(world, parties.lender.payment(), LENT_SATS + 300_000).await];
        let added = [funded(world, parties.borrower.payment(), 200_000).await];
        Self { parties, lent, added }
    }

    fn with_refinance<T>(&self, old: &Deal, version: Version, look: impl FnOnce(&Refinance<'_>) -> T) -> T {
        let Parties { borrower, lender, platform, escrow, .. } = &self.parties;
        look(&Refinance {
            ending: old.repayable(),
            escrow,
            version,
            pads: &old.pads,
            funding: Funding::Coins { coins: &self.lent, change: &lender.payment_script() },
            principal: Amount::from_sat(PRINCIPAL_SATS),
            platform_fee: Some(&pay(platform.payment_script(), PLATFORM_SATS)),
            coins: &self.added,
            unconfirmed: &[],
            borrower_payment: &borrower.payment_script(),
            fee_rate: fee_rate(),
        })
    }

    fn template(&self, old: &Deal, version: Version) -> Template {
        self.with_refinance(old, version, |refinance| refinance.build().unwrap())
    }

    /// Signs in the order of an origination; the old lender does not take part.
    fn sign(self, old: &Deal, version: Version) -> Deal {
        let (template, loan) = self.with_refinance(old, version, |refinance| {
            let template = refinance.build().unwrap();
            let loan = refinance.running(template.final_txid(), pay(self.parties.lender.payment_script(), PAYOUT_SATS));
            (template, loan)
        });
        let Parties { borrower, lender, .. } = &self.parties;
        let signed = borrower.signatures(&template);
        let pads = PADS.map(|pad| future_coin(&template, pad, borrower.payment())).to_vec();
        let presigned = self.parties.payout_signatures(&loan, &pads);
        let payout = old.repayable().signatures(&template).unwrap();
        let signed = signed.merge(lender.signatures(&template)).unwrap().merge(payout).unwrap();
        let origination = template.finish(&signed, template.final_txid()).unwrap();
        Deal { parties: self.parties, origination, reveal: None, pads, loan, presigned }
    }
}

pub(crate) async fn the_next_lender_repays_a_loan_and_is_repaid_by_the_borrower(world: &impl World) {
    for version in [Version::TWO, TRUC] {
        let old = InscriptionDeal::begin(world).await;
        let new = RefinanceSetup::new(world).await.sign(&old, version);
        confirm(world, &new.origination).await;
        old.assert_inscription_in(world, new.loan.outpoint).await;
        assert_eq!(new.loan.outpoint, OutPoint::new(new.origination.compute_txid(), 1));
        assert_eq!(
            new.origination.output[LENDER_PAYMENT],
            pay(old.parties.lender.payment_script(), PAYOUT_SATS),
            "the old lender is paid"
        );
        assert_eq!(world.node().unspent(old.loan.outpoint).await, Ok(None));
        let coin = funded(world, new.parties.borrower.payment(), 3_000_000).await;
        let ended = new.repay(version, &coin, fee_rate());
        send(world, &ended).await;
        world.mine(1).await;
        old.assert_inscription_in(world, OutPoint::new(ended.compute_txid(), 1)).await;
        assert_eq!(ended.output[LENDER_PAYMENT], pay(new.parties.lender.payment_script(), PAYOUT_SATS));
    }
}

pub(crate) async fn a_vault_repays_a_loan_and_is_repaid_by_the_borrower(world: &impl World) {
    let old = InscriptionDeal::begin(world).await;
    // The repay key is the vault signer's, as in every loan of a vault.
    let parties = Parties::new(78, [4, 5, 6], LATER);
    let (vault, outputs) = fund_vault(world, &parties).await;
    let coins = [funded(world, parties.borrower.payment(), 200_000).await];
    let refinance = Refinance {
        ending: old.repayable(),
        escrow: &parties.escrow,
        version: TRUC,
        pads: &old.pads,
        funding: Funding::Vault { vault: &vault, outputs: &outputs },
        principal: Amount::from_sat(PRINCIPAL_SATS),
        platform_fee: Some(&pay(parties.platform.payment_script(), PLATFORM_SATS)),
        coins: &coins,
        unconfirmed: &[],
        borrower_payment: &parties.borrower.payment_script(),
        fee_rate: fee_rate(),
    };
    let template = refinance.build().unwrap();
    let loan = refinance.running(template.final_txid(), pay(parties.lender.payment_script(), PAYOUT_SATS));
    let pads = PADS.map(|pad| future_coin(&template, pad, parties.borrower.payment())).to_vec();
    let presigned = parties.payout_signatures(&loan, &pads);
    let payout = old.repayable().signatures(&template).unwrap();
    let signed = parties.borrower.signatures(&template).merge(parties.funder.signatures(&template)).unwrap();
    let origination = template.finish(&signed.merge(payout).unwrap(), template.final_txid()).unwrap();
    confirm(world, &origination).await;
    old.assert_inscription_in(world, loan.outpoint).await;
    assert_eq!(origination.output[LENDER_PAYMENT], pay(old.parties.lender.payment_script(), PAYOUT_SATS));
    let new = Deal { parties, origination, reveal: None, pads, loan, presigned };
    let coin = funded(world, new.parties.borrower.payment(), 3_000_000).await;
    let ended = new.repay(TRUC, &coin, fee_rate());
    confirm(world, &ended).await;
    old.assert_inscription_in(world, OutPoint::new(ended.compute_txid(), 1)).await;
}

pub(crate) async fn runes_move_to_the_next_lender_and_back_to_the_borrower(world: &impl World) {
    let parties = Parties::manual();
    let home = parties.borrower.ordinals_script();
    let (id, coins) = etch(world, &parties.borrower, [900]).await;
    let old = begin(world, parties, Collateral::Runes { coins: &coins, id, amount: 600, rest: &home }).await;
    let new = RefinanceSetup::new(world).await.sign(&old, Version::TWO);
    confirm(world, &new.origination).await;
    assert!(assert_flow(world, &[(id, 600)], &new.origination).await.is_exactly([(ESCROW, id, 600)]));
    let coin = funded(world, new.parties.borrower.payment(), 3_000_000).await;
    let ended = new.repay(TRUC, &coin, fee_rate());
    confirm(world, &ended).await;
    assert!(assert_flow(world, &[(id, 600)], &ended).await.is_exactly([(1, id, 600)]));
    assert_eq!(ended.output[1].script_pubkey, home);
}

/// Borrower and new lender together cannot cheat the old lender: the pre-signature commits to the payout at the index
/// of the old escrow.
pub(crate) async fn borrower_and_new_lender_cannot_cheat_the_old_lender(world: &impl World) {
    let old = InscriptionDeal::begin(world).await;
    let takeover = RefinanceSetup::new(world).await;
    let Parties { borrower, lender, .. } = &takeover.parties;
    let honest = takeover.template(&old, Version::TWO);
    let attacks: [Change<'_>; 4] = [
        ("a sat less for the old lender", &|attack| attack.output[LENDER_PAYMENT].value -= Amount::ONE_SAT),
        ("the payout to the new lender", &|attack| {
            attack.output[LENDER_PAYMENT].script_pubkey = lender.payment_script();
        }),
        ("the payout beside another input", &|attack| attack.output.swap(LENDER_PAYMENT, PADS[1])),
        ("the payout under another version", &|attack| attack.version = TRUC),
    ];
    for (what, alter) in attacks {
        let mut altered = honest.clone();
        alter(&mut altered.psbt.unsigned_tx);
        let fault = takeover.with_refinance(&old, Version::TWO, |refinance| refinance.check(&altered));
        let is_found = matches!(fault, Err(RefinanceFault::Payout(_) | RefinanceFault::WrongForm));
        assert!(is_found, "{what}: {fault:?}");
        let attack = assembled(
            &altered,
            &[borrower, lender],
            Some((LENDER_PAYMENT, 0, &old.presigned.only().unwrap().two.to_vec())),
        );
        assert_eq!(refusal(world, &attack).await, SCRIPT_FAILS, "{what}, refused by the script");
    }
    // Without the old lender's signature it is impossible, even with all others.
    let unsigned = assembled(&honest, &[borrower, lender], None);
    assert_eq!(refusal(world, &unsigned).await, SCRIPT_FAILS, "nothing of the old lender's, refused by the script");
}

/// A signature over the whole transaction commits to all of it: the finished one cannot be changed.
pub(crate) async fn a_signed_refinance_cannot_be_changed(world: &impl World) {
    let old = InscriptionDeal::begin(world).await;
    let takeover = RefinanceSetup::new(world).await;
    let honest = takeover.template(&old, Version::TWO);
    let (thief, borrower) = (TestWallet::new(66), TestWallet::new(1));
    let own =
        LoanEscrow::new(EscrowTerms { claim_after: 500_000_000, ..takeover.parties.escrow.terms().clone() }).unwrap();
    let swapped = own.output().script_pubkey();
    let lent = takeover.lent[0].output.value;
    let attacks: [Change<'_>; 5] = [
        ("an escrow that can be claimed at once", &|attack| attack.output[ESCROW].script_pubkey.clone_from(&swapped)),
        ("the collateral to a thief", &|attack| attack.output[ESCROW].script_pubkey = thief.ordinals_script()),
        ("the borrower's rest to a thief", &|attack| {
            attack.output.last_mut().unwrap().script_pubkey = thief.payment_script();
        }),
        ("a pad to a thief", &|attack| attack.output[PADS[1]].script_pubkey = thief.payment_script()),
        ("the new lender's change to the borrower", &|attack| {
            attack
                .output
                .iter_mut()
                .find(|output| output.value == lent - Amount::from_sat(LENT_SATS))
                .unwrap()
                .script_pubkey = borrower.payment_script();
        }),
    ];
    let mut altered = Vec::new();
    for (what, alter) in attacks {
        let mut template = honest.clone();
        alter(&mut template.psbt.unsigned_tx);
        let fault = takeover.with_refinance(&old, Version::TWO, |refinance| refinance.check(&template));
        assert!(fault.is_err(), "{what}, refused by the check of the builder");
        altered.push((what, template.psbt.unsigned_tx.output));
    }
    let new = takeover.sign(&old, Version::TWO);
    for (what, output) in altered {
        let attack = Transaction { output, ..new.origination.clone() };
        assert_eq!(refusal(world, &attack).await, SCRIPT_FAILS, "{what}, refused by the script");
    }
    confirm(world, &new.origination).await;
    old.assert_inscription_in(world, new.loan.outpoint).await;
}

pub(crate) async fn the_old_lender_has_no_rights_once_paid(world: &impl World) {
    let old = InscriptionDeal::begin(world).await;
    let new = RefinanceSetup::new(world).await.sign(&old, TRUC);
    confirm(world, &new.origination).await;
    let (borrower, old_lender, new_lender) = (&new.parties.borrower, &old.parties.lender, &new.parties.lender);
    // The old lender's pre-signature is valid for the old escrow and no other.
    let coin = funded(world, borrower.payment(), 3_000_000).await;
    let mut cheap = new.repayment(Version::TWO, &coin, fee_rate());
    cheap.psbt.unsigned_tx.output[LENDER_PAYMENT] = old.loan.payout.clone();
    let cheap = assembled(&cheap, &[borrower], Some((LENDER_PAYMENT, 0, &old.presigned.only().unwrap().two.to_vec())));
    assert_eq!(refusal(world, &cheap).await, SCRIPT_FAILS, "the old payout for the new escrow, refused by the script");
    // The old lender's claim time has come, and the new lender's has not.
    world.set_time(CLAIM_AFTER + 1).await;
    world.mine(6).await;
    let late = old.claim(None);
    let refused = refusal(world, &late).await;
    assert_eq!(refused, "bad-txns-inputs-missingorspent", "a claim of what is paid, refused by the node");
    let leaf = new.loan.escrow.claim_leaf();
    let spend = || vec![new.loan.escrow.output().spend(new.loan.outpoint, new.loan.value, leaf)];
    let lock_time = bitcoin::absolute::LockTime::from_time(CLAIM_AFTER).unwrap();
    let outputs = vec![pay(old_lender.ordinals_script(), 9_000)];
    let early = CustomTransaction { lock_time, ..CustomTransaction::new(spend(), outputs) }.signed(&[new_lender], None);
    assert_eq!(refusal(world, &early).await, SCRIPT_FAILS, "a claim at the old time, refused by the script");
    assert_eq!(refusal(world, &new.claim(None)).await, "non-final", "a claim before the new time, refused by the node");
    world.set_time(LATER + 1).await;
    world.mine(6).await;
    let claim = new.claim(None);
    confirm(world, &claim).await;
    old.assert_inscription_in(world, OutPoint::new(claim.compute_txid(), 0)).await;
    assert_eq!(claim.output[0].script_pubkey, new_lender.ordinals_script());
}

/// The old lender's claim and an unconfirmed refinance compete for the same escrow: the claim may replace it once its
/// time has come, so a refinance has to be mined before that.
pub(crate) async fn a_late_claim_replaces_an_unconfirmed_refinance(world: &impl World) {
    let old = InscriptionDeal::begin(world).await;
    let lender = &old.parties.lender;
    let fee_coin = funded(world, lender.payment(), 200_000).await;
    let new = RefinanceSetup::new(world).await.sign(&old, TRUC);
    send(world, &new.origination).await;
    world.set_time(CLAIM_AFTER + 1).await;
    for _ in 0..6 {
        world.mine_these(&[]).await;
    }
    let leaf = old.loan.escrow.claim_leaf();
    let escrow = old.loan.escrow.output().spend(old.loan.outpoint, old.loan.value, leaf);
    let outputs = vec![pay(lender.ordinals_script(), 10_000), pay(lender.payment_script(), 100_000)];
    let lock_time = bitcoin::absolute::LockTime::from_time(CLAIM_AFTER).unwrap();
    let claim =
        CustomTransaction { lock_time, ..CustomTransaction::new(vec![escrow, Spend::Coin(&fee_coin)], outputs) };
    let claim = claim.signed(&[lender], None);
    send(world, &claim).await;
    assert_eq!(world.waiting().await, [claim.compute_txid()]);
    world.mine(1).await;
    old.assert_inscription_in(world, OutPoint::new(claim.compute_txid(), 0)).await;
    // The new lender has lost nothing.
    let spared = world.node().unspent(new.origination.input[3].previous_output).await.unwrap().unwrap();
    assert_eq!(spared.output, pay(new.parties.lender.payment_script(), LENT_SATS + 300_000));
}
