//! Extensions of a loan: signed by both sides, never by one alone.

use bitcoin::transaction::Version;
use bitcoin::{Amount, OutPoint, Transaction};
use engine::chain::Chain as _;
use escrow::contract::loan::collateral::Collateral;
use escrow::contract::loan::escrow_move::MoveOutputs;
use escrow::contract::loan::extension::{Extension, ExtensionFault};
use escrow::contract::loan::loan_escrow::{EscrowTerms, LoanEscrow};
use escrow::contract::transaction::coin::Coin;
use escrow::contract::transaction::lock::Lock;
use escrow::contract::transaction::spend::Spend;
use escrow::contract::transaction::template::Template;
use escrow::contract::transaction::version::TRUC;

use crate::custom_transaction::{Change, CustomTransaction, assembled, pay};
use crate::deal::{CLAIM_AFTER, Deal, PAYOUT_SATS, Parties, begin, fee_rate, future_coin};
use crate::etcher::{assert_flow, etch};
use crate::inscription_deal::{InscriptionDeal, POSTAGE_SATS};
use crate::moved_loan::{ESCROW, LENDER_PAYMENT};
use crate::test_wallet::{TestWallet, funded};
use crate::world::{World, confirm, refusal};

const SCRIPT_FAILS: &str = "mempool-script-verify-flag-failed";
/// The lender's interest for the extension.
const INTEREST_SATS: u64 = 30_000;
/// The new claim time.
pub(crate) const LATER: u32 = CLAIM_AFTER + 30 * 86_400;

/// The inputs of an extension.
pub(crate) struct ExtensionSetup {
    parties: Parties,
    coins: [Coin; 1],
}

impl ExtensionSetup {
    pub(crate) async fn new(world: &impl World) -> Self {
        let parties = Parties::new(77, [2, 2, 2], LATER);
        let coins = [funded(world, parties.borrower.nested(), 100_000).await];
        Self { parties, coins }
    }

