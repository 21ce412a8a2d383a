//! A server whose description and transactions agree with each other, and not with what the user agreed to.

use serde_json::{Value, json};

use crate::fixture::{
    ATTACKER, BORROWER, CLAIM_AFTER, LENDER, Loan, coin, faults, key_text, ordinals, party, payment, verdict,
};

fn refusal(loan: &Loan) -> Vec<String> {
    faults(&verdict(&loan.borrower()))
}

fn with(change: impl Fn(&mut Value)) -> Vec<String> {
    let mut loan = Loan::manual();
    change(&mut loan.contract);
    refusal(&loan)
}

#[test]
fn other_terms_are_refused() {
    assert_eq!(with(|contract| contract["loanId"] = "ln_4e".into()), ["other_term"]);
    assert_eq!(with(|contract| contract["principalSats"] = 1_000_000.into()), ["other_term"]);
    assert_eq!(with(|contract| contract["payoutSats"] = 3_000_000.into()), ["other_term"]);
    assert_eq!(with(|contract| contract["claimAfterSeconds"] = (CLAIM_AFTER - 1).into()), ["other_term"]);
    assert_eq!(with(|contract| contract["feeRateSatPerKwu"] = 250_000.into()), ["other_term"]);
}

#[test]
fn another_key_of_the_borrower_is_refused() {
    let foreign = party(ATTACKER);
    let ordinals = with(|contract| contract["borrower"]["ordinalsKey"] = foreign["ordinalsKey"].clone());
    assert_eq!(ordinals, ["other_key"]);
    // The change and the principal would go to the attacker.
    let payment = with(|contract| contract["borrower"]["paymentKey"] = foreign["paymentKey"].clone());
    assert_eq!(payment, ["other_key"]);
}

#[test]
fn the_users_own_payment_key_on_the_other_side_is_refused() {
    let mut question = Loan::manual().borrower();
    question["task"]["contract"]["lender"]["paymentKey"] = key_text(payment(BORROWER));
    assert_eq!(faults(&verdict(&question)), ["other_key"]);
}

#[test]
fn a_claim_time_that_does_not_leave_the_term_is_refused_even_if_it_was_shown() {
    for (seconds, code) in [(-86_400 * 2, "claim_time"), (86_400 * 4, "claim_time")] {
        let mut loan = Loan::manual();
        let shown = i64::from(CLAIM_AFTER) + seconds;
        loan.contract["claimAfterSeconds"] = shown.into();
        loan.agreed["claimAfterSeconds"] = shown.into();
        assert_eq!(refusal(&loan), [code], "{seconds}");
    }
}

#[test]
fn coins_of_the_wrong_side_are_refused() {
    let mut question = Loan::manual().borrower();
    let coins = &mut question["task"]["contract"]["collateralCoins"];
    coins[0]["key"] = key_text(ordinals(ATTACKER));
    assert_eq!(faults(&verdict(&question)), ["foreign_coin"]);
    // A coin of the borrower as the lender's: the wallet would sign it away.
    let mut loan = Loan::manual();
    loan.contract["fundingCoins"] = json!([coin(18, payment(BORROWER), 3_000_000)]);
    let mut question = Loan::manual().borrower();
    question["task"]["contract"] = loan.contract;
    assert_eq!(faults(&verdict(&question)), ["unbuildable"]);
    let mut question = Loan::manual().lender();
    question["task"]["contract"]["fundingCoins"][0] = coin(12, payment(ATTACKER), 1_500_000);
    assert_eq!(faults(&verdict(&question)), ["foreign_coin"]);
}

#[test]
fn other_collateral_is_refused() {
    let mut moved = Loan::manual();
    moved.contract["collateralCoins"][0]["vout"] = 5.into();
    assert_eq!(refusal(&moved), ["collateral"]);
    let mut more = Loan::several();
    more.agreed["collateral"]["count"] = 1.into();
    assert_eq!(refusal(&more), ["collateral"]);
    let mut runes = Loan::runes();
    runes.contract["rune"]["amountRaw"] = "1000".into();
    assert_eq!(refusal(&runes), ["collateral"]);
    let mut runes = Loan::runes();
    runes.agreed["collateral"]["id"] = "840000:4".into();
    assert_eq!(refusal(&runes), ["collateral"]);
    let mut brc20 = Loan::brc20();
    brc20.agreed["collateral"]["ticker"] = "sats".into();
    assert_eq!(refusal(&brc20), ["collateral"]);
    let mut kind = Loan::runes();
    kind.agreed["collateral"] = Loan::manual().agreed["collateral"].clone();
    assert_eq!(refusal(&kind), ["collateral"]);
}

#[test]
fn another_platform_fee_is_refused_for_the_lender_who_pays_it() {
    let mut loan = Loan::manual();
    loan.contract["platformFee"]["sats"] = 14_000.into();
    assert_eq!(faults(&verdict(&loan.lender())), ["other_term"]);
    assert_eq!(refusal(&loan), [""; 0]);
}

#[test]
fn a_side_cannot_be_asked_the_question_of_the_other() {
    let mut question = Loan::manual().borrower();
    question["task"]["kind"] = "lend".into();
    assert_eq!(faults(&verdict(&question)), ["other_key"]);
    let mut question = Loan::manual().borrower();
    question["own"] = crate::fixture::own(LENDER);
    assert_eq!(faults(&verdict(&question)), ["other_key"]);
}
