//! One suite, two worlds: every scenario is played on Bitcoin Core and ord.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test stops at the first surprise")]

mod by_hand;
mod controls;
mod deal;
mod inscriber;
mod inscription_loan;
mod person;
mod real_world;
mod world;

/// Plays scenarios in every world, each in a new one.
macro_rules! scenarios {
    ($($subject:ident $scenarios:tt)+) => {
        mod core_and_ord {
            $(scenarios!(@subject crate::real_world::CoreAndOrd, $subject $scenarios);)+
        }
    };
    (@subject $world:ty, $subject:ident { $($scenario:ident),+ $(,)? }) => {
        mod $subject {
            $(#[tokio::test]
            async fn $scenario() {
                let world = <$world as crate::world::World>::start().await;
                crate::$subject::$scenario(&world).await;
            })+
        }
    };
}

scenarios! {
    controls {
        a_world_begins_with_its_blocks_and_its_clock,
        the_faucet_pays_plain_confirmed_coins,
        median_time_follows_the_clock_six_blocks_later,
        a_reorg_replaces_blocks_and_says_what_becomes_of_transactions,
        the_least_fee_rate_is_a_tenth_of_a_sat,
    }
    inscription_loan {
        the_borrower_alone_repays_it_in_either_version,
        the_lender_claims_once_the_median_time_is_past_and_not_before,
        at_the_claim_time_itself_it_is_too_early,
        nobody_else_and_nothing_else_spends_the_escrow,
        a_repayment_at_index_0_would_give_the_inscription_to_the_lender,
        a_repayment_that_waits_can_be_replaced_by_itself_or_by_a_late_claim,
        version_3_keeps_the_lender_from_pinning_the_repayment,
        a_lender_who_spends_his_coins_elsewhere_is_seen,
        a_reorg_takes_the_beginning_back,
    }
}