    fn with_extension<T>(&self, old: &Deal, version: Version, look: impl FnOnce(&Extension<'_>) -> T) -> T {
        look(&Extension {
            loan: &old.loan,
            escrow: &self.parties.escrow,
            version,
            pads: &old.pads,
            interest: &pay(self.parties.lender.payment_script(), INTEREST_SATS),
            coins: &self.coins,
            unconfirmed: &[],
            borrower_payment: &self.parties.borrower.payment_script(),
            fee_rate: fee_rate(),
        })
    }

    fn template(&self, old: &Deal) -> Template {
        self.with_extension(old, Version::TWO, |extension| extension.build().unwrap())
    }

    pub(crate) fn sign(self, old: &Deal, version: Version) -> Deal {
        let (template, loan) = self.with_extension(old, version, |extension| {
            let template = extension.build().unwrap();
            let loan = extension.running(template.final_txid(), pay(self.parties.lender.payment_script(), PAYOUT_SATS));
            (template, loan)
        });
        let Parties { borrower, lender, .. } = &self.parties;
        let signed = borrower.signatures(&template);
        let places = MoveOutputs::of(&old.loan).pads();
        let pads: Vec<Coin> = places.map(|pad| future_coin(&template, pad, borrower.payment())).collect();
        let presigned = self.parties.payout_signatures(&loan, &pads);
        let signed = signed.merge(lender.signatures(&template)).unwrap();
        let origination = template.finish(&signed, template.final_txid()).unwrap();
        Deal { parties: self.parties, origination, reveal: None, pads, loan, presigned }
    }
}

pub(crate) async fn both_sides_extend_a_loan_and_it_is_repaid_or_claimed_as_before(world: &impl World) {
    let mut extended = Vec::new();
    for version in [Version::TWO, TRUC] {
        let old = InscriptionDeal::begin(world).await;
        let new = ExtensionSetup::new(world).await.sign(&old, version);
        confirm(world, &new.origination).await;
        old.assert_inscription_in(world, new.loan.outpoint).await;
        assert_eq!(new.origination.output[LENDER_PAYMENT], pay(old.parties.lender.payment_script(), INTEREST_SATS));
        extended.push((old, new));
    }
    let [(first, repaid), (second, claimed)] = extended.try_into().ok().unwrap();
    let coin = funded(world, repaid.parties.borrower.payment(), 3_000_000).await;
    let ended = repaid.repay(TRUC, &coin, fee_rate());
    confirm(world, &ended).await;
    first.assert_inscription_in(world, OutPoint::new(ended.compute_txid(), 1)).await;
    assert_eq!(ended.output[LENDER_PAYMENT], pay(repaid.parties.lender.payment_script(), PAYOUT_SATS));
    // The old claim time has no effect any more.
    world.set_time(CLAIM_AFTER + 1).await;
    world.mine(6).await;
    let old_claim = second.claim(None);
    let refused = refusal(world, &old_claim).await;
    assert_eq!(refused, "bad-txns-inputs-missingorspent", "a claim of the old escrow, refused by the node");
    let claim = claimed.claim(None);
    assert_eq!(refusal(world, &claim).await, "non-final", "a claim before the new time, refused by the node");
    world.set_time(LATER + 1).await;
    world.mine(6).await;
    confirm(world, &claim).await;
    second.assert_inscription_in(world, OutPoint::new(claim.compute_txid(), 0)).await;
}

pub(crate) async fn a_loan_against_runes_is_extended(world: &impl World) {
    let parties = Parties::manual();
    let home = parties.borrower.ordinals_script();
    let (id, coins) = etch(world, &parties.borrower, [900]).await;
    let old = begin(world, parties, Collateral::Runes { coins: &coins, id, amount: 900, rest: &home }).await;
    let new = ExtensionSetup::new(world).await.sign(&old, TRUC);
    confirm(world, &new.origination).await;
    assert!(assert_flow(world, &[(id, 900)], &new.origination).await.is_exactly([(ESCROW, id, 900)]));
    let coin = funded(world, new.parties.borrower.payment(), 3_000_000).await;
    let ended = new.repay(Version::TWO, &coin, fee_rate());
    confirm(world, &ended).await;
    assert!(assert_flow(world, &[(id, 900)], &ended).await.is_exactly([(1, id, 900)]));
}

/// An extension requires both signatures over the whole transaction.
pub(crate) async fn neither_side_moves_the_collateral_alone(world: &impl World) {
    let old = InscriptionDeal::begin(world).await;
    let more = ExtensionSetup::new(world).await;
    let Parties { borrower, lender, .. } = &more.parties;
    let template = more.template(&old);
    let thief = TestWallet::new(66);
    let beforehand = old.presigned.only().unwrap().two.to_vec();
    let alone = assembled(&template, &[borrower], None);
    assert_eq!(refusal(world, &alone).await, SCRIPT_FAILS, "more time by the borrower alone, refused by the script");
    let reused = assembled(&template, &[borrower], Some((LENDER_PAYMENT, 0, &beforehand)));
    let what = "more time with the lender's signature of a repayment, refused by the script";
    assert_eq!(refusal(world, &reused).await, SCRIPT_FAILS, "{what}");
    let signature = lender.signatures(&template).get(LENDER_PAYMENT, 0).unwrap().to_vec();
    // The lender alone, with a coin and an address of the lender's.
    let leaf = old.loan.escrow.extension_leaf();
    let fee_coin = funded(world, lender.payment(), 20_000).await;
    let escrow = old.loan.escrow.output().spend(old.loan.outpoint, old.loan.value, &leaf);
    let to_himself =
        CustomTransaction::new(vec![escrow, Spend::Coin(&fee_coin)], vec![pay(lender.ordinals_script(), POSTAGE_SATS)]);
    let to_himself = to_himself.signed(&[lender], None);
    assert_eq!(refusal(world, &to_himself).await, SCRIPT_FAILS, "the collateral to the lender, refused by the script");
    let changes: [Change<'_>; 3] = [
        ("the lender's signature for less interest", &|attack| {
            attack.output[LENDER_PAYMENT].value -= Amount::from_sat(1);
        }),
        ("the lender's signature for the collateral at home", &|attack| {
            attack.output[ESCROW].script_pubkey = borrower.ordinals_script();
        }),
        ("the lender's signature for a thief", &|attack| attack.output[ESCROW].script_pubkey = thief.ordinals_script()),
    ];
    for (what, change) in changes {
        let mut altered = template.clone();
        change(&mut altered.psbt.unsigned_tx);
        let fault = more.with_extension(&old, Version::TWO, |extension| extension.check(&altered));
        assert!(fault.is_err(), "{what}, refused by the check of the builder");
        let attack = assembled(&altered, &[borrower], Some((LENDER_PAYMENT, 0, &signature)));
        assert_eq!(refusal(world, &attack).await, SCRIPT_FAILS, "{what}, refused by the script");
    }
    let new = more.sign(&old, Version::TWO);
    let swapped = LoanEscrow::new(EscrowTerms { claim_after: 500_000_000, ..new.loan.escrow.terms().clone() }).unwrap();
    let mut output = new.origination.output.clone();
    output[ESCROW].script_pubkey = swapped.output().script_pubkey();
    let attack = Transaction { output, ..new.origination.clone() };
    let what = "an escrow that can be claimed at once, refused by the script";
    assert_eq!(refusal(world, &attack).await, SCRIPT_FAILS, "{what}");
    confirm(world, &new.origination).await;
    old.assert_inscription_in(world, new.loan.outpoint).await;
}

/// Shows why the lender must not sign an extension as a repayment is pre-signed: that signature would commit to the
/// interest alone, and the borrower could take the collateral for it.
pub(crate) async fn an_extension_signed_as_a_repayment_would_give_the_collateral_away(world: &impl World) {
    let old = InscriptionDeal::begin(world).await;
    let more = ExtensionSetup::new(world).await;
    let Parties { borrower, lender, .. } = &more.parties;
    let mut template = more.template(&old);
    template.locks[LENDER_PAYMENT] = Lock::Script(Box::new(old.loan.escrow.repay_leaf().clone()));
    template.psbt.inputs[LENDER_PAYMENT].sighash_type =
        Some(escrow::contract::transaction::template::PAYOUT_SIGHASH.into());
    let fault = more.with_extension(&old, Version::TWO, |extension| extension.check(&template));
    assert_eq!(fault, Err(ExtensionFault::WrongSighash), "refused by the check of the builder");
    let signature = lender.signatures(&template).get(LENDER_PAYMENT, 0).unwrap().to_vec();
    let mut stolen = template.clone();
    stolen.psbt.unsigned_tx.output[ESCROW].script_pubkey = borrower.ordinals_script();
    stolen.psbt.inputs[LENDER_PAYMENT].sighash_type = None;
    let stolen = assembled(&stolen, &[borrower], Some((LENDER_PAYMENT, 0, &signature)));
    confirm(world, &stolen).await;
    old.assert_inscription_in(world, OutPoint::new(stolen.compute_txid(), 1)).await;
    assert_eq!(world.node().unspent(old.loan.outpoint).await, Ok(None));
    assert_eq!(stolen.output[LENDER_PAYMENT], pay(lender.payment_script(), INTEREST_SATS), "and no payout");
}
