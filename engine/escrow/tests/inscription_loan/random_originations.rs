//! Randomized tests of loans of every kind, originated and repaid: sats, runes and money are followed independently of
//! the builders.

use bitcoin::hashes::Hash as _;
use bitcoin::{Amount, FeeRate, OutPoint, ScriptBuf, Transaction, TxOut, Txid};
use escrow::contract::assets::asset_coin::AssetCoin;
use escrow::contract::assets::brc20_transfer::Brc20Transfer;
use escrow::contract::assets::inscription::Inscription;
use escrow::contract::loan::collateral::Collateral;
use escrow::contract::loan::funding::Funding;
use escrow::contract::loan::origination::{Origination, OriginationError};
use escrow::contract::loan::repayable_loan::RepayableLoan;
use escrow::contract::loan::repayment::Repayment;
use escrow::contract::loan::reveal;
use escrow::contract::loan::running_loan::RunningLoan;
use escrow::contract::transaction::coin::Coin;
use escrow::contract::transaction::template::Template;
use escrow::contract::transaction::version::TRUC;
use escrow::contract::vault::{Vault, VaultTerms};
use proptest::prelude::*;

use super::debts::rune;
use super::flow;
use super::keyring::Keyring;
use super::loan_fixture::{LoanFixture, assert_weight, coin, coin_of, is_valid};

/// The collateral that the borrower brings.
#[derive(Clone, Debug)]
enum Brought {
    Inscription {
        postage: u64,
        offset: u64,
    },
    /// The sats and units of each coin, and the pledged units.
    Runes {
        coins: Vec<(u64, u128)>,
        pledged: u128,
    },
    Note {
        postage: u64,
        offset: u64,
        amount: u128,
    },
}

#[derive(Clone, Debug)]
struct Case {
    brought: Brought,
    rate_kwu: u64,
    principal: u64,
    platform_fee: Option<u64>,
    /// The number of the lender's inputs.
    inputs: usize,
    /// Their value beyond the amount due.
    surplus: u64,
    from_vault: bool,
    /// The kind of address of the lender's first coin.
    first_kind: usize,
}

fn postage() -> impl Strategy<Value = (u64, u64)> {
    (330_u64..=20_000).prop_flat_map(|postage| (Just(postage), 0..postage))
}

/// Generates coins of a rune of any divisibility, from a few units to the maximum.
fn held_runes() -> impl Strategy<Value = Brought> {
    let units =
        (0_u32..=38, 1_u128..1_000_000).prop_map(|(decimals, whole)| 10_u128.pow(decimals).saturating_mul(whole));
    let units = prop_oneof![units.clone(), units, 1_u128..100, Just(u128::MAX)];
    let coins = prop::collection::vec((330_u64..=20_000, units), 1..6);
    (coins, any::<u128>(), 0_u8..4).prop_map(|(mut coins, pledged, part)| {
        let most = u128::MAX / 5;
        for (_, units) in &mut coins {
            *units = (*units).min(most);
        }
        let all: u128 = coins.iter().map(|(_, units)| units).sum();
        let pledged = match part {
            0 => all,
            1 => 1,
            2 => coins[0].1,
            _ => pledged % all + 1,
        };
        Brought::Runes { coins, pledged }
    })
}

fn cases() -> impl Strategy<Value = Case> {
    let brought = prop_oneof![
        postage().prop_map(|(postage, offset)| Brought::Inscription { postage, offset }),
        held_runes(),
        (postage(), 1..=u128::from(u64::MAX)).prop_map(|((postage, offset), amount)| Brought::Note {
            postage,
            offset,
            amount
        }),
    ];
    // 0.1 to 2,000 sats per virtual byte, with each order of magnitude equally likely.
    let rate = prop_oneof![25_u64..250, 250_u64..2_500, 2_500_u64..25_000, 25_000_u64..=500_000];
    let platform_fee = prop::option::of(330_u64..100_000);
    let surplus = prop_oneof![Just(0), 1_u64..600, 600_u64..5_000_000];
    let funding = (1_usize..5, surplus, any::<bool>(), 0_usize..3);
    (brought, rate, 10_000_u64..50_000_000, platform_fee, funding).prop_map(
        |(brought, rate_kwu, principal, platform_fee, (inputs, surplus, from_vault, first_kind))| {
            // With BRC-20 collateral the lender gets no change.
            let surplus = if matches!(brought, Brought::Note { .. }) { 0 } else { surplus };
            Case { brought, rate_kwu, principal, platform_fee, inputs, surplus, from_vault, first_kind }
        },
    )
}

