//! The conclusions from an observation of a loan: pure, one step at a time.

use bitcoin::Transaction;
use domain::{BlockTime, Ending, LoanAccount, LoanEvent, LoanStage, UnixMs};

use super::observation::{LoanObservation, MissingInput, TxStatus};
use crate::lookups::confirmations::{EXPECTED_REORG_MAX, REORG_DEPTH_MAX, SETTLEMENT_CONFIRMATIONS};

/// A step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Broadcasts transactions that the node lacks.
    Broadcast(Vec<Transaction>),
    /// An event of the loan alone.
    Event(LoanEvent),
    /// A confirmed transaction has ended it.
    End {
        /// The kind of the ending.
        ending: Ending,
        /// The txid of the ending transaction.
        txid: [u8; 32],
        /// Its block.
        mined: BlockTime,
    },
    /// It can never be originated.
    Fail,
    /// It is over and settled, and is no longer watched.
    Unwatch,
}

/// Returns the next step; `None` when there is nothing to do. `missing` is the number of blocks since a coin went
/// missing.
pub(super) fn decide(
    loan: &LoanAccount,
    observation: &LoanObservation,
    now: UnixMs,
    height: u32,
    missing: u32,
) -> Option<Step> {
    match loan.stage {
        LoanStage::Broadcast => unconfirmed(observation, missing),
        LoanStage::Active | LoanStage::Expired | LoanStage::Repaying | LoanStage::Claiming => {
            running(loan, observation, now)
        }
        LoanStage::Repaid | LoanStage::Claimed => over(loan, observation, height),
        LoanStage::Prepared
        | LoanStage::AwaitingLender
        | LoanStage::Cancelled
        | LoanStage::Lapsed
        | LoanStage::Failed => None,
    }
}

fn unconfirmed(observation: &LoanObservation, missing: u32) -> Option<Step> {
    match observation.origination {
        TxStatus::Confirmed(mined) => Some(Step::Event(LoanEvent::Confirmed(mined))),
        TxStatus::InMempool => None,
        TxStatus::Unknown => match observation.missing {
            None => Some(Step::Broadcast(observation.transactions.clone())),
            Some(why) => (missing >= blocks_until_failed(why)).then_some(Step::Fail),
        },
    }
}

/// Returns the number of blocks for which a coin must have been missing until the loan fails: a coin spent in a block
/// is gone when that has settled, and the block by which it was missing is its first confirmation, so that six more make seven.
/// But a parent that was dropped may be broadcast again, which would originate the loan after all.
const fn blocks_until_failed(why: MissingInput) -> u32 {
    match why {
        MissingInput::Spent => EXPECTED_REORG_MAX,
        MissingInput::ParentDropped => REORG_DEPTH_MAX,
    }
}

fn running(loan: &LoanAccount, observation: &LoanObservation, now: UnixMs) -> Option<Step> {
    match (observation.origination, loan.began) {
        (TxStatus::Confirmed(found), Some(known)) if found == known => {}
        // A reorg disconnected its block, or it is in another one: the term starts again with that.
        _ => return Some(Step::Event(LoanEvent::Unconfirmed)),
    }
    if let Some(spent) = &observation.escrow_spend {
        let txid = crate::records::outpoint::to_domain(bitcoin::OutPoint::new(spent.txid, 0)).txid;
        return Some(Step::End { ending: spent.ending, txid, mined: spent.mined });
    }
    let waits = matches!(loan.stage, LoanStage::Repaying | LoanStage::Claiming);
    if waits && observation.ending_status == TxStatus::Unknown {
        return match &observation.ending_transaction {
            Some(end) if !observation.is_ending_impossible => Some(Step::Broadcast(vec![end.clone()])),
            _ => Some(Step::Event(LoanEvent::EndingDropped)),
        };
    }
    let is_due = loan.stage == LoanStage::Active && loan.due_at().is_some_and(|due| due <= now);
    is_due.then_some(Step::Event(LoanEvent::Expired))
}

