//! The transactions that a wallet is asked to sign, with every kind of input, by kind of payment address.

use bitcoin::hashes::Hash as _;
use bitcoin::transaction::Version;
use bitcoin::{Address, Amount, FeeRate, Network, OutPoint, ScriptBuf, TxOut, Txid};
use escrow::address::AddressKind;
use escrow::contract::assets::asset_coin::AssetCoin;
use escrow::contract::assets::pledge::Pledge;
use escrow::contract::loan::claim::Claim;
use escrow::contract::loan::collateral::Collateral;
use escrow::contract::loan::funding::Funding;
use escrow::contract::loan::loan_escrow::{EscrowTerms, LoanEscrow};
use escrow::contract::loan::origination::Origination;
use escrow::contract::loan::origination_outputs::PADS;
use escrow::contract::loan::payout_request::PayoutRequest;
use escrow::contract::loan::payout_signature_pair::PayoutSignaturePair;
use escrow::contract::loan::repayable_loan::RepayableLoan;
use escrow::contract::loan::repayment::Repayment;
use escrow::contract::loan::running_loan::RunningLoan;
use escrow::contract::signing::wallet_copy::wallet_copy;
use escrow::contract::transaction::coin::{Coin, CoinKey};
use escrow::contract::transaction::lock::Signer;
use escrow::contract::transaction::template::Template;
use escrow::contract::transaction::version::TRUC;
use escrow::wallet_key::WalletKey;
use serde_json::{Value, json};

/// The wallet under test, and the one on the other side of its loans.
pub(crate) const OWN_SEED: u8 = 2;
const OTHER_SEED: u8 = 1;

/// The kind of payment address of a wallet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Profile {
    /// One taproot address for everything.
    OneAddress,
    /// Native segwit.
    Native,
    /// Segwit nested in P2SH.
    Nested,
}

impl Profile {
    pub(crate) const ALL: [Self; 3] = [Self::OneAddress, Self::Native, Self::Nested];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::OneAddress => "one-address",
            Self::Native => "native",
            Self::Nested => "nested",
        }
    }

    pub(crate) const fn payment(self) -> AddressKind {
        match self {
            Self::OneAddress => AddressKind::P2tr,
            Self::Native => AddressKind::P2wpkh,
            Self::Nested => AddressKind::P2shP2wpkh,
        }
    }

    pub(crate) const fn purpose(self) -> u32 {
        match self {
            Self::OneAddress => 86,
            Self::Native => 84,
            Self::Nested => 49,
        }
    }
}

/// A transaction that a wallet is asked to sign.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) template: Template,
    pub(crate) holder: [CoinKey; 2],
}

impl Case {
    /// Returns all transactions of one profile.
    pub(crate) fn all_of(profile: Profile) -> Vec<Self> {
        let parties = Parties::new(profile);
        let payout = |version| parties.payout_request(version);
        let named = [
            ("funding", parties.funding()),
            ("payout-version-2", payout(Version::TWO)),
            ("payout-version-3", payout(TRUC)),
            ("claim", parties.claim()),
            ("repayment", parties.repayment()),
        ];
        let case = |(name, template)| Self {
            name: format!("{}/{name}", profile.name()),
            template,
            holder: [parties.own.payment(profile), parties.own.ordinals()],
        };
        named.into_iter().map(case).collect()
    }

    /// The JSON that the web app receives.
    pub(crate) fn handed_out(&self) -> Value {
        let sides: Vec<Value> = self.template.requested_signatures(&self.holder).map(|(index, signer, key)| {
            let address = Address::from_script(&key.script_pubkey(), Network::Regtest).unwrap().to_string();
            let is_leaf = matches!(signer, Signer::Leaf { .. });
            json!({"index": index, "address": address, "sighash": signer.sighash().to_u32(), "disable_tweak_signer": is_leaf})
        }).collect();
        json!({"name": self.name, "transactionBase64": wallet_copy(&self.template.psbt), "sides": sides})
    }
}

struct Party(WalletKey);

impl Party {
    fn of(seed: u8) -> Self {
        Self(WalletKey::from_seed([seed; 32], Network::Regtest).unwrap())
    }

    fn ordinals(&self) -> CoinKey {
        self.0.coin_key(AddressKind::P2tr)
    }

    fn payment(&self, profile: Profile) -> CoinKey {
        self.0.coin_key(profile.payment())
    }
}

/// The two wallets: the one under test lends to the other in loan 41 and borrows from it in loan 42.
struct Parties {
    own: Party,
    other: Party,
    profile: Profile,
}

fn coin(number: u8, key: CoinKey, sats: u64) -> Coin {
    let outpoint = OutPoint::new(Txid::from_byte_array([number; 32]), u32::from(number));
    Coin { outpoint, output: TxOut { value: Amount::from_sat(sats), script_pubkey: key.script_pubkey() }, key }
}

fn fee_rate() -> FeeRate {
    FeeRate::from_sat_per_vb(7).unwrap()
}

/// A loan, with the pads and coins of its borrower.
struct Loan {
    running: RunningLoan,
    pads: [Coin; 2],
    ordinals_script: ScriptBuf,
    change: ScriptBuf,
}