/// The parties and outputs of a case.
struct CaseFixture {
    loan_fixture: LoanFixture,
    keyring: Keyring,
    assets: Vec<AssetCoin>,
    transfer: Brc20Transfer,
    coins: Vec<Coin>,
    vault: Vault,
    outputs: Vec<(OutPoint, Amount)>,
    platform_fee: Option<TxOut>,
}

impl CaseFixture {
    fn new(case: &Case) -> Self {
        let loan_fixture = LoanFixture::new(546, 0, FeeRate::from_sat_per_kwu(case.rate_kwu));
        let mut keyring = Keyring::new();
        let [_, lender, signer] = [1, 2, 9].map(|byte| keyring.party(byte));
        let key = |sats, number, inscriptions, runes| {
            let coin = coin(number, loan_fixture.borrower.ordinals(), sats);
            AssetCoin { coin, inscriptions, runes }
        };
        let mut amount = 1;
        let assets = match &case.brought {
            Brought::Inscription { postage, offset } => {
                vec![key(*postage, 100, vec![Amount::from_sat(*offset)], vec![])]
            }
            Brought::Note { postage, offset, amount: noted } => {
                amount = *noted;
                vec![key(*postage, 100, vec![Amount::from_sat(*offset)], vec![])]
            }
            Brought::Runes { coins, .. } => {
                let numbered = (100..).zip(coins);
                numbered.map(|(number, (sats, units))| key(*sats, number, vec![], vec![(rune(1), *units)])).collect()
            }
        };
        let count = u64::try_from(case.inputs).unwrap();
        let total = case.principal + case.platform_fee.unwrap_or(0) + case.surplus;
        let share = |number: u64| if number == 0 { total - total / count * (count - 1) } else { total / count };
        let kinds = [lender.payment(), lender.nested(), lender.ordinals()];
        let coins = (0_u8..)
            .zip(0..count)
            .map(|(number, place)| coin(50 + number, kinds[(usize::from(number) + case.first_kind) % 3], share(place)));
        let outputs = (0_u8..).zip(0..count).map(|(number, place)| {
            (OutPoint::new(Txid::from_byte_array([70 + number; 32]), 0), Amount::from_sat(share(place)))
        });
        let [signer, lender] = [signer, lender].map(|party| party.keys.x_only_public_key().0);
        Self {
            vault: Vault::new(VaultTerms { lender_id: 6, signers: signer.into(), lender }).unwrap(),
            transfer: Brc20Transfer::new("Ordi", amount).unwrap(),
            platform_fee: case
                .platform_fee
                .map(|sats| TxOut { value: Amount::from_sat(sats), ..loan_fixture.platform_fee.clone() }),
            coins: coins.collect(),
            outputs: outputs.collect(),
            assets,
            loan_fixture,
            keyring,
        }
    }

