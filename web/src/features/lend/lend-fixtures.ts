import type { LendTarget } from "./lend-draft";

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