fn over(loan: &LoanAccount, observation: &LoanObservation, height: u32) -> Option<Step> {
    let known = loan.end.as_ref().and_then(|end| end.mined);
    match (&observation.escrow_spend, known) {
        (Some(spent), Some(known)) if spent.mined == known => {
            let depth = height.saturating_sub(known.height).saturating_add(1);
            (depth >= SETTLEMENT_CONFIRMATIONS).then_some(Step::Unwatch)
        }
        _ => Some(Step::Event(LoanEvent::EndUnconfirmed)),
    }
}

#[cfg(test)]
mod tests {
    use bitcoin::hashes::Hash as _;
    use bitcoin::transaction::Version;
    use bitcoin::{Txid, absolute};
    use domain::{
        DAY_MS, EndingTransaction, GroupId, InterestRate, LoanDeal, LoanId, OfferId, PledgedIds, ProcessType, Sats,
        SubCollectionId, TermDays, UserId,
    };

    use super::super::observation::EscrowSpend;
    use super::*;

    const BEGAN: BlockTime = BlockTime { height: 100, at: UnixMs(1_000 * DAY_MS) };
    const ELSEWHERE: BlockTime = BlockTime { height: 102, at: UnixMs(1_001 * DAY_MS) };
    const ENDED: BlockTime = BlockTime { height: 200, at: UnixMs(1_005 * DAY_MS) };
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

