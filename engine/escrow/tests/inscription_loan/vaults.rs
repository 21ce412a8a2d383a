//! Tests of deposits into a vault and of coin selection for vaults.

mod exits;
mod shared;
mod withdrawals;

use bitcoin::hashes::Hash as _;
use bitcoin::{Amount, FeeRate, OutPoint, ScriptBuf, Transaction, TxOut, Txid, Weight};
use escrow::contract::transaction::assembly::AssemblyError;
use escrow::contract::transaction::coin::Coin;
use escrow::contract::transaction::coin_selection::{Candidate, Contents, SelectionError, SelectionTarget};
use escrow::contract::transaction::funding_target::FeePayer;
use escrow::contract::transaction::spend::Spend;
use escrow::contract::transaction::template::Template;
use escrow::contract::vault::payment::{Payee, Payment, PaymentError, PaymentFault};
use escrow::contract::vault::vault_exit::VaultExit;
use escrow::contract::vault::vault_withdrawal::{Share, VaultWithdrawal};
use escrow::contract::vault::{Vault, VaultTerms};
use proptest::prelude::*;

use super::keyring::Keyring;
use super::loan_fixture::{Party, assert_weight, coin, is_valid, rate};

/// A lender, a vault signer and their vault.
struct Deposits {
    ring: Keyring,
    lender: Party,
    vault: Vault,
    coins: Vec<Coin>,
    outputs: Vec<(OutPoint, Amount)>,
    payment_script: ScriptBuf,
}

impl Deposits {
    /// Creates a vault whose outputs hold these values.
    fn new(held: &[u64]) -> Self {
        let mut ring = Keyring::new();
        let (lender, signer) = (ring.party(2), ring.party(9));
        let key = |party: &Party| party.keys.x_only_public_key().0;
        let terms = VaultTerms { lender_id: 4, signers: key(&signer).into(), lender: key(&lender) };
        let txid = Txid::from_byte_array([6; 32]);
        let outputs = (0..).zip(held).map(|(vout, sats)| (OutPoint::new(txid, vout), Amount::from_sat(*sats)));
        Self {
            vault: Vault::new(terms).unwrap(),
            coins: vec![
                coin(2, lender.payment(), 1_500_000),
                coin(3, lender.nested(), 400_000),
                coin(4, lender.ordinals(), 700_000),
            ],
            outputs: outputs.collect(),
            payment_script: lender.payment().script_pubkey(),
            ring,
            lender,
        }
    }

    fn deposit(&self, sats: u64, fee_rate: FeeRate) -> Payment<'_> {
        let amount = Amount::from_sat(sats);
        Payment {
            to: Payee::Vault(&self.vault),
            coins: &self.coins,
            amount,
            change: &self.payment_script,
            fee_rate,
            outputs: 1,
        }
    }

    fn withdrawal(&self, share: Share, fee_rate: FeeRate) -> VaultWithdrawal<'_> {
        VaultWithdrawal {
            vault: &self.vault,
            outputs: &self.outputs,
            destination: &self.payment_script,
            share,
            fee_rate,
            change_outputs: 1,
        }
    }

    fn exit(&self, fee_rate: FeeRate) -> VaultExit<'_> {
        VaultExit { vault: &self.vault, outputs: &self.outputs, destination: &self.payment_script, fee_rate }
    }

    /// Signs with the keys that the template names; Bitcoin Core's interpreter must accept it.
    fn sign(&self, template: &Template) -> Transaction {
        let signed = self.ring.sign(template);
        assert!(is_valid(template, &signed));
        assert_weight(template, &signed);
        signed
    }

    fn script(&self) -> ScriptBuf {
        self.vault.output().script_pubkey()
    }
}

/// The total of the outputs to a script.
fn paid(transaction: &Transaction, script: &ScriptBuf) -> Amount {
    transaction.output.iter().filter(|output| output.script_pubkey == *script).map(|output| output.value).sum()
}

#[test]
fn a_deposit_pays_the_whole_amount_and_returns_the_change() {
    let deposits = Deposits::new(&[]);
    let template = deposits.deposit(2_000_000, rate(5)).build().unwrap();
    let signed = deposits.sign(&template);
    assert_eq!(paid(&signed, &deposits.script()), Amount::from_sat(2_000_000));
    // 10.5 + 68 + 91 + 57.5 in, 43 + 31 out.
    assert_eq!(template.weight, Weight::from_wu(1_204));
    assert_eq!(paid(&signed, &deposits.payment_script), Amount::from_sat(600_000 - 1_505));
}

