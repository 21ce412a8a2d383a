import type { LendAction, LendTarget } from "./lend-draft";

/** The actions that let a principal follow the floor at 59.5 %, from 0.03 to 0.09 BTC. */
export const PEGGED: Array<Exclude<LendAction, { type: "targetChosen" | "marketMoved" }>> = [
  { type: "pegSet", isPegged: true },
  { type: "pegTyped", field: "shareText", text: "59.5" },
  { type: "pegTyped", field: "leastText", text: "0.03" },
  { type: "pegTyped", field: "mostText", text: "0.09" },
];

/** A test fixture: one inscription at a floor of 0.1 BTC, 14 days at 3 %. */
export const INSCRIPTION: LendTarget = {
  subCollectionId: "0",
  collectionSlug: "quiet-foxes-14d",
  price: 10_000_000n * 100_000_000n,
  raw: 1n,
  decimals: 0,
  interestBps: 300,
  termDays: 14,
  platformFee: { percent: 20, minSats: 330n },
  bestOfferSats: null,
  minOfferSats: 30_000n,
  maxOfferSats: 2_000_000_000n,
  countMax: 5,
};
