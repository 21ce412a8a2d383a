import * as v from "valibot";
import type { Wire } from "./operation";
import {
  count,
  externalUrl,
  imageUrl,
  lenientArray,
  percent,
  rawAmount,
  sats,
  text,
  timeMs,
  unitPrice,
} from "./wire";

export const collateralType = v.picklist(["inscription", "rune", "brc20"]);
export type CollateralType = v.InferOutput<typeof collateralType>;

/** Manual offers are counter-signed by their lender; instant ones are backed by a vault. */
export type ProcessType = Wire["ProcessName"];

export const termChange = v.object({
  newTermId: text,
  previousInterestRate: percent,
  newInterestRate: percent,
  previousDays: count,
  newDays: count,
  changeDate: timeMs,
  hasTermChangePassed: v.boolean(),
});
export type TermChange = v.InferOutput<typeof termChange>;

const subCollection = v.object({
  /** Index within the group, `"0"`, `"1"`. */
  id: text,
  slug: text,
  /** Days. */
  term: count,
  interest: percent,
  apy: percent,
  /** Raw amount of one bundle; null where the lender chooses the amount. */
  bundleSize: v.nullable(rawAmount),
  manual: v.boolean(),
  instant: v.boolean(),
  /** The process types whose offers are accepted. */
  collectionTypes: lenientArray(v.picklist(["MANUAL_FIXED", "INSTANT_PARTIAL"])),
  newTermChangeRequest: v.nullable(termChange),
});
export type SubCollection = v.InferOutput<typeof subCollection>;

const quotes = v.object({
  offerCount: count,
  lenderCount: count,
  bestOffer: v.nullable(sats),
  bestOfferId: v.nullable(text),
  nextBestOffers: v.array(text),
  bestSubCollectionId: v.nullable(text),
  term: v.nullable(count),
  interest: v.nullable(percent),
  apy: v.nullable(percent),
  /** Current LTV of the best offer; null without offers. */
  ltv: v.nullable(percent),
  maxLtv: v.nullable(percent),
  minLtv: v.nullable(percent),
  maxAPY: percent,
  minInterest: percent,
  liquiditySats: sats,
  instantBestOfferRange: v.nullable(v.object({ from: rawAmount, to: rawAmount })),
});
/** The offers of one process type in a group, summarized. */
export type Quotes = v.InferOutput<typeof quotes>;

const volumes = v.object({
  totalVolume: sats,
  volume24h: sats,
  volume7d: sats,
  volume30d: sats,
});
export type Volumes = v.InferOutput<typeof volumes>;

const priceChanges = v.object({
  change24h: v.nullable(percent),
  change7d: v.nullable(percent),
  change30d: v.nullable(percent),
});

export const collection = v.object({
  id: text,
  groupSlug: text,
  /** Slug of the first term that takes instant offers against inscriptions; null when none does. */
  instantOrdinalSlug: v.nullable(text),
  collectionName: text,
  collectionSymbol: text,
  collectionImgURL: imageUrl,
  collateralType,
  runeId: v.nullable(text),
  runeName: v.nullable(text),
  runeDecimals: v.nullable(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(38))),
  ticker: v.nullable(text),
  /** Sats; inscriptions only. */
  floor: v.nullable(sats),
  /** Sats per inscription or per whole token, scaled by 10^8. */
  unitPrice: v.nullable(unitPrice),
  pointsMultiplier: percent,
  isLendingAllowed: v.boolean(),
  totalLoans: count,
  runningLoans: count,
  externalCollectionLink: externalUrl,
  marketVolumeStats: v.nullable(volumes),
  internalVolumeStats: volumes,
  priceChangeStats: priceChanges,
  subCollections: v.array(subCollection),
  /** The highest current LTV of the instant offers; null without any. */
  maxInstantLTV: v.nullable(percent),
  manual: v.nullable(quotes),
  instant: v.nullable(quotes),
});
/** A row of the market: a group of sub-collections that share a collateral and a price. */
export type Collection = v.InferOutput<typeof collection>;

export const collectionPage = v.object({
  data: lenientArray(collection),
  nextCursor: v.nullable(text),
});

/** The part of the market that a collateral type belongs to, as the URL spells it. */
export type Category = "ordinals" | "runes" | "brc-20";

const CATEGORY: Record<CollateralType, Category> = {
  inscription: "ordinals",
  rune: "runes",
  brc20: "brc-20",
};

export function categoryOf(type: CollateralType): Category {
  return CATEGORY[type];
}

/** Unit of a token's amounts. Tickers are compared in lower case and shown in upper case. */
export function unitOf(token: {
  runeName: string | null;
  ticker: string | null;
  collectionSymbol: string;
}): string {
  return token.runeName ?? token.ticker?.toUpperCase() ?? token.collectionSymbol;
}

/** Decimals of the collateral's raw amounts: inscriptions are whole, BRC-20 amounts have eighteen. */
export function decimalsOf(row: Pick<Collection, "collateralType" | "runeDecimals">): number {
  return row.runeDecimals ?? (row.collateralType === "brc20" ? 18 : 0);
}