#[test]
fn invalid_deposits_are_refused_by_name() {
    let deposits = Deposits::new(&[]);
    let plain = deposits.deposit(2_000_000, rate(5));
    let refusal = |deposit: Payment<'_>| deposit.build().err();
    assert_eq!(refusal(plain), None);
    let vault = deposits.script();
    assert_eq!(refusal(Payment { change: &vault, ..plain }), Some(PaymentError::ChangeIsVault));
    let dust = AssemblyError::Dust { index: 0, value: Amount::from_sat(329), min: Amount::from_sat(330) };
    assert_eq!(refusal(Payment { amount: Amount::from_sat(329), ..plain }), Some(dust.into()));
    // Without change it would weigh 31 virtual bytes less.
    let (wanted, found) = (Amount::from_sat(2_598_650 + 1_351), Amount::from_sat(2_600_000));
    let short = Some(AssemblyError::InsufficientFunds { wanted, found }.into());
    assert_eq!(refusal(Payment { amount: Amount::from_sat(2_598_651), ..plain }), short);
    assert_eq!(refusal(Payment { amount: Amount::MAX, ..plain }), Some(AssemblyError::Overflow.into()));
    let foreign = [Coin { key: deposits.lender.nested(), ..deposits.coins[0].clone() }];
    let refused = Some(AssemblyError::ForeignCoin(foreign[0].outpoint).into());
    assert_eq!(refusal(Payment { coins: &foreign, ..plain }), refused);
    let twice = [deposits.coins.clone(), vec![deposits.coins[1].clone()]].concat();
    let refused = Some(AssemblyError::DuplicateCoin(twice[1].outpoint).into());
    assert_eq!(refusal(Payment { coins: &twice, ..plain }), refused);
}

#[test]
fn an_exact_coin_is_paid_to_the_same_address_as_the_change() {
    let deposits = Deposits::new(&[]);
    let own = Payment { to: Payee::Own, ..deposits.deposit(2_000_000, rate(5)) };
    let template = own.build().unwrap();
    let outputs = &template.psbt.unsigned_tx.output;
    assert!(outputs.iter().all(|output| output.script_pubkey == deposits.payment_script));
    assert_eq!((outputs.len(), outputs[0].value), (2, Amount::from_sat(2_000_000)));
    let (again, _) =
        Payment::rebuild(&template.psbt.unsigned_tx, Payee::Own, &deposits.coins, &deposits.payment_script).unwrap();
    assert_eq!(again.psbt.unsigned_tx, template.psbt.unsigned_tx);
    let mut swapped = template.clone();
    swapped.psbt.unsigned_tx.output.swap(0, 1);
    assert_eq!(own.check(&swapped).err(), Some(PaymentFault::WrongPayee));
}

#[test]
fn the_final_check_of_a_deposit_finds_every_misdirected_sat() {
    let deposits = Deposits::new(&[]);
    let deposit = deposits.deposit(2_000_000, rate(5));
    let template = deposit.build().unwrap();
    let fault = |change: &dyn Fn(&mut Template)| {
        let mut altered = template.clone();
        change(&mut altered);
        deposit.check(&altered).err()
    };
    assert_eq!(fault(&|_| {}), None);
    let short = |altered: &mut Template| altered.psbt.unsigned_tx.output[0].value -= Amount::ONE_SAT;
    assert_eq!(fault(&short), Some(PaymentFault::WrongPayee));
    let swapped = |altered: &mut Template| altered.psbt.unsigned_tx.output.swap(0, 1);
    assert_eq!(fault(&swapped), Some(PaymentFault::WrongPayee));
    let other_coin = |altered: &mut Template| altered.psbt.unsigned_tx.input[1].previous_output.vout = 1;
    assert_eq!(fault(&other_coin), Some(PaymentFault::ForeignInput { index: 1 }));
    let misstated = |altered: &mut Template| {
        altered.psbt.inputs[2].witness_utxo.as_mut().unwrap().value += Amount::ONE_SAT;
    };
    assert_eq!(fault(&misstated), Some(PaymentFault::ForeignInput { index: 2 }));
    let to_another = |altered: &mut Template| altered.psbt.unsigned_tx.output[1].script_pubkey = deposits.script();
    assert_eq!(fault(&to_another), Some(PaymentFault::ForeignOutput { index: 1 }));
    let in_two = |altered: &mut Template| {
        let half = TxOut { value: Amount::from_sat(10_000), script_pubkey: deposits.payment_script.clone() };
        altered.psbt.unsigned_tx.output.push(half);
    };
    assert_eq!(fault(&in_two), Some(PaymentFault::ForeignOutput { index: 2 }));
    let thrifty = |altered: &mut Template| altered.psbt.unsigned_tx.output[1].value += Amount::ONE_SAT;
    assert!(matches!(fault(&thrifty), Some(PaymentFault::WrongFee(_))));
    let lavish = |altered: &mut Template| altered.psbt.unsigned_tx.output[1].value -= Amount::from_sat(1_000);
    assert!(matches!(fault(&lavish), Some(PaymentFault::WrongFee(_))));
}

