//! The conclusions from an observation of a loan: pure, one step at a time.

use bitcoin::Transaction;
use domain::{Ending, LoanAccount, LoanEvent, LoanStage, Mined, UnixMs};

use super::sight::{Missing, Sight, Whereabouts};
use crate::depth::{BURIED, SEALED};

/// A step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Broadcasts transactions that the node lacks.
    Send(Vec<Transaction>),
    /// An event of the loan alone.
    Loan(LoanEvent),
    /// A confirmed transaction has ended it.
    End {
        /// The kind of the ending.
        ending: Ending,
        /// The txid of the ending transaction.
        txid: [u8; 32],
        /// Its block.
        mined: Mined,
    },
    /// It can never be originated.
    Fail,
    /// It is over and buried, and is no longer watched.
    Bury,
}

/// Returns the next step; `None` when there is nothing to do. `missing` is the number of blocks since a coin went
/// missing.
pub(super) fn decide(loan: &LoanAccount, observation: &Sight, now: UnixMs, height: u32, missing: u32) -> Option<Step> {
    match loan.stage {
        LoanStage::Broadcast => unconfirmed(observation, missing),
        LoanStage::Active | LoanStage::Expired | LoanStage::Repaying | LoanStage::Claiming => running(loan, observation, now),
        LoanStage::Repaid | LoanStage::Claimed => over(loan, observation, height),
        LoanStage::Prepared
        | LoanStage::AwaitingLender
        | LoanStage::Cancelled
        | LoanStage::Lapsed
        | LoanStage::Failed => None,
    }
}

fn unconfirmed(observation: &Sight, missing: u32) -> Option<Step> {
    match observation.begun {
        Whereabouts::Confirmed(mined) => Some(Step::Loan(LoanEvent::Confirmed(mined))),
        Whereabouts::Waiting => None,
        Whereabouts::Nowhere => match observation.missing {
            None => Some(Step::Send(observation.transactions.clone())),
            Some(why) => (missing >= blocks_until_failed(why)).then_some(Step::Fail),
        },
    }
}

/// Returns the number of blocks for which a coin must have been missing until the loan fails: a coin spent in a block
/// is gone when that is buried, but a parent that was dropped may be broadcast again, which would originate the loan
/// after all.
const fn blocks_until_failed(why: Missing) -> u32 {
    match why {
        Missing::Spent => BURIED,
        Missing::Forgotten => SEALED,
    }
}

fn running(loan: &LoanAccount, observation: &Sight, now: UnixMs) -> Option<Step> {
    match (observation.begun, loan.began) {
        (Whereabouts::Confirmed(found), Some(known)) if found == known => {}
        // A reorg disconnected its block, or it is in another one: the term starts again with that.
        _ => return Some(Step::Loan(LoanEvent::Unconfirmed)),
    }
    if let Some(spent) = &observation.spent {
        let txid = crate::outpoint::to_domain(bitcoin::OutPoint::new(spent.txid, 0)).txid;
        return Some(Step::End { ending: spent.ending, txid, mined: spent.mined });
    }
    let waits = matches!(loan.stage, LoanStage::Repaying | LoanStage::Claiming);
    if waits && observation.ending == Whereabouts::Nowhere {
        return match &observation.end {
            Some(end) if !observation.is_end_impossible => Some(Step::Send(vec![end.clone()])),
            _ => Some(Step::Loan(LoanEvent::EndingDropped)),
        };
    }
    let is_due = loan.stage == LoanStage::Active && loan.due_at().is_some_and(|due| due <= now);
    is_due.then_some(Step::Loan(LoanEvent::Expired))
}

fn over(loan: &LoanAccount, observation: &Sight, height: u32) -> Option<Step> {
    let known = loan.end.as_ref().and_then(|end| end.mined);
    match (&observation.spent, known) {
        (Some(spent), Some(known)) if spent.mined == known => {
            let depth = height.saturating_sub(known.height).saturating_add(1);
            (depth >= BURIED).then_some(Step::Bury)
        }
        _ => Some(Step::Loan(LoanEvent::EndUndone)),
    }
}

#[cfg(test)]
mod tests {
    use bitcoin::hashes::Hash as _;
    use bitcoin::transaction::Version;
    use bitcoin::{Txid, absolute};
    use domain::{
        EndingTransaction, GroupId, InterestRate, LoanDeal, LoanId, OfferId, ProcessType, Sats, SubCollectionId,
        TermDays, UserId,
    };

    use super::super::sight::Spent;
    use super::*;

    const DAY_MS: u64 = 86_400_000;
    const BEGAN: Mined = Mined { height: 100, at: UnixMs(1_000 * DAY_MS) };
    const ELSEWHERE: Mined = Mined { height: 102, at: UnixMs(1_001 * DAY_MS) };
    const ENDED: Mined = Mined { height: 200, at: UnixMs(1_005 * DAY_MS) };
    const STAGES: [LoanStage; 12] = [
        LoanStage::Prepared,
        LoanStage::AwaitingLender,
        LoanStage::Broadcast,
        LoanStage::Active,
        LoanStage::Expired,
        LoanStage::Repaying,
        LoanStage::Claiming,
        LoanStage::Repaid,
        LoanStage::Claimed,
        LoanStage::Cancelled,
        LoanStage::Lapsed,
        LoanStage::Failed,
    ];

