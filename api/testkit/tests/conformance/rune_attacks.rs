//! Scenarios of wrong runestones: the results of the checks, and where the runes go without them.

use bitcoin::opcodes::all::{OP_RETURN, OP_VERIFY};
use bitcoin::script::Builder;
use bitcoin::transaction::Version;
use bitcoin::{OutPoint, ScriptBuf};
use escrow::contract::loan::collateral::Collateral;
use escrow::contract::loan::collateral_flow::CollateralFault;
use escrow::contract::loan::funding::Funding;
use escrow::contract::loan::origination::fault::OriginationFault;
use escrow::contract::loan::origination_outputs::{ESCROW, REST};
use escrow::contract::loan::repayment::RepaymentFault;
use escrow::contract::transaction::template::Template;
use ordinals::{Edict, RuneId, Runestone};

use crate::custom_transaction::assembled;
use crate::deal::{CLAIM_AFTER, LENT_SATS, Parties, begin, fee_rate, repay_together, with_repayment};
use crate::etcher::{assert_flow, assert_runes, etch, join_coins};
use crate::test_wallet::funded;
use crate::world::{World, confirm, refusal};

/// The amount that the coins of the collateral hold.
const HELD: u128 = 1_000;

fn stone(edicts: &[(RuneId, u128, u32)], pointer: Option<u32>) -> ScriptBuf {
    let edicts = edicts.iter().map(|&(id, amount, output)| Edict { id, amount, output });
    Runestone { edicts: edicts.collect(), pointer, ..Runestone::default() }.encipher()
}

/// A runestone with an unknown even tag: all runes are burned.
fn unknown_field() -> ScriptBuf {
    let start = Builder::new().push_opcode(OP_RETURN).push_opcode(Runestone::MAGIC_NUMBER);
    start.push_slice([126, 0]).into_script()
}

/// A runestone with a truncated varint: all runes are burned.
fn endless_number() -> ScriptBuf {
    let start = Builder::new().push_opcode(OP_RETURN).push_opcode(Runestone::MAGIC_NUMBER);
    start.push_slice([128]).into_script()
}

/// A runestone that continues with an opcode other than a data push: all runes are burned, but nodes do not relay it.
fn unreadable() -> ScriptBuf {
    let start = Builder::new().push_opcode(OP_RETURN).push_opcode(Runestone::MAGIC_NUMBER);
    start.push_opcode(OP_VERIFY).into_script()
}

/// Returns the template with another script in place of its runestone.
fn with_stone(honest: &Template, stone: ScriptBuf) -> Template {
    let mut altered = honest.clone();
    let outputs = &mut altered.psbt.unsigned_tx.output;
    outputs.iter_mut().find(|output| output.script_pubkey.is_op_return()).unwrap().script_pubkey = stone;
    altered
}

/// The node accepts each of them: only the builder's check protects the runes. The indexer shows where they would be.
pub(crate) async fn a_repayment_with_another_runestone_would_lose_runes(world: &impl World) {
    let parties = Parties::manual();
    let Parties { borrower, lender, .. } = &parties;
    let (id, coins) = etch(world, borrower, [HELD; 9]).await;
    // Outputs: pads, home, payout, runestone, change.
    let (pads, home, payout, runestone, change) = (0, 1, 2, 3, 4);
    let all = |output: usize| vec![(output, id, HELD)];
    let attacks = [
        ("no runestone: all to the pads", ScriptBuf::new_op_return([]), all(pads)),
        ("an edict to an output that does not exist: burned", stone(&[(id, HELD, 9)], Some(1)), vec![]),
        (
            "an edict to the output after the last: a part to everybody",
            stone(&[(id, 250, 5)], Some(1)),
            vec![(pads, id, 250), (home, id, 250), (payout, id, 250), (change, id, 250)],
        ),
        ("an edict of more than there is: all to the lender", stone(&[(id, HELD + 1, 2)], Some(1)), all(payout)),
        ("an edict of nothing: all to the lender", stone(&[(id, 0, 2)], Some(1)), all(payout)),
        ("a pointer to the runestone: burned", stone(&[], Some(runestone)), vec![]),
        ("an unknown field: burned", unknown_field(), vec![]),
        ("a number that does not end: burned", endless_number(), vec![]),
        ("an unreadable runestone: burned", unreadable(), vec![]),
    ];
    for (((what, stone, arrives), coin), loan) in attacks.into_iter().zip(&coins).zip(1..) {
        let rest = borrower.ordinals_script();
        let collateral = Collateral::Runes { coins: std::slice::from_ref(coin), id, amount: HELD, rest: &rest };
        let deal = begin(world, Parties::new(loan, [2, 2, 2], CLAIM_AFTER), collateral).await;
        assert_runes(world, deal.loan.outpoint, &[(id, HELD)]).await;
        let funding = funded(world, borrower.payment(), 3_000_000).await;
        let paid = (Version::TWO, &funding);
        let honest = with_repayment(&[&deal], paid, fee_rate(), |repayment| repayment.build().unwrap());
        let altered = with_stone(&honest, stone);
        let fault = with_repayment(&[&deal], paid, fee_rate(), |repayment| repayment.check(&altered));
        assert_eq!(fault, Err(RepaymentFault::Collateral(CollateralFault::WrongRunestone)), "{what}");
        let attack = assembled(&altered, &[borrower], Some((2, 0, &deal.presigned.only().unwrap().two.to_vec())));
        assert_eq!(attack.output[payout].script_pubkey, lender.payment_script());
        if what.starts_with("an unreadable") {
            assert_eq!(refusal(world, &attack).await, "scriptpubkey", "{what}, which a miner might take");
        }
        world.mine_these(std::slice::from_ref(&attack)).await;
        let flow = assert_flow(world, &[(id, HELD)], &attack).await;
        let burned = HELD - arrives.iter().map(|(_, _, amount)| amount).sum::<u128>();
        assert_eq!(flow.burned.get(&id).copied().unwrap_or_default(), burned, "{what}");
        for (output, _, amount) in arrives {
            assert_eq!(flow.held(output, id), amount, "{what}");
        }
    }
}