/// A confirmed coin without assets, as reported by an indexer and a node.
fn plain(spend: Spend<'_>) -> Candidate<'_> {
    Candidate { spend, contents: Contents::Plain, confirmations: 1, is_coinbase: false }
}

proptest! {
    #[test]
    fn selected_coins_suffice_for_vault_transactions(
        held in prop::collection::vec(1_000_u64..3_000_000, 1..8),
        kinds in prop::collection::vec((0_u8..3, 400_u64..3_000_000), 1..8),
        target in 330_u64..2_000_000,
        rate_kwu in 25_u64..500_000,
    ) {
        let mut deposits = Deposits::new(&held);
        let fee_rate = FeeRate::from_sat_per_kwu(rate_kwu);
        let keys = [deposits.lender.payment(), deposits.lender.nested(), deposits.lender.ordinals()];
        deposits.coins = (10..).zip(kinds).map(|(number, (kind, sats))| coin(number, keys[usize::from(kind)], sats)).collect();
        let amount = Amount::from_sat(target);
        let vault = [TxOut { value: amount, script_pubkey: deposits.script() }];
        let (fee_payer, inputs, outputs) = (FeePayer::Coins, &[][..], &vault[..]);
        let wanted = SelectionTarget { amount, fee_payer, fee_rate, inputs, outputs, change: &deposits.payment_script };
        let candidates: Vec<_> = deposits.coins.iter().map(|coin| plain(Spend::Coin(coin))).collect();
        match wanted.select(&candidates) {
            Ok(choice) => {
                let is_chosen = |coin: &&Coin| choice.spends.contains(&Spend::Coin(coin));
                let coins: Vec<Coin> = deposits.coins.iter().filter(is_chosen).cloned().collect();
                let template = Payment { coins: &coins, ..deposits.deposit(target, fee_rate) }.build().unwrap();
                let signed = deposits.sign(&template);
                prop_assert_eq!(paid(&signed, &deposits.script()), amount);
                prop_assert_eq!(paid(&signed, &deposits.payment_script), choice.change.unwrap_or(Amount::ZERO));
                prop_assert_eq!(template.fee(), Some(choice.fee));
            }
            Err(refusal) => {
                prop_assert!(matches!(refusal, SelectionError::InsufficientFunds { .. }), "{}", refusal);
                prop_assert!(deposits.deposit(target, fee_rate).build().is_err());
            }
        }
        let candidates: Vec<_> = deposits.outputs.iter().map(|(outpoint, value)| {
            plain(deposits.vault.output().spend(*outpoint, *value, deposits.vault.signer_leaf()))
        }).collect();
        let vault = deposits.script();
        let withdrawn = [TxOut { value: amount, script_pubkey: deposits.payment_script.clone() }];
        let wanted = SelectionTarget { fee_payer: FeePayer::Others, outputs: &withdrawn, change: &vault, ..wanted };
        if let Ok(choice) = wanted.select(&candidates) {
            let selected: Vec<OutPoint> = choice.spends.iter().map(Spend::outpoint).collect();
            deposits.outputs.retain(|(outpoint, _)| selected.contains(outpoint));
            let total: Amount = deposits.outputs.iter().map(|(_, value)| *value).sum();
            let due = choice.fee + deposits.payment_script.minimal_non_dust();
            match deposits.withdrawal(Share::Part(amount), fee_rate).build() {
                Ok(template) => {
                    let signed = deposits.sign(&template);
                    prop_assert_eq!(template.fee(), Some(choice.fee));
                    prop_assert_eq!(paid(&signed, &vault), choice.change.unwrap_or(Amount::ZERO));
                    let leaving = total - paid(&signed, &vault);
                    prop_assert_eq!(paid(&signed, &deposits.payment_script), leaving - choice.fee);
                }
                Err(refusal) => prop_assert!(total - choice.change.unwrap_or(Amount::ZERO) < due, "{refusal}"),
            }
        }
        if let Ok(template) = deposits.exit(fee_rate).build() {
            let total: Amount = deposits.outputs.iter().map(|(_, value)| *value).sum();
            prop_assert_eq!(paid(&deposits.sign(&template), &deposits.payment_script) + template.fee().unwrap(), total);
        }
    }
}