    fn origination(&self, case: &Case) -> Origination<'_> {
        let collateral = match case.brought {
            Brought::Inscription { .. } => Collateral::Inscription(&self.assets[0]),
            Brought::Note { .. } => Collateral::Brc20 { coin: &self.assets[0], transfer: &self.transfer },
            Brought::Runes { pledged, .. } => Collateral::Runes {
                coins: &self.assets,
                id: rune(1),
                amount: pledged,
                rest: &self.loan_fixture.ordinals_script,
            },
        };
        let funding = if case.from_vault {
            Funding::Vault { vault: &self.vault, outputs: &self.outputs }
        } else {
            Funding::Coins { coins: &self.coins, change: &self.loan_fixture.lender_payment }
        };
        let principal = Amount::from_sat(case.principal);
        let platform_fee = self.platform_fee.as_ref();
        Origination { collateral, funding, principal, platform_fee, ..self.loan_fixture.origination() }
    }

    /// Lets the borrower alone end the loan with its pads.
    fn repay(&self, loan: &RunningLoan, originated: &Transaction, pads: [u32; 2]) -> (Template, Transaction) {
        let mut keyring = Keyring::new();
        keyring.party(1);
        keyring.party(2);
        let pre_signatures = keyring.pre_sign(loan);
        let pads = pads.map(|vout| coin_of(originated, vout, self.loan_fixture.borrower.payment()));
        let repayment = Repayment {
            loans: &[RepayableLoan { loan, pre_signatures: &pre_signatures }],
            version: TRUC,
            pads: &pads,
            funding: &[coin(99, self.loan_fixture.borrower.payment(), 100_000_000)],
            unconfirmed: &[],
            destination: &self.loan_fixture.ordinals_script,
            change: &self.loan_fixture.borrower_payment,
            fee_rate: self.loan_fixture.fee_rate,
        };
        let template = repayment.build().unwrap();
        let signed = keyring.sign(&template);
        (template, signed)
    }
}

/// The sats that a transaction pays to a script.
fn paid(transaction: &Transaction, script: &ScriptBuf) -> u64 {
    let outputs = transaction.output.iter().filter(|output| output.script_pubkey == *script);
    outputs.map(|output| output.value.to_sat()).sum()
}

/// Signs a template and asserts that Bitcoin Core accepts every input and that the weight is the predicted one.
fn signed(fixture: &CaseFixture, template: &Template) -> Transaction {
    let signed = fixture.keyring.sign(template);
    assert!(is_valid(template, &signed));
    assert_weight(template, &signed);
    assert_eq!(signed.compute_txid(), template.final_txid());
    signed
}

/// The fee of templates at a rate, rounded up.
fn cost(rate_kwu: u64, templates: &[&Template]) -> u64 {
    let weight: u64 = templates.iter().map(|template| template.weight.to_wu()).sum();
    (weight * rate_kwu).div_ceil(1_000)
}

/// Checks each party's gain or loss, over origination and reveal together.
fn check_money(case: &Case, fixture: &CaseFixture, packaged: &[(&Template, &Transaction)]) {
    let (template, originated) = packaged[0];
    let (platform, rest) = (case.platform_fee.unwrap_or(0), case.surplus);
    let change = if case.from_vault {
        fixture.vault.output().script_pubkey()
    } else {
        fixture.loan_fixture.lender_payment.clone()
    };
    let dust = if rest < change.minimal_non_dust().to_sat() { rest } else { 0 };
    assert_eq!(paid(originated, &change), rest - dust, "the lender pays principal and platform fee");
    if platform > 0 {
        assert_eq!(paid(originated, &fixture.loan_fixture.platform_fee.script_pubkey), platform);
    }
    let brought: u64 = fixture.assets.iter().map(|asset| asset.coin.output.value.to_sat()).sum();
    let mut got: u64 = packaged.iter().map(|(_, signed)| paid(signed, &fixture.loan_fixture.borrower_payment)).sum();
    got += paid(originated, &fixture.loan_fixture.ordinals_script);
    let escrow = fixture.loan_fixture.escrow.output().script_pubkey();
    let kept: u64 = packaged.iter().map(|(_, signed)| paid(signed, &escrow)).sum();
    let templates: Vec<&Template> = packaged.iter().map(|(template, _)| *template).collect();
    let fee: u64 = templates.iter().map(|template| template.fee().unwrap().to_sat()).sum();
    assert_eq!(got + kept + fee, case.principal + brought + dust, "the rest is the borrower's");
    let due = cost(case.rate_kwu, &templates);
    assert!((due..=due + u64::from(packaged.len() > 1)).contains(&fee), "{fee} for {due}");
    if packaged.len() > 1 {
        assert!(template.fee().unwrap().to_sat() * 1_000 <= (100_000).max(template.weight.to_wu() * 25 + 1_000));
    }
}

