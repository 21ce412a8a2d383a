//! The account of every sat of the participants, per transaction and in total.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use bitcoin::{OutPoint, TxOut, Txid};
use domain::{LoanId, ProcessType};

use crate::chain_walk::{ChainWalk, Mined};
use crate::journal_history::JournalHistory;
use crate::memory::Memory;
use crate::participants::{BORROWERS, LENDERS, Owner, Participants};

/// The amount below which no node relays an output to a participant.
pub(crate) const DUST_END_SATS: u64 = 330;

/// The owners' gains, by one transaction or by all.
type Gains = BTreeMap<Owner, i128>;

/// A check of every transaction in the blocks against its expected effect.
pub(crate) struct Money<'a> {
    pub(crate) participants: &'a Participants,
    pub(crate) walk: &'a ChainWalk,
    pub(crate) history: &'a JournalHistory,
    pub(crate) memory: &'a Memory,
    originated: HashMap<Txid, LoanId>,
    withdrawals: HashMap<Txid, (usize, u64)>,
    /// The escrows of all confirmed loans.
    escrows: HashMap<OutPoint, LoanId>,
}

impl<'a> Money<'a> {
    pub(crate) fn new(
        participants: &'a Participants,
        walk: &'a ChainWalk,
        history: &'a JournalHistory,
        memory: &'a Memory,
    ) -> Self {
        let originated: HashMap<Txid, LoanId> =
            history.loans.iter().filter_map(|(id, loan)| Some((loan.txid?, *id))).collect();
        let mined = walk.mined.iter().filter_map(|mined| Some((originated.get(&mined.txid())?, mined)));
        let escrows = mined.map(|(id, mined)| (mined.escrow(participants), *id)).collect();
        let withdrawals = history.vaults.iter().flat_map(|(user, vault)| {
            let lender = participants.lender(*user);
            vault.withdrawals.values().map(move |(txid, amount)| (*txid, (lender, *amount)))
        });
        Self { participants, walk, history, memory, withdrawals: withdrawals.collect(), originated, escrows }
    }

    /// Checks that every transaction has its expected effect, and that the sums equal the balances, to the sat.
    pub(crate) fn check(&self) {
        let mut sums = Gains::new();
        for mined in &self.walk.mined {
            let gains = self.expected(mined);
            for owner in all_owners() {
                let expected = gains.get(&owner).copied().unwrap_or_default();
                let found = mined.gain(self.participants, owner);
                assert_eq!(found, expected, "{owner:?} by {} of block {}", mined.txid(), mined.height);
                *sums.entry(owner).or_default() += expected;
            }
        }
        for owner in all_owners() {
            let found = i128::from(self.walk.balance(self.participants, owner));
            assert_eq!(found, sums[&owner], "{owner:?}");
        }
        assert_eq!(
            sums[&Owner::Platform],
            self.fees_of_originated_loans(),
            "the platform gets its fees and nothing else"
        );
    }

    fn fees_of_originated_loans(&self) -> i128 {
        let originated = self.escrows.values().map(|id| i128::from(self.history.loans[id].deal.platform_fee.get()));
        originated.sum()
    }

    /// Returns the gains expected of a transaction, independently of the server.
    fn expected(&self, mined: &Mined) -> Gains {
        let mut gains = Gains::new();
        let spent: Vec<(usize, LoanId)> = self.spent_escrows(mined);
        if let Some(id) = self.originated.get(&mined.txid()) {
            self.begin(*id, mined, &spent, &mut gains);
        } else if let [(input, id)] = spent[..]
            && mined.is_claim(input)
        {
            let escrow = i128::from(mined.spent[input].value.to_sat());
            *gains.entry(self.lender_of(id)).or_default() += escrow - i128::from(mined.fee);
        } else if let Some((_, first)) = spent.first() {
            for (input, id) in &spent {
                assert!(!mined.is_claim(*input), "a claim is alone");
                self.repay(*id, i128::from(mined.spent[*input].value.to_sat()), &mut gains);
            }
            *gains.entry(self.borrower_of(*first)).or_default() -= i128::from(mined.fee);
        } else {
            self.move_money(mined, &mut gains);
        }
        gains
    }

    fn spent_escrows(&self, mined: &Mined) -> Vec<(usize, LoanId)> {
        let inputs = mined.transaction.input.iter().enumerate();
        inputs.filter_map(|(index, input)| Some((index, *self.escrows.get(&input.previous_output)?))).collect()
    }

