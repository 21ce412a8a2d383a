//! BRC-20 by its published rules: balances by script, and transfer inscriptions that their first move consumes.

use bitcoin::ScriptBuf;
use engine::asset_index::{Brc20Balance, InscriptionId, TransferInscription};

use super::brc20_operation::{Operation, operation};
use super::inscriptions::{InscriptionMove, Revealed};
use crate::reversible_map::ReversibleMap;

/// A deployed ticker and the amount minted.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Deployment {
    /// The inscription that deployed it.
    id: InscriptionId,
    max: u128,
    /// The most that one mint gives.
    limit: u128,
    decimals: u8,
    is_self_mint: bool,
    minted: u128,
}

/// All tickers, balances and transfer inscriptions.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Brc20Ledger {
    tickers: ReversibleMap<String, Deployment>,
    balances: ReversibleMap<(ScriptBuf, String), Brc20Balance>,
    notes: ReversibleMap<InscriptionId, TransferInscription>,
}

impl Brc20Ledger {
    pub(crate) fn balance(&self, owner: &ScriptBuf, ticker: &str) -> Brc20Balance {
        self.balances.get(&(owner.clone(), ticker.to_lowercase())).copied().unwrap_or_default()
    }

    pub(crate) fn note(&self, id: InscriptionId) -> Option<TransferInscription> {
        self.notes.get(&id).cloned()
    }

    /// The minted amount of a ticker, in raw units.
    pub(crate) fn minted(&self, ticker: &str) -> Option<u128> {
        self.tickers.get(&ticker.to_lowercase()).map(|deployment| deployment.minted)
    }

    pub(crate) fn disconnect(&mut self) {
        self.tickers.undo();
        self.balances.undo();
        self.notes.undo();
    }

    /// Applies the inscriptions of a block, in their order.
    pub(crate) fn connect(&mut self, moves: &[InscriptionMove]) {
        self.tickers.begin();
        self.balances.begin();
        self.notes.begin();
        for InscriptionMove { id, revealed, owner } in moves {
            match (revealed, owner) {
                (None, to) => self.consume_transfer(*id, to.as_ref()),
                // An inscription that is revealed into a fee has no owner and no effect.
                (Some(revealed), Some(owner)) => {
                    // A refused operation has no effect: it is checked before anything changes.
                    let _refused = self.apply_operation(*id, revealed, owner);
                }
                (Some(_), None) => {}
            }
        }
    }

    fn apply_operation(&mut self, id: InscriptionId, revealed: &Revealed, owner: &ScriptBuf) -> Option<()> {
        if revealed.is_irregular {
            return None;
        }
        match operation(&revealed.envelope)? {
            Operation::Deploy { ticker, max, limit, decimals, is_self_mint } => {
                let is_new = self.tickers.get(&ticker).is_none();
                let deployment = Deployment { id, max, limit, decimals, is_self_mint, minted: 0 };
                is_new.then(|| self.tickers.insert(ticker, deployment))
            }
            Operation::Mint { ticker, amount } => {
                let mut deployment = self.tickers.get(&ticker)?.clone();
                let amount = amount.raw(deployment.decimals)?;
                let is_allowed = !deployment.is_self_mint || revealed.parents.contains(&deployment.id);
                let left = deployment.max.checked_sub(deployment.minted).filter(|left| *left > 0 && is_allowed)?;
                if amount > deployment.limit {
                    return None;
                }
                // The last mint gets the rest.
                let amount = amount.min(left);
                deployment.minted = deployment.minted.checked_add(amount)?;
                self.tickers.insert(ticker.clone(), deployment);
                self.change(owner, &ticker, |balance| balance.available = balance.available.saturating_add(amount));
                Some(())
            }
            Operation::Transfer { ticker, amount } => {
                let amount = amount.raw(self.tickers.get(&ticker)?.decimals)?;
                let available = self.balance(owner, &ticker).available.checked_sub(amount)?;
                self.change(owner, &ticker, |balance| {
                    balance.available = available;
                    balance.transferable = balance.transferable.saturating_add(amount);
                });
                let note = TransferInscription { ticker, amount, owner: owner.clone(), is_used: false };
                self.notes.insert(id, note);
                Some(())
            }
        }
    }

    /// Pays the receiver at the first move of a transfer inscription; if it is spent as a fee, the amount returns to
    /// its owner.
    fn consume_transfer(&mut self, id: InscriptionId, to: Option<&ScriptBuf>) {
        let Some(note) = self.notes.get(&id).filter(|note| !note.is_used).cloned() else {
            return;
        };
        let TransferInscription { ticker, amount, owner, .. } = &note;
        self.change(owner, ticker, |balance| balance.transferable = balance.transferable.saturating_sub(*amount));
        let receiver = to.unwrap_or(owner);
        self.change(receiver, ticker, |balance| balance.available = balance.available.saturating_add(*amount));
        self.notes.insert(id, TransferInscription { is_used: true, ..note });
    }

    fn change(&mut self, owner: &ScriptBuf, ticker: &str, how: impl FnOnce(&mut Brc20Balance)) {
        let key = (owner.clone(), ticker.to_owned());
        let mut balance = self.balances.get(&key).copied().unwrap_or_default();
        how(&mut balance);
        self.balances.insert(key, balance);
    }
}