    fn spender(ending: Ending, mined: BlockTime) -> EscrowSpend {
        EscrowSpend { ending, txid: Txid::from_byte_array([9; 32]), mined }
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
            pledged_ids: PledgedIds::default(),
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
    fn undisturbed() -> LoanObservation {
        LoanObservation {
            transactions: vec![transaction(1)],
            origination: TxStatus::Confirmed(BEGAN),
            ..LoanObservation::default()
        }
    }

    fn early(stage: LoanStage, observation: &LoanObservation, missing: u32) -> Option<Step> {
        decide(&loan(stage), observation, BEGAN.at, 204, missing)
    }

    #[test]
    fn a_broadcast_loan_waits_for_its_block_and_is_sent_again_until_a_node_has_it() {
        let unknown = LoanObservation { origination: TxStatus::Unknown, ..undisturbed() };
        let spent = LoanObservation { missing: Some(MissingInput::Spent), ..unknown.clone() };
        let dropped = LoanObservation { missing: Some(MissingInput::ParentDropped), ..unknown.clone() };
        let rows = [
            (undisturbed(), 0, Some(Step::Event(LoanEvent::Confirmed(BEGAN)))),
            (LoanObservation { origination: TxStatus::InMempool, ..undisturbed() }, 0, None),
            (
                LoanObservation {
                    origination: TxStatus::InMempool,
                    missing: Some(MissingInput::Spent),
                    ..undisturbed()
                },
                999,
                None,
            ),
            (unknown, 0, Some(Step::Broadcast(vec![transaction(1)]))),
            (spent.clone(), 0, None),
            (spent.clone(), EXPECTED_REORG_MAX - 1, None),
            (spent, EXPECTED_REORG_MAX, Some(Step::Fail)),
            (dropped.clone(), REORG_DEPTH_MAX - 1, None),
            (dropped, REORG_DEPTH_MAX, Some(Step::Fail)),
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
            let unconfirmed = Some(Step::Event(LoanEvent::Unconfirmed));
            for origination in [TxStatus::Unknown, TxStatus::InMempool, TxStatus::Confirmed(ELSEWHERE)] {
                let observation =
                    LoanObservation { origination, escrow_spend: Some(spender(Ending::Claim, ENDED)), ..undisturbed() };
                assert_eq!(early(stage, &observation, 0), unconfirmed, "{stage} {origination:?}");
            }
            let by = |ending| LoanObservation { escrow_spend: Some(spender(ending, ENDED)), ..undisturbed() };
            assert_eq!(early(stage, &by(Ending::Repayment), 0), Some(repaid.clone()));
            assert_eq!(early(stage, &by(Ending::Claim), 0), Some(claimed.clone()));
        }
    }

    #[test]
    fn an_ending_transaction_is_sent_again_until_it_is_impossible() {
        let (end, dropped) = (Some(transaction(7)), Some(Step::Event(LoanEvent::EndingDropped)));
        let send = Some(Step::Broadcast(vec![transaction(7)]));
        let unknown = LoanObservation { ending_transaction: end.clone(), ..undisturbed() };
        let rows = [
            (LoanObservation { ending_status: TxStatus::InMempool, ..unknown.clone() }, None),
            (unknown.clone(), send),
            (LoanObservation { is_ending_impossible: true, ..unknown }, dropped.clone()),
            (LoanObservation { ending_transaction: None, ..undisturbed() }, dropped),
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
        assert_eq!(at(LoanStage::Active, due), Some(Step::Event(LoanEvent::Expired)));
        assert_eq!(at(LoanStage::Expired, due), None, "it is known");
    }

    #[test]
    fn an_end_is_watched_until_it_is_buried() {
        for (stage, ending) in [(LoanStage::Repaid, Ending::Repayment), (LoanStage::Claimed, Ending::Claim)] {
            let disconnected = Some(Step::Event(LoanEvent::EndUnconfirmed));
            let observation = |mined| LoanObservation { escrow_spend: Some(spender(ending, mined)), ..undisturbed() };
            assert_eq!(decide(&loan(stage), &undisturbed(), ENDED.at, 204, 0), disconnected);
            assert_eq!(decide(&loan(stage), &observation(ELSEWHERE), ENDED.at, 204, 0), disconnected);
            assert_eq!(
                decide(&loan(stage), &observation(ENDED), ENDED.at, 205, 0),
                None,
                "a reorg of six blocks disconnects it"
            );
            assert_eq!(decide(&loan(stage), &observation(ENDED), ENDED.at, 206, 0), Some(Step::Unwatch));
        }
    }

    /// All possible observations, once each.
    fn observations() -> Vec<LoanObservation> {
        let statuses = [
            TxStatus::Unknown,
            TxStatus::InMempool,
            TxStatus::Confirmed(BEGAN),
            TxStatus::Confirmed(ELSEWHERE),
            TxStatus::Confirmed(ENDED),
        ];
        let spends = [
            None,
            Some(spender(Ending::Repayment, ENDED)),
            Some(spender(Ending::Claim, ENDED)),
            Some(spender(Ending::Refinance(LoanId(2)), ELSEWHERE)),
        ];
        let mut all = Vec::new();
        for (origination, ending_status) in
            statuses.iter().flat_map(|begun| statuses.iter().map(move |ending| (*begun, *ending)))
        {
            for spent in &spends {
                for bits in 0..12_u8 {
                    let [is_ending_impossible, is_made] = [1, 2].map(|bit| bits & bit != 0);
                    let missing =
                        [None, Some(MissingInput::Spent), Some(MissingInput::ParentDropped)][usize::from(bits / 4)];
                    let (escrow_spend, ending_transaction) = (spent.clone(), is_made.then(|| transaction(7)));
                    let transactions = vec![transaction(1)];
                    all.push(LoanObservation {
                        transactions,
                        origination,
                        missing,
                        ending_status,
                        ending_transaction,
                        is_ending_impossible,
                        escrow_spend,
                    });
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
                for (now, missing) in
                    [(BEGAN.at, 0), (ENDED.at, EXPECTED_REORG_MAX - 1), (UnixMs(2_000 * DAY_MS), REORG_DEPTH_MAX)]
                {
                    let loan = loan(stage);
                    asked += 1;
                    let Some(step) = decide(&loan, &observation, now, 206, missing) else { continue };
                    steps += 1;
                    let event = match step {
                        Step::Event(event) => event,
                        Step::End { ending, txid, mined } => LoanEvent::Ended { ending, txid, mined },
                        Step::Fail => LoanEvent::Failed,
                        Step::Broadcast(transactions) => {
                            assert!(stage.is_running() && !transactions.is_empty(), "{stage} {observation:?}");
                            continue;
                        }
                        Step::Unwatch => {
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
