//! One suite, three worlds: every scenario is played in the embedded world, on Bitcoin Core and ord, and once more in the
//! embedded world as an explorer shows it to those who run no node. Where the first two disagree, the embedded one is
//! wrong.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test stops at the first surprise")]

#[path = "../worlds/worlds.rs"]
#[allow(dead_code, reason = "every test binary uses another part of it")]
mod worlds;

mod controls;
mod deal;
mod escrow_races;
mod extension;
mod inscription_deal;
mod inscription_loan;
mod moved_loan;
mod note_attacks;
mod note_loan;
mod note_order;
mod packages;
mod policy;
mod programs;
mod public_explorers;
mod public_world;
mod refinance;
mod rune_attacks;
mod rune_loan;
mod rune_pledges;
mod vault;
mod vault_congestion;

use worlds::{by_hand, embedded_world, etcher, inscriber, person, real_world, world};

/// Plays scenarios in every world, each in a new one.
macro_rules! scenarios {
    ($($subject:ident $scenarios:tt)+) => {
        mod devnet {
            $(scenarios!(@subject crate::embedded_world::Embedded, $subject $scenarios);)+
        }
        mod core_and_ord {
            $(scenarios!(@subject crate::real_world::CoreAndOrd, $subject $scenarios);)+
        }
        mod public {
            $(scenarios!(@subject crate::public_world::Public, $subject $scenarios);)+
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
        what_pays_to_a_script_is_listed_until_a_block_spends_it,
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
    vault {
        the_lender_leaves_alone_after_144_blocks_and_not_before,
        neither_a_smaller_sequence_nor_another_key_opens_the_way_out,
        an_instant_loan_begins_and_the_borrower_repays_it_alone,
        the_signer_can_replace_the_lenders_way_out,
        the_signer_pays_out_at_once,
        a_small_withdrawal_leaves_the_rest_of_the_vault_usable,
        a_withdrawal_replaces_a_way_out_that_waits_and_its_change_must_wait_again,
    }
    escrow_races {
        a_lender_who_is_handed_the_borrowers_signature_begins_without_his_own_word,
        what_the_lender_is_handed_begins_nothing,
        small_children_keep_others_out_and_not_the_borrowers_replacement,
        in_version_3_one_child_hangs_on_the_payout_and_gives_way,
        a_beginning_that_is_replaced_voids_the_repayment_signed_for_it,
        a_beginning_that_a_child_speeds_up_keeps_the_repayment_signed_for_it,
        one_payout_does_not_end_two_loans_of_one_lender,
        a_lenders_coin_that_waits_for_a_block_begins_no_loan,
    }
    moved_loan {
        a_loan_is_refinanced_without_its_old_lender,
        a_loan_that_both_extend_is_claimed_later,
        two_loans_of_two_lenders_are_repaid_at_once,
    }
    note_loan {
        a_note_is_revealed_into_the_escrow_and_comes_home,
        without_its_reveal_a_beginning_is_not_taken_for_begun,
    }
    note_order {
        a_note_that_was_ordered_lands_at_home_and_can_be_pledged,
        a_commit_that_is_replaced_leaves_no_note_behind,
    }
    rune_loan {
        a_part_of_the_runes_is_pledged_and_comes_home,
        the_lender_claims_the_runes,
        a_repayment_without_its_runestone_would_pay_the_runes_into_the_pads,
    }
    rune_pledges {
        all_of_the_runes_come_home_when_the_borrower_alone_repays,
        of_runes_pledged_in_part_the_rest_stays_home_and_the_lender_claims_the_others,
        an_inscription_and_two_runes_come_home_in_one_repayment,
        a_coin_with_a_second_rune_or_an_inscription_is_no_collateral,
        a_lenders_coin_that_carries_assets_is_never_chosen,
    }
    rune_attacks {
        a_repayment_with_another_runestone_would_lose_runes,
        an_origination_with_another_runestone_would_lose_runes,
        runes_in_a_coin_that_pays_for_a_repayment_stay_the_borrowers,
    }
    note_attacks {
        the_balance_follows_the_note_into_the_escrow_and_home,
        the_lender_claims_the_note_and_its_balance,
        a_rival_note_from_elsewhere_comes_too_early_or_too_late,
        with_an_output_of_the_beginning_the_lender_would_come_before_the_reveal,
        a_borrower_who_reveals_the_note_at_home_has_nothing_of_it,
        a_note_that_was_moved_before_secures_nothing,
    }
    refinance {
        the_next_lender_repays_a_loan_and_the_borrower_repays_him,
        runes_follow_to_the_next_lender_and_home,
        borrower_and_new_lender_cannot_cheat_the_old_lender,
        a_signed_refinance_cannot_be_changed,
        the_old_lender_has_no_more_to_say_once_he_is_paid,
        a_late_claim_replaces_a_refinance_that_waits,
    }
    extension {
        both_sides_give_a_loan_more_time_and_it_is_repaid_or_claimed_as_before,
        runes_get_more_time_too,
        neither_side_moves_the_collateral_alone,
        an_extension_signed_as_a_repayment_would_give_the_collateral_away,
    }
    packages {
        a_child_pays_for_a_parent_that_pays_nothing,
        a_child_that_pays_too_little_for_both_brings_nobody_in,
        parents_come_before_their_children,
        the_borrower_speeds_a_beginning_up_with_a_child,
    }    policy {
        each_kind_of_output_has_its_least_amount,
        what_is_not_usual_is_not_sent_on,
        time_is_kept,
        a_replacement_pays_more_for_itself_and_for_what_it_throws_out,
        a_family_of_transactions_has_a_size,
    }
}
