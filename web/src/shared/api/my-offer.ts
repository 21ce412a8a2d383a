import * as v from "valibot";
import { collateralType, termChange } from "./collection";
import { conditions } from "./conditions";
import { peg } from "./peg";
import { count, imageUrl, lenientArray, percent, rawAmount, sats, text, timeMs, unitPrice } from "./wire";

export const offerTag = v.picklist([
  "best offer",
  "under offer",
  "manual",
  "instant",
  "ordinal",
  "brc20",
  "rune",
  "paused",
]);
export type OfferTag = v.InferOutput<typeof offerTag>;

export const myOffer = v.object({
  offerId: text,
  /** The vault signer's id of the offer; null for manual offers. */
  canisterInstantID: v.nullable(text),
  groupId: text,
  groupSlug: text,
  collectionName: text,
  collectionSymbol: text,
  collectionImgURL: imageUrl,
  collateralType,
  subCollectionId: text,
  /** Slug of the sub-collection. */
  collectionSlug: text,
  loanProcessType: v.picklist(["Manual", "Instant"]),
  principal: sats,
  usedPrincipal: sats,
  availablePrincipal: sats,
  availableCollateral: rawAmount,
  fungibleAmount: rawAmount,
  bundleSize: v.nullable(rawAmount),
  isBestOffer: v.boolean(),
  /** 1 is the best offer; null while paused or taken. */
  offerRanking: v.nullable(count),
  /** The number of offers in the same ranking. */
  rankedOffers: count,
  bestOffer: v.nullable(sats),
  bestOfferId: v.nullable(text),
  /** Sats missing to rank first; zero for the best offer, null when not ranked. */
  toLeadSats: v.nullable(sats),
  minLtv: v.nullable(percent),
  maxLtv: v.nullable(percent),
  maxInstantLTV: v.nullable(percent),
  ltv: v.nullable(percent),
  /** Whether its terms were agreed on with its borrower: it can be cancelled, and not edited. */
  isAgreed: v.boolean(),
  /** The bounds within which `principal` follows the floor; null if it is fixed. */
  peg: v.nullable(peg),
  apy: percent,
  interest: percent,
  /** Days. */
  term: count,
  floor: v.nullable(sats),
  unitPrice: v.nullable(unitPrice),
  runeId: v.nullable(text),
  runeName: v.nullable(text),
  runeDecimals: v.nullable(count),
  instantBestOfferRange: v.nullable(v.object({ from: rawAmount, to: rawAmount })),
  tags: lenientArray(offerTag),
  ltv_paused: v.boolean(),
  balance_paused: v.boolean(),
  isPausedFromMaxLTV: v.boolean(),
  isPausedFromInsufficientBalance: v.boolean(),
  isPausedFromTerms: v.boolean(),
  /** The payment address lacks the coins that a manual offer lends; for BRC-20 the one exact coin. */
  isPausedFromMissingFunds: v.boolean(),
  isPausedFromLimits: v.boolean(),
  isPausedFromAbsence: v.boolean(),
  isPausedByLender: v.boolean(),
  /** The time until which it was good is over. */
  isExpired: v.boolean(),
  /** Null if it is good until it is cancelled. */
  goodUntil: v.nullable(timeMs),
  /** Whether `goodUntil` is part of what its lender signed: it can only become shorter. */
  isTimeSigned: v.boolean(),
  /** What it asks of borrowers; null if anyone can take it. */
  conditions: v.nullable(conditions),
  acceptsNextTerm: v.boolean(),
  newTermChangeRequest: v.nullable(termChange),
  createdAt: timeMs,
  updatedAt: timeMs,
});
/** An offer of the signed-in user. */
export type MyOffer = v.InferOutput<typeof myOffer>;

/** Whether a borrower is taking it, so that it cannot be changed. */
export function isUnderOffer({ tags }: Pick<MyOffer, "tags">): boolean {
  return tags.includes("under offer");
}

export const myOfferPage = v.object({ data: lenientArray(myOffer), nextCursor: v.nullable(text) });

export const vault = v.object({ usableBalanceSats: sats, balanceSats: sats, vaultAddress: v.nullable(text) });
export type Vault = v.InferOutput<typeof vault>;
