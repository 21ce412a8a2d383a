//! A loan against an inscription on a sat in the middle of its coin.

use std::ops::Deref;

use bitcoin::{Amount, OutPoint};
use engine::asset_index::InscriptionId;
use escrow::contract::assets::asset_coin::AssetCoin;
use escrow::contract::loan::collateral::Collateral;
use escrow::contract::loan::funding::Funding;
use escrow::contract::transaction::coin::Coin;

use crate::deal::{Deal, Parties, assert_inscription};
use crate::inscriber::inscribe;
use crate::test_wallet::funded;
use crate::world::{World, confirm};

/// The offset of the inscription in the collateral.
pub(crate) const OFFSET_SATS: u64 = 4_000;
/// The value of the collateral's output.
pub(crate) const POSTAGE_SATS: u64 = 10_000;

/// The loan, and its inputs.
pub(crate) struct InscriptionDeal {
    deal: Deal,
    pub(crate) inscription: InscriptionId,
    pub(crate) collateral: AssetCoin,
    /// The lender's coins.
    pub(crate) funding: Vec<Coin>,
}

impl Deref for InscriptionDeal {
    type Target = Deal;

    fn deref(&self) -> &Deal {
        &self.deal
    }
}

impl InscriptionDeal {
    /// Prepares the signed loan without broadcasting it. The lender pays from coins of every kind.
    pub(crate) async fn prepare(world: &impl World) -> Self {
        Self::prepare_with(world, Parties::manual()).await
    }

    async fn prepare_with(world: &impl World, parties: Parties) -> Self {
        let (inscription, collateral) = inscribe(world, &parties.borrower, OFFSET_SATS, POSTAGE_SATS).await;
        let lender = &parties.lender;
        let mut funding = Vec::new();
        for (key, sats) in [(lender.payment(), 1_500_000), (lender.nested(), 400_000), (lender.ordinals(), 700_000)] {
            funding.push(funded(world, key, sats).await);
        }
        let change = lender.payment_script();
        let coins = Funding::Coins { coins: &funding, change: &change };
        let deal = Deal::sign(parties, Collateral::Inscription(&collateral), coins);
        Self { deal, inscription, collateral, funding }
    }

    /// Originates it, and checks the location of the collateral.
    pub(crate) async fn begin(world: &impl World) -> Self {
        Self::begin_with(world, Parties::manual()).await
    }

    /// Does the same between other parties, or with another loan id.
    pub(crate) async fn begin_with(world: &impl World, parties: Parties) -> Self {
        let deal = Self::prepare_with(world, parties).await;
        confirm(world, &deal.origination).await;
        assert_eq!(deal.loan.value, Amount::from_sat(POSTAGE_SATS));
        deal.assert_inscription_in(world, deal.loan.outpoint).await;
        deal
    }

    /// Asserts that the inscription is at its offset in this output.
    pub(crate) async fn assert_inscription_in(&self, world: &impl World, outpoint: OutPoint) {
        assert_inscription(world, self.inscription, (outpoint, OFFSET_SATS)).await;
    }
}
