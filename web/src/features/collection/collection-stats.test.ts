import { describe, expect, test } from "vitest";
import type { Collection, Quotes } from "@/shared/api/collection";
import { collectionStats } from "./collection-stats";

const QUOTES: Quotes = {
  offerCount: 3,
  lenderCount: 2,
  bestOffer: 1_330_000n,
  bestOfferId: "of_1",
  nextBestOffers: [],
  bestSubCollectionId: "0",
  term: 30,
  interest: 3.25,
  apy: 47.57,
  ltv: 66.47,
  maxLtv: 66.47,
  minLtv: 45.73,
  maxAPY: 51.51,
  minInterest: 0.8,
  liquiditySats: 12_440_000n,
  instantBestOfferRange: null,
};

function row(manual: Quotes | null, instant: Quotes | null): Collection {
  const sub = (term: number, interest: number, apy: number) => ({
    term,
    interest,
    apy,
    manual: manual !== null,
    instant: instant !== null,
  });
  const subCollections = [sub(7, 0.8, 51.51), sub(30, 3.25, 47.57), sub(60, 8.9, 68)];
  return { manual, instant, subCollections } as unknown as Collection;
}

describe("the figures of a collection", () => {
  test("are all those of the best offer, as in its row of the market", () => {
    expect(collectionStats(row(QUOTES, null), "borrow", "manual", null)).toEqual({
      offerCount: 3,
      bestSats: 1_330_000n,
      isForUser: false,
      ratePercent: 3.25,
      term: "30d",
      ltvPercent: 66.47,
    });
    expect(collectionStats(row(QUOTES, null), "lend", "manual", null)).toMatchObject({
      bestSats: 1_330_000n,
      ratePercent: 47.57,
      term: "30d",
      ltvPercent: 66.47,
    });
  });

  test("are of a term with an offer if there is one", () => {
    const { interest, term } = QUOTES;
    expect(row(QUOTES, null).subCollections.some((sub) => sub.interest < (interest ?? 0))).toBe(true);
    expect(collectionStats(row(null, QUOTES), "borrow", "instant", null).term).toBe(`${term}d`);
  });

  test("are of the requested process type", () => {
    const instant = { ...QUOTES, term: 14, ltv: 50 };
    expect(collectionStats(row(QUOTES, instant), "lend", "instant", null)).toMatchObject({
      term: "14d",
      ltvPercent: 50,
    });
  });

  test("are of the other type where the requested one is not available", () => {
    expect(collectionStats(row(null, QUOTES), "lend", "manual", null).term).toBe("30d");
    expect(collectionStats(row(null, null), "lend", "manual", null)).toEqual({
      offerCount: 0,
      bestSats: null,
      isForUser: false,
      ratePercent: null,
      term: "–",
      ltvPercent: null,
    });
  });

  test("without offers are those of one possible term: the most to earn, or the least to pay", () => {
    const none = {
      ...QUOTES,
      offerCount: 0,
      bestOffer: null,
      term: null,
      interest: null,
      apy: null,
      ltv: null,
    };
    expect(collectionStats(row(none, null), "borrow", "manual", null)).toEqual({
      offerCount: 0,
      bestSats: null,
      isForUser: false,
      ratePercent: 0.8,
      term: "7d",
      ltvPercent: null,
    });
    expect(collectionStats(row(none, null), "lend", "manual", null)).toMatchObject({
      ratePercent: 68,
      term: "60d",
    });
  });

  test("count the offers of both types", () => {
    expect(collectionStats(row(QUOTES, QUOTES), "borrow", "manual", null).offerCount).toBe(6);
  });
});