    fn transaction(number: i32) -> Transaction {
        Transaction { version: Version(number), lock_time: absolute::LockTime::ZERO, input: vec![], output: vec![] }
    }

    fn spender(ending: Ending, mined: Mined) -> Spent {
        Spent { ending, txid: Txid::from_byte_array([9; 32]), mined }
    }

    /// A loan of seven days in a stage, with the data of that stage.
    fn loan(stage: LoanStage) -> LoanAccount {
        use LoanStage::{Active, Claimed, Claiming, Expired, Repaid, Repaying};
        let deal = LoanDeal {
            offer: OfferId::new(GroupId(1), 1).unwrap(),
            sub_collection: SubCollectionId(0),
            process: ProcessType::Manual,
            lender: UserId(1),
            borrower: UserId(2),
            principal: Sats::new(1_000_000),
            rate: InterestRate::from_basis_points(120),
            interest: Sats::new(12_000),
            platform_fee: Sats::ZERO,
            pledged_raw: 1,
            pledged_id: String::new(),
            term: TermDays(7),
            claim_after: UnixMs(1_009 * DAY_MS),
            follows: None,
        };
        let prepared = LoanEvent::Prepared { deal: Box::new(deal), contract: String::new(), expires_at: BEGAN.at };
        let mut loan = LoanAccount::open(LoanId(1), &prepared, UnixMs(0)).unwrap();
        loan.stage = stage;
        if matches!(stage, Active | Expired | Repaying | Claiming | Repaid | Claimed) {
            loan.began = Some(BEGAN);
        }
        if matches!(stage, Repaying | Claiming | Repaid | Claimed) {
            let ending = if matches!(stage, Claiming | Claimed) { Ending::Claim } else { Ending::Repayment };
            let mined = matches!(stage, Repaid | Claimed).then_some(ENDED);
            loan.end = Some(EndingTransaction { ending, txid: [9; 32], transaction: None, mined });
        }
        loan
    }

    /// An observation without deviations for a running loan.
    fn undisturbed() -> Sight {
        Sight { transactions: vec![transaction(1)], begun: Whereabouts::Confirmed(BEGAN), ..Sight::default() }
    }

    fn early(stage: LoanStage, observation: &Sight, missing: u32) -> Option<Step> {
        decide(&loan(stage), observation, BEGAN.at, 204, missing)
    }

    #[test]
    fn a_broadcast_loan_waits_for_its_block_and_is_sent_again_until_a_node_has_it() {
        let unknown = Sight { begun: Whereabouts::Nowhere, ..undisturbed() };
        let spent = Sight { missing: Some(Missing::Spent), ..unknown.clone() };
        let dropped = Sight { missing: Some(Missing::Forgotten), ..unknown.clone() };
        let rows = [
            (undisturbed(), 0, Some(Step::Loan(LoanEvent::Confirmed(BEGAN)))),
            (Sight { begun: Whereabouts::Waiting, ..undisturbed() }, 0, None),
            (Sight { begun: Whereabouts::Waiting, missing: Some(Missing::Spent), ..undisturbed() }, 999, None),
            (unknown, 0, Some(Step::Send(vec![transaction(1)]))),
            (spent.clone(), 0, None),
            (spent.clone(), BURIED - 1, None),
            (spent, BURIED, Some(Step::Fail)),
            (dropped.clone(), SEALED - 1, None),
            (dropped, SEALED, Some(Step::Fail)),
        ];
        for (observation, missing, step) in rows {
            assert_eq!(early(LoanStage::Broadcast, &observation, missing), step, "{observation:?}");
        }
    }

    #[test]
    fn a_running_loan_ends_only_by_a_confirmed_transaction() {
        use LoanStage::{Active, Claiming, Expired, Repaying};
        let repaid = Step::End { ending: Ending::Repayment, txid: [9; 32], mined: ENDED };
        let claimed = Step::End { ending: Ending::Claim, txid: [9; 32], mined: ENDED };
        for stage in [Active, Expired, Repaying, Claiming] {
            let unconfirmed = Some(Step::Loan(LoanEvent::Unconfirmed));
            for begun in [Whereabouts::Nowhere, Whereabouts::Waiting, Whereabouts::Confirmed(ELSEWHERE)] {
                let observation = Sight { begun, spent: Some(spender(Ending::Claim, ENDED)), ..undisturbed() };
                assert_eq!(early(stage, &observation, 0), unconfirmed, "{stage} {begun:?}");
            }
            let by = |ending| Sight { spent: Some(spender(ending, ENDED)), ..undisturbed() };
            assert_eq!(early(stage, &by(Ending::Repayment), 0), Some(repaid.clone()));
            assert_eq!(early(stage, &by(Ending::Claim), 0), Some(claimed.clone()));
        }
    }