/// Checks the destination of the inscription, or of every unit of the rune.
fn check_collateral(case: &Case, fixture: &CaseFixture, template: &Template, originated: &Transaction) {
    let sats = flow::sats(template);
    match &case.brought {
        Brought::Inscription { postage, .. } => assert_eq!(sats[0], vec![(0, 0, *postage)], "every sat in its place"),
        Brought::Note { offset, .. } => {
            let (input, start, count) = sats[0][0];
            assert!((input, start) == (0, 0) && *offset < count);
        }
        Brought::Runes { coins, pledged } => {
            let units: Vec<_> = coins.iter().map(|(_, units)| (rune(1), *units)).collect();
            let all: u128 = coins.iter().map(|(_, units)| units).sum();
            let held = flow::runes(&units, originated);
            assert_eq!(held[0].get(&rune(1)), Some(pledged));
            let others: Vec<usize> = (1..held.len()).filter(|output| !held[*output].is_empty()).collect();
            if all > *pledged {
                assert_eq!(others.len(), 1);
                assert_eq!(originated.output[others[0]].script_pubkey, fixture.loan_fixture.ordinals_script);
                assert_eq!(held[others[0]].get(&rune(1)), Some(&(all - pledged)));
            } else {
                assert!(others.is_empty());
            }
        }
    }
}

/// Checks that the borrower receives exactly the sats, or the runes, that the escrow held.
fn check_returned_collateral(case: &Case, template: &Template, ended: &Transaction, destination: &ScriptBuf) {
    assert_eq!(ended.output[1].script_pubkey, *destination);
    let value = template.input_amounts()[2].to_sat();
    assert_eq!(flow::sats(template)[1], vec![(2, 0, value)]);
    if let Brought::Runes { pledged, .. } = case.brought {
        let held = flow::runes(&[(rune(1), pledged)], ended);
        assert_eq!(held[1].get(&rune(1)), Some(&pledged));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_024))]
    #[test]
    fn loans_of_every_kind_begin_and_end_without_loss(case in cases()) {
        let fixture = CaseFixture::new(&case);
        let origination = fixture.origination(&case);
        let template = match origination.build() {
            Err(OriginationError::PrincipalTooSmall { costs, available }) => {
                prop_assert!(costs > available && available >= Amount::from_sat(case.principal));
                // It takes much more than 100 virtual bytes and less than 2,000.
                prop_assert!(case.rate_kwu * 4 * 2_000 / 1_000 > case.principal - 4_000);
                return Ok(());
            }
            Err(OriginationError::Dust { index: 1, .. }) => return Ok(()),
            built => built.unwrap(),
        };
        let originated = signed(&fixture, &template);
        check_collateral(&case, &fixture, &template, &originated);
        let script_pubkey = fixture.loan_fixture.lender_payment.clone();
        let payout = TxOut { value: Amount::from_sat(case.principal + 1_000), script_pubkey };
        let loan = origination.running_loan(&template, payout).unwrap();
        let (last, pads) = if let Some(look) = origination.reveal(&template) {
            let second = look.build().unwrap();
            let revealed = signed(&fixture, &second);
            check_money(&case, &fixture, &[(&template, &originated), (&second, &revealed)]);
            prop_assert_eq!(flow::sats(&second)[reveal::ESCROW][0], (0, 0, 546), "the inscription is on the first sat");
            let script = bitcoin::Script::from_bytes(revealed.input[0].witness.nth(1).unwrap());
            let (_, inscribed) = Inscription::read(script).unwrap();
            prop_assert_eq!(inscribed, fixture.transfer.inscription());
            (revealed, [1, 2])
        } else {
            check_money(&case, &fixture, &[(&template, &originated)]);
            (originated, [2, 3])
        };
        prop_assert_eq!(loan.outpoint, OutPoint::new(last.compute_txid(), 0));
        prop_assert_eq!(loan.value, last.output[0].value);
        let (template, ended) = fixture.repay(&loan, &last, pads);
        prop_assert!(is_valid(&template, &ended));
        check_returned_collateral(&case, &template, &ended, &fixture.loan_fixture.ordinals_script);
    }
}