    fn begin(&self, id: LoanId, mined: &Mined, spent: &[(usize, LoanId)], gains: &mut Gains) {
        let deal = &self.history.loans[&id].deal;
        let lender = self.participants.lender(deal.lender);
        let payer = if deal.process == ProcessType::Instant { Owner::Vault(lender) } else { Owner::Lender(lender) };
        let (principal, fee) = (i128::from(deal.principal.get()), i128::from(deal.platform_fee.get()));
        let escrow = mined.output(mined.escrow(self.participants)).value.to_sat();
        // Change below the dust limit goes to the fee, and the vault pays for splitting its change.
        let is_without_change = mined.pays_to(self.participants, payer) == 0;
        let dust = -mined.gain(self.participants, payer) - principal - fee;
        let is_meant = if is_without_change {
            (0..i128::from(DUST_END_SATS)).contains(&dust)
        } else {
            mined.is_cost_of_split(self.participants, payer, dust)
        };
        let dust = if is_meant { dust } else { 0 };
        *gains.entry(payer).or_default() -= principal + fee + dust;
        *gains.entry(Owner::Platform).or_default() += fee;
        let miners = i128::from(mined.fee) - dust;
        *gains.entry(self.borrower_of(id)).or_default() += principal - i128::from(escrow) - miners;
        let follows: Vec<LoanId> = spent.iter().map(|(_, id)| *id).collect();
        assert_eq!(follows, deal.follows.into_iter().collect::<Vec<_>>(), "the loans that {id} replaces");
        for (input, replaced) in spent {
            self.repay(*replaced, i128::from(mined.spent[*input].value.to_sat()), gains);
        }
    }

    fn repay(&self, id: LoanId, escrow: i128, gains: &mut Gains) {
        let payout = i128::from(self.history.loans[&id].deal.payout().get());
        *gains.entry(self.lender_of(id)).or_default() += payout;
        *gains.entry(self.borrower_of(id)).or_default() += escrow - payout;
    }

    fn lender_of(&self, id: LoanId) -> Owner {
        Owner::Lender(self.participants.lender(self.history.loans[&id].deal.lender))
    }

    fn borrower_of(&self, id: LoanId) -> Owner {
        Owner::Borrower(self.participants.borrower(self.history.loans[&id].deal.borrower))
    }

    /// Adds the gains of a transaction that concerns no loan.
    fn move_money(&self, mined: &Mined, gains: &mut Gains) {
        let givers: BTreeSet<Option<Owner>> =
            mined.spent.iter().map(|output| self.participants.owner_of(&output.script_pubkey)).collect();
        let miners = i128::from(mined.fee);
        if let Some((lender, amount)) = self.withdrawals.get(&mined.txid()) {
            assert_eq!(givers, [Some(Owner::Vault(*lender))].into());
            *gains.entry(Owner::Vault(*lender)).or_default() -= i128::from(*amount);
            *gains.entry(Owner::Lender(*lender)).or_default() += i128::from(*amount) - miners;
        } else if let Some((from, to, sats)) = self.memory.gifts.get(&mined.txid()) {
            assert_eq!(givers, [Some(*from)].into());
            *gains.entry(*from).or_default() -= i128::from(*sats) + miners;
            *gains.entry(*to).or_default() += i128::from(*sats);
        } else if givers.iter().all(Option::is_none) {
            // From an outsider.
            for output in &mined.transaction.output {
                if let Some(owner) = self.participants.owner_of(&output.script_pubkey) {
                    *gains.entry(owner).or_default() += i128::from(output.value.to_sat());
                }
            }
        } else {
            let lender = givers.iter().find_map(|giver| match giver {
                Some(Owner::Lender(lender)) if givers.len() == 1 => Some(*lender),
                _ => None,
            });
            let lender = lender.unwrap_or_else(|| panic!("no client requested {}: {mined:?}", mined.txid()));
            // A deposit: the first output, or several.
            let outputs = mined.transaction.output.iter();
            let is_paid_in =
                |output: &&TxOut| self.participants.owner_of(&output.script_pubkey) == Some(Owner::Vault(lender));
            let paid_in = outputs.take_while(is_paid_in).map(|output| i128::from(output.value.to_sat()));
            let sats: i128 = paid_in.sum();
            assert!(sats > 0, "{mined:?}");
            *gains.entry(Owner::Vault(lender)).or_default() += sats;
            *gains.entry(Owner::Lender(lender)).or_default() -= sats + miners;
        }
    }

    /// Returns the confirmed escrows, by loan.
    pub(crate) fn escrows(&self) -> HashMap<LoanId, OutPoint> {
        self.escrows.iter().map(|(escrow, id)| (*id, *escrow)).collect()
    }
}

fn all_owners() -> impl Iterator<Item = Owner> {
    let lenders = (0..LENDERS).flat_map(|lender| [Owner::Lender(lender), Owner::Vault(lender)]);
    lenders.chain((0..BORROWERS).map(Owner::Borrower)).chain([Owner::Platform])
}
