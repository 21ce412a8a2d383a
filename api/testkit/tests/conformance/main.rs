//! The conformance suite: every scenario runs in the embedded world, on Bitcoin Core and ord, and in the embedded world
//! behind an explorer, as for operators without a node. Where the first two differ, the embedded one is wrong.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test stops at the first surprise")]

mod controls;
mod deal;
mod escrow_races;
mod extension;
mod inscription_deal;
mod inscription_loan;
mod moved_loan;
mod packages;
mod policy;
mod programs;
mod public_explorers;
mod public_world;
mod refinance;
mod rune_attacks;
mod rune_loan;
mod rune_pledges;
mod several_inscriptions;
mod transfer_inscription_attacks;
mod transfer_inscription_loan;
mod transfer_orders;
mod vault;
mod vault_congestion;
mod vault_signers;

use testkit::{custom_transaction, embedded_world, etcher, inscriber, real_world, test_wallet, world};

/// Runs scenarios in every world, each in a new one.
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
        a_world_starts_with_its_blocks_and_its_clock,
        the_faucet_pays_plain_confirmed_coins,
        median_time_follows_the_clock_six_blocks_later,
        a_reorg_replaces_blocks_and_returns_or_drops_their_transactions,
        outputs_of_a_script_are_listed_until_they_are_spent_in_a_block,
        the_minimum_fee_rate_is_a_tenth_of_a_sat,
    }
    inscription_loan {
        the_borrower_alone_repays_it_in_either_version,
        the_lender_claims_once_the_median_time_is_past_and_not_before,
        at_the_claim_time_itself_it_is_too_early,
        an_altered_or_unauthorized_spend_of_the_escrow_is_refused,
        a_repayment_at_index_0_would_give_the_inscription_to_the_lender,
        an_unconfirmed_repayment_can_be_replaced_by_itself_or_by_a_late_claim,
        version_3_keeps_the_lender_from_pinning_the_repayment,
        a_double_spend_by_the_lender_is_detected,
        a_reorg_unconfirms_the_origination,
    }
    vault {
        the_lender_exits_unilaterally_after_144_blocks_and_not_before,
        neither_a_smaller_sequence_nor_another_key_allows_the_exit,
        an_instant_loan_starts_and_the_borrower_repays_it_alone,
        the_signer_can_replace_the_exit_of_the_lender,
        the_signer_pays_out_immediately,
        a_small_withdrawal_leaves_the_rest_of_the_vault_usable,
        a_withdrawal_replaces_an_unconfirmed_exit_and_restarts_the_timelock,
    }
    vault_signers {
        any_two_of_three_signers_pay_out_and_one_alone_does_not,
        a_vault_moves_to_other_signers_and_only_they_or_its_lender_spend_it,
        a_loan_of_two_signers_is_repaid_by_both_presignatures_and_not_by_one,
        loans_of_one_and_of_several_repay_keys_end_in_one_transaction,
    }
    escrow_races {
        a_lender_with_a_leaked_signature_starts_the_loan_without_a_signed_repayment,
        the_unsigned_psbt_of_the_lender_cannot_start_the_loan,
        small_children_fill_the_cluster_but_do_not_prevent_a_replacement,
        in_version_3_the_payout_has_one_child_which_can_be_replaced,
        a_replaced_origination_voids_its_presigned_repayment,
        an_origination_bumped_by_a_child_keeps_its_presigned_repayment,
        one_payout_does_not_end_two_loans_of_one_lender,
        an_unconfirmed_coin_of_the_lender_starts_no_loan,
    }
    moved_loan {
        a_loan_is_refinanced_without_its_old_lender,
        a_loan_that_both_extend_is_claimed_later,
        two_loans_of_two_lenders_are_repaid_together,
    }
    transfer_inscription_loan {
        a_transfer_inscription_is_revealed_into_the_escrow_and_returned,
        an_origination_without_its_reveal_does_not_count_as_started,
    }
    transfer_orders {
        an_ordered_transfer_inscription_reaches_its_owner_and_can_be_pledged,
        a_replaced_commit_leaves_no_transfer_inscription_behind,
    }
    several_inscriptions {
        five_are_repaid_together_and_return_one_by_one,
        five_are_claimed_together_after_the_claim_time,
        twenty_are_repaid_in_one_transaction,
        three_move_on_to_a_new_term_together,
        an_altered_or_partial_repayment_is_refused,
    }
    rune_loan {
        a_part_of_the_runes_is_pledged_and_returned,
        the_lender_claims_the_runes,
        a_repayment_without_its_runestone_would_pay_the_runes_into_the_pads,
    }
    rune_pledges {
        all_of_the_runes_are_returned_when_the_borrower_alone_repays,
        the_unpledged_runes_stay_with_the_borrower_and_the_lender_claims_the_others,
        an_inscription_and_two_runes_are_returned_in_one_repayment,
        a_coin_with_a_second_rune_or_an_inscription_is_no_collateral,
        a_lenders_coin_that_carries_assets_is_never_chosen,
    }
    rune_attacks {
        a_repayment_with_another_runestone_would_lose_runes,
        an_origination_with_another_runestone_would_lose_runes,
        runes_in_a_coin_that_pays_for_a_repayment_stay_the_borrowers,
    }
    transfer_inscription_attacks {
        the_balance_follows_the_transfer_inscription_into_the_escrow_and_back,
        the_lender_claims_the_transfer_inscription_and_its_balance,
        a_rival_transfer_inscription_is_too_early_or_too_late,
        with_an_output_of_the_origination_the_lender_could_precede_the_reveal,
        a_borrower_who_reveals_to_another_script_gains_no_balance,
        a_used_transfer_inscription_secures_nothing,
    }
    refinance {
        the_next_lender_repays_a_loan_and_is_repaid_by_the_borrower,
        a_vault_repays_a_loan_and_is_repaid_by_the_borrower,
        runes_move_to_the_next_lender_and_back_to_the_borrower,
        borrower_and_new_lender_cannot_cheat_the_old_lender,
        a_signed_refinance_cannot_be_changed,
        the_old_lender_has_no_rights_once_paid,
        a_late_claim_replaces_an_unconfirmed_refinance,
    }
    extension {
        both_sides_extend_a_loan_and_it_is_repaid_or_claimed_as_before,
        a_loan_against_runes_is_extended,
        neither_side_moves_the_collateral_alone,
        an_extension_signed_as_a_repayment_would_give_the_collateral_away,
    }
    packages {
        a_child_pays_for_a_parent_that_pays_nothing,
        a_child_that_pays_too_little_for_both_is_refused_with_its_parent,
        parents_come_before_their_children,
        the_borrower_bumps_an_origination_with_a_child,
    }
    policy {
        each_kind_of_output_has_its_dust_limit,
        nonstandard_transactions_are_not_relayed,
        lock_times_are_enforced,
        a_replacement_pays_for_itself_and_for_what_it_evicts,
        a_cluster_of_transactions_has_a_maximum_size,
    }
}
