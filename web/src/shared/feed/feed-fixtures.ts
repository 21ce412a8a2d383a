import * as v from "valibot";
import { bookOffer } from "@/shared/api/book";
import { collection } from "@/shared/api/collection";
import type { Conditions } from "@/shared/api/conditions";
import { NO_CONDITIONS } from "@/shared/api/conditions-example";
import { type Negotiation, negotiation as negotiationView } from "@/shared/api/negotiation";
import type { Wire } from "@/shared/api/operation";

/** A row as the server writes it, for tests. */
export function wireRow(overrides: Partial<Wire["Row"]> = {}): Wire["Row"] {
  return {
    id: "g_1",
    groupSlug: "foxes",
    instantOrdinalSlug: "foxes-30",
    collectionName: "Foxes",
    collectionSymbol: "FOX",
    collectionImgURL: "/collection-images/foxes.svg",
    collateralType: "inscription",
    runeId: null,
    runeName: null,
    runeDecimals: null,
    ticker: null,
    floor: 2_500_000,
    unitPrice: "2500000.00000000",
    pointsMultiplier: 0,
    isLendingAllowed: true,
    totalLoans: 3,
    runningLoans: 2,
    externalCollectionLink: null,
    marketVolumeStats: null,
    internalVolumeStats: { totalVolume: 0, volume24h: 0, volume7d: 0, volume30d: 0 },
    priceChangeStats: { change24h: null, change7d: null, change30d: null },
    subCollections: [
      {
        id: "0",
        slug: "foxes-30",
        term: 30,
        interest: 3,
        apy: 43.1,
        bundleSize: null,
        manual: true,
        instant: true,
        collectionTypes: ["MANUAL_FIXED", "INSTANT_PARTIAL"],
        newTermChangeRequest: null,
      },
    ],
    maxInstantLTV: null,
    manual: null,
    instant: null,
    ...overrides,
  };
}

/** An offer as the server writes it, for tests. `number` orders offers of the same quote. */
export function wireOffer(number: number, overrides: Partial<Wire["BookOffer"]> = {}): Wire["BookOffer"] {
  const id = `of_1${number.toString(16).padStart(10, "0")}`;
  return {
    offerId: id,
    external_id: id,
    lender_id: "us_1",
    subCollectionId: "0",
    process: "manual",
    principal_amount_sats: 1_000_000,
    auto_principal_amount_used_sats: 0,
    available_sats: 1_000_000,
    fungible_amount: null,
    available_collateral: null,
    isAgreed: false,
    isPegged: false,
    ltv_max: null,
    interest_rate_percentage: 3,
    loan_term_days: 30,
    lenderAcceptanceRate: null,
    goodUntil: null,
    conditions: null,
    created_at: 1_700_000_000_000,
    updated_at: 1_700_000_000_000,
    state: "live",
    ...overrides,
  };
}

export function row(overrides: Partial<Wire["Row"]> = {}) {
  return v.parse(collection, wireRow(overrides));
}

export function offer(number: number, overrides: Partial<Wire["BookOffer"]> = {}) {
  return v.parse(bookOffer, wireOffer(number, overrides));
}

/** The conditions of an offer that names the user as its borrower, and asks for nothing else. */
export const FOR_USER: Conditions = { ...NO_CONDITIONS, borrowerAddress: "bc1q" };

/** An offer of another lender that names the user as its borrower, and asks for nothing else. */
export function namedOffer(number: number, overrides: Partial<Wire["BookOffer"]> = {}) {
  return offer(number, { lender_id: "us_l", state: "conditional", conditions: FOR_USER, ...overrides });
}

/** A borrower's negotiation as the server writes it: the borrower has proposed, and waits. */
export function wireNegotiation(overrides: Partial<Wire["NegotiationView"]> = {}): Wire["NegotiationView"] {
  return {
    negotiationId: "ng_1",
    groupId: "g_1",
    offerId: "of_10000000001",
    requestId: null,
    loanId: null,
    role: "borrower",
    counterpartyId: "us_2",
    inscriptionId: `${"ab".repeat(32)}i0`,
    inscriptionIds: [`${"ab".repeat(32)}i0`],
    fungibleAmount: null,
    proposals: [wireProposal()],
    roundsMax: 10,
    state: "open",
    isYourTurn: false,
    agreedOfferId: null,
    changedAt: 1_700_000_000_000,
    keptUntil: 1_700_000_600_000,
    ...overrides,
  };
}

export function wireProposal(overrides: Partial<Wire["ProposalView"]> = {}): Wire["ProposalView"] {
  return {
    by: "borrower",
    principalAmountSats: 1_000_000,
    interestRatePercentage: 2.5,
    loanTermDays: 21,
    goodUntil: 1_700_000_600_000,
    ...overrides,
  };
}

export function negotiation(overrides: Partial<Wire["NegotiationView"]> = {}): Negotiation {
  return v.parse(negotiationView, wireNegotiation(overrides));
}
