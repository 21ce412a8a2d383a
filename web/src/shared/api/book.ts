import * as v from "valibot";
import { collection } from "./collection";
import { conditions } from "./conditions";
import { count, lenientArray, percent, rawAmount, sats, text, timeMs, unitPrice } from "./wire";

export const bookOffer = v.pipe(
  v.object({
    offerId: text,
    lender_id: text,
    subCollectionId: text,
    process: v.picklist(["manual", "instant"]),
    principal_amount_sats: sats,
    auto_principal_amount_used_sats: sats,
    available_sats: sats,
    fungible_amount: v.nullable(rawAmount),
    available_collateral: v.nullable(rawAmount),
    ltv_max: v.nullable(count),
    /** Whether its terms were agreed on with the borrower that it names. */
    isAgreed: v.boolean(),
    isPegged: v.boolean(),
    interest_rate_percentage: percent,
    loan_term_days: count,
    lenderAcceptanceRate: v.nullable(percent),
    created_at: timeMs,
    updated_at: timeMs,
    /** Null if anyone can take it. */
    conditions: v.nullable(conditions),
    state: v.picklist(["live", "reserved", "conditional"]),
  }),
  v.transform((wire) => ({
    offerId: wire.offerId,
    lenderId: wire.lender_id,
    subCollectionId: wire.subCollectionId,
    process: wire.process,
    principalSats: wire.principal_amount_sats,
    usedSats: wire.auto_principal_amount_used_sats,
    availableSats: wire.available_sats,
    /** Raw collateral that the whole principal asks for; null for one inscription. */
    fungibleAmount: wire.fungible_amount,
    availableCollateral: wire.available_collateral,
    /** Basis points. */
    maxLtvBps: wire.ltv_max,
    /** Whether its terms were agreed on with the borrower that it names, and need not be those of its sub-collection. */
    isAgreed: wire.isAgreed,
    /** Whether the principal follows the floor. */
    isPegged: wire.isPegged,
    interestPercent: wire.interest_rate_percentage,
    termDays: wire.loan_term_days,
    /** Percent; null for a lender without any loan request yet. */
    acceptanceRate: wire.lenderAcceptanceRate,
    createdAt: wire.created_at,
    updatedAt: wire.updated_at,
    conditions: wire.conditions,
    state: wire.state,
  })),
);
/** An offer of the public order book. */
export type BookOffer = v.InferOutput<typeof bookOffer>;

export const bookLoan = v.pipe(
  v.object({
    id: text,
    subCollectionId: text,
    accepted_date: timeMs,
    principal_amount_sats: sats,
    fungible_amount: v.nullable(rawAmount),
    lender_id: text,
    borrower_id: text,
  }),
  v.transform((wire) => ({
    id: wire.id,
    subCollectionId: wire.subCollectionId,
    acceptedAt: wire.accepted_date,
    principalSats: wire.principal_amount_sats,
    fungibleAmount: wire.fungible_amount,
    lenderId: wire.lender_id,
    borrowerId: wire.borrower_id,
  })),
);
/** A running loan of a group, as the public order book shows it. */
export type BookLoan = v.InferOutput<typeof bookLoan>;

/** Response of the order book endpoint; the socket's snapshot carries the same data in another shape. */
export const orderBookResponse = v.pipe(
  v.object({
    collection: v.intersect([collection, v.object({ fungible_floor_price_sats: v.nullable(unitPrice) })]),
    manualOffers: lenientArray(bookOffer),
    instantOrdinalOffers: lenientArray(bookOffer),
    instantRuneOffers: lenientArray(bookOffer),
    loans: lenientArray(bookLoan),
  }),
  v.transform((wire) => ({
    row: wire.collection,
    offers: [...wire.manualOffers, ...wire.instantOrdinalOffers, ...wire.instantRuneOffers],
    loans: wire.loans,
  })),
);