impl Parties {
    fn new(profile: Profile) -> Self {
        Self { own: Party::of(OWN_SEED), other: Party::of(OTHER_SEED), profile }
    }

    fn own_payment(&self) -> CoinKey {
        self.own.payment(self.profile)
    }

    fn other_payment(&self) -> CoinKey {
        self.other.payment(Profile::Native)
    }

    fn escrow(loan: u32, borrower: &Party, lender: &Party) -> LoanEscrow {
        let (borrower, lender) = (borrower.ordinals().x_only(), lender.ordinals().x_only());
        let terms =
            EscrowTerms { loan: loan.into(), borrower, repay: lender.into(), lender, claim_after: 1_900_000_000 };
        LoanEscrow::new(terms).unwrap()
    }

    /// The lender of loan 41 signs its two coins: one of the payment address, one of the ordinals address.
    fn funding(&self) -> Template {
        let coins = [coin(2, self.own_payment(), 1_500_000), coin(4, self.own.ordinals(), 1_200_000)];
        Self::origination(
            &Self::escrow(41, &self.other, &self.own),
            &self.other,
            &self.other_payment().script_pubkey(),
            &coins,
            &self.own_payment().script_pubkey(),
        )
    }

    fn origination(
        escrow: &LoanEscrow,
        borrower: &Party,
        borrower_payment: &ScriptBuf,
        coins: &[Coin],
        change: &ScriptBuf,
    ) -> Template {
        let pledged = AssetCoin {
            coin: coin(1, borrower.ordinals(), 10_000),
            inscriptions: vec![Amount::from_sat(4_000)],
            runes: Vec::new(),
        };
        let origination = Origination {
            escrow,
            collateral: Collateral::Inscription(&pledged),
            funding: Funding::Coins { coins, change },
            principal: Amount::from_sat(2_000_000),
            platform_fee: None,
            borrower_payment,
            fee_rate: fee_rate(),
            change_outputs: 1,
        };
        origination.build().unwrap()
    }

    fn loan(&self, number: u32) -> Loan {
        let is_lent = number == 41;
        let (borrower, lender) = if is_lent { (&self.other, &self.own) } else { (&self.own, &self.other) };
        let (borrower_payment, lender_payment) = if is_lent {
            (self.other_payment(), self.own_payment())
        } else {
            (self.own_payment(), self.other_payment())
        };
        let escrow = Self::escrow(number, borrower, lender);
        let change = borrower_payment.script_pubkey();
        let coins = [coin(2, lender_payment, 1_500_000), coin(4, lender.ordinals(), 1_200_000)];
        let originated = Self::origination(&escrow, borrower, &change, &coins, &lender_payment.script_pubkey());
        let pads = PADS.map(|pad| Coin {
            outpoint: OutPoint::new(originated.final_txid(), u32::try_from(pad).unwrap()),
            output: originated.psbt.unsigned_tx.output[pad].clone(),
            key: borrower_payment,
        });
        let running = RunningLoan {
            escrow,
            outpoint: OutPoint::new(originated.final_txid(), 0),
            value: Amount::from_sat(10_000),
            pledge: Pledge::Inscription { offset: Amount::from_sat(4_000) },
            payout: TxOut { value: Amount::from_sat(2_065_000), script_pubkey: lender_payment.script_pubkey() },
        };
        Loan { running, pads, ordinals_script: borrower.ordinals().script_pubkey(), change }
    }

    /// The lender of loan 41 pre-signs its repayment.
    fn payout_request(&self, version: Version) -> Template {
        let loan = self.loan(41);
        loan.payout_request().build(version).unwrap()
    }

    /// The lender of loan 41 takes the collateral and pays the fee.
    fn claim(&self) -> Template {
        let claim = Claim {
            loan: &self.loan(41).running,
            fee_coin: Some(&coin(8, self.own_payment(), 20_000)),
            destination: &self.own.ordinals().script_pubkey(),
            change: &self.own_payment().script_pubkey(),
            fee_rate: fee_rate(),
        };
        claim.build().unwrap()
    }

    /// The borrower of loan 42 repays it: the pads, the escrow and a coin.
    fn repayment(&self) -> Template {
        let loan = self.loan(42);
        let request = loan.payout_request();
        let sign = |version| {
            let text = self.other.0.sign_psbt(&request.to_base64(version).unwrap()).unwrap();
            request.check_returned(version, &text).unwrap()
        };
        let pre_signatures = PayoutSignaturePair { two: sign(Version::TWO), truc: sign(TRUC) }.into();
        let repayment = Repayment {
            loans: &[RepayableLoan { loan: &loan.running, pre_signatures: &pre_signatures }],
            version: TRUC,
            pads: &loan.pads,
            funding: &[coin(9, self.own_payment(), 3_000_000)],
            unconfirmed: &[],
            destination: &loan.ordinals_script,
            change: &loan.change,
            fee_rate: fee_rate(),
        };
        repayment.build().unwrap()
    }
}

impl Loan {
    fn payout_request(&self) -> PayoutRequest<'_> {
        PayoutRequest {
            loan: &self.running,
            pads: &self.pads,
            destination: &self.ordinals_script,
            change: &self.change,
        }
    }
}