/// The node accepts such a transaction if a lender gets it past the borrower; the builder's check refuses it before it
/// is signed.
pub(crate) async fn an_origination_with_another_runestone_would_lose_runes(world: &impl World) {
    let parties = Parties::manual();
    let Parties { borrower, lender, .. } = &parties;
    let (id, coins) = etch(world, borrower, [HELD; 5]).await;
    // Outputs: escrow, principal, pads, rest, platform, the lender's change, runestone.
    let (payer, last, pledged) = (6, 7, 750);
    let (escrow_vout, rest_vout) = (0, 4);
    let attacks = [
        (
            "the lender's change takes the rest",
            stone(&[(id, pledged, escrow_vout)], Some(payer)),
            vec![(ESCROW, pledged), (6, 250)],
        ),
        ("no runestone: the rest is pledged too", ScriptBuf::new_op_return([]), vec![(ESCROW, HELD)]),
        (
            "an edict of more than there is: the rest is pledged too",
            stone(&[(id, HELD + 1, escrow_vout)], Some(rest_vout)),
            vec![(ESCROW, HELD)],
        ),
        (
            "an edict to the output after the last: a part to everybody",
            stone(&[(id, 100, last + 1)], Some(rest_vout)),
            vec![(ESCROW, 100), (1, 100), (2, 100), (3, 100), (REST, 400), (5, 100), (6, 100)],
        ),
        ("an edict to an output that does not exist: burned", stone(&[(id, pledged, last + 2)], None), vec![]),
    ];
    for (((what, stone, arrives), coin), loan) in attacks.into_iter().zip(&coins).zip(1..) {
        let (parties, rest, change) =
            (Parties::new(loan, [2, 2, 2], CLAIM_AFTER), borrower.ordinals_script(), lender.payment_script());
        let collateral = Collateral::Runes { coins: std::slice::from_ref(coin), id, amount: pledged, rest: &rest };
        let coins = [funded(world, lender.payment(), LENT_SATS + 500_000).await];
        let funding = Funding::Coins { coins: &coins, change: &change };
        let (altered, fault) = parties.with_origination(collateral, funding, |origination| {
            let altered = with_stone(&origination.build().unwrap(), stone);
            let fault = origination.check(&altered);
            (altered, fault)
        });
        assert_eq!(fault, Err(OriginationFault::WrongRunestone), "{what}");
        let attack = assembled(&altered, &[borrower, lender], None);
        confirm(world, &attack).await;
        let flow = assert_flow(world, &[(id, HELD)], &attack).await;
        let burned = HELD - arrives.iter().map(|(_, amount)| amount).sum::<u128>();
        assert_eq!(flow.burned.get(&id).copied().unwrap_or_default(), burned, "{what}");
        for (output, amount) in arrives {
            assert_eq!(flow.held(output, id), amount, "{what}");
        }
    }
}

/// Without the pointer, which catches unknown runes, a coin of the borrower's that carries runes by mistake would leave
/// them in the pads, which are the borrower's as well.
pub(crate) async fn runes_in_a_coin_that_pays_for_a_repayment_stay_the_borrowers(world: &impl World) {
    let parties = Parties::manual();
    let borrower = &parties.borrower;
    let (id, [pledged]) = etch(world, borrower, [HELD]).await;
    let (other, [mislaid]) = etch(world, borrower, [55]).await;
    let rest = borrower.ordinals_script();
    let collateral = Collateral::Runes { coins: std::slice::from_ref(&pledged), id, amount: HELD, rest: &rest };
    let deal = begin(world, Parties::new(1, [2, 2, 2], CLAIM_AFTER), collateral).await;
    let more = funded(world, borrower.payment(), 3_000_000).await;
    let funding = join_coins(world, borrower, &[&mislaid.coin, &more], 3_000_000).await;
    let ended = repay_together(&[&deal], (Version::TWO, &funding), fee_rate());
    confirm(world, &ended).await;
    assert_flow(world, &[(id, HELD), (other, 55)], &ended).await;
    assert_runes(world, OutPoint::new(ended.compute_txid(), 1), &[(id, HELD), (other, 55)]).await;
    assert_eq!(ended.output[1].script_pubkey, borrower.ordinals_script());
}