    #[test]
    fn an_ending_transaction_is_sent_again_until_it_is_impossible() {
        let (end, dropped) = (Some(transaction(7)), Some(Step::Loan(LoanEvent::EndingDropped)));
        let send = Some(Step::Send(vec![transaction(7)]));
        let unknown = Sight { end: end.clone(), ..undisturbed() };
        let rows = [
            (Sight { ending: Whereabouts::Waiting, ..unknown.clone() }, None),
            (unknown.clone(), send),
            (Sight { is_end_impossible: true, ..unknown }, dropped.clone()),
            (Sight { end: None, ..undisturbed() }, dropped),
        ];
        for (observation, step) in rows {
            for stage in [LoanStage::Repaying, LoanStage::Claiming] {
                assert_eq!(early(stage, &observation, 0), step, "{stage} {observation:?}");
            }
            assert_eq!(early(LoanStage::Active, &observation, 0), None, "no ending is in progress");
        }
    }

    #[test]
    fn a_term_is_over_from_its_last_moment_on() {
        let due = BEGAN.at.plus_ms(7 * DAY_MS);
        let at = |stage, now| decide(&loan(stage), &undisturbed(), now, 204, 0);
        assert_eq!(at(LoanStage::Active, UnixMs(due.0 - 1)), None);
        assert_eq!(at(LoanStage::Active, due), Some(Step::Loan(LoanEvent::Expired)));
        assert_eq!(at(LoanStage::Expired, due), None, "it is known");
    }

    #[test]
    fn an_end_is_watched_until_it_is_buried() {
        for (stage, ending) in [(LoanStage::Repaid, Ending::Repayment), (LoanStage::Claimed, Ending::Claim)] {
            let disconnected = Some(Step::Loan(LoanEvent::EndUndone));
            let observation = |mined| Sight { spent: Some(spender(ending, mined)), ..undisturbed() };
            assert_eq!(decide(&loan(stage), &undisturbed(), ENDED.at, 204, 0), disconnected);
            assert_eq!(decide(&loan(stage), &observation(ELSEWHERE), ENDED.at, 204, 0), disconnected);
            assert_eq!(decide(&loan(stage), &observation(ENDED), ENDED.at, 204, 0), None, "five blocks");
            assert_eq!(decide(&loan(stage), &observation(ENDED), ENDED.at, 205, 0), Some(Step::Bury), "six blocks");
        }
    }

    /// All possible observations, once each.
    fn observations() -> Vec<Sight> {
        let statuses = [
            Whereabouts::Nowhere,
            Whereabouts::Waiting,
            Whereabouts::Confirmed(BEGAN),
            Whereabouts::Confirmed(ELSEWHERE),
            Whereabouts::Confirmed(ENDED),
        ];
        let spends = [
            None,
            Some(spender(Ending::Repayment, ENDED)),
            Some(spender(Ending::Claim, ENDED)),
            Some(spender(Ending::Refinance(LoanId(2)), ELSEWHERE)),
        ];
        let mut all = Vec::new();
        for (begun, ending) in statuses.iter().flat_map(|begun| statuses.iter().map(move |ending| (*begun, *ending))) {
            for spent in &spends {
                for bits in 0..12_u8 {
                    let [is_end_impossible, is_made] = [1, 2].map(|bit| bits & bit != 0);
                    let missing = [None, Some(Missing::Spent), Some(Missing::Forgotten)][usize::from(bits / 4)];
                    let (spent, end) = (spent.clone(), is_made.then(|| transaction(7)));
                    let transactions = vec![transaction(1)];
                    all.push(Sight { transactions, begun, missing, ending, end, is_end_impossible, spent });
                }
            }
        }
        all
    }

    #[test]
    fn no_observation_of_any_loan_leads_to_a_step_that_its_stage_forbids() {
        let (mut steps, mut asked) = (0_u32, 0_u32);
        for observation in observations() {
            for stage in STAGES {
                for (now, missing) in [(BEGAN.at, 0), (ENDED.at, BURIED - 1), (UnixMs(2_000 * DAY_MS), SEALED)] {
                    let loan = loan(stage);
                    asked += 1;
                    let Some(step) = decide(&loan, &observation, now, 205, missing) else { continue };
                    steps += 1;
                    let event = match step {
                        Step::Loan(event) => event,
                        Step::End { ending, txid, mined } => LoanEvent::Ended { ending, txid, mined },
                        Step::Fail => LoanEvent::Failed,
                        Step::Send(transactions) => {
                            assert!(stage.is_running() && !transactions.is_empty(), "{stage} {observation:?}");
                            continue;
                        }
                        Step::Bury => {
                            assert!(stage.is_over(), "{stage} {observation:?}");
                            continue;
                        }
                    };
                    assert_eq!(loan.check(&event, now), Ok(()), "{stage} {observation:?}");
                }
            }
        }
        assert_eq!(asked, 5 * 5 * 4 * 12 * 12 * 3);
        assert!(steps > asked / 4 && steps < asked * 2 / 3, "{steps} of {asked}");
    }
}
