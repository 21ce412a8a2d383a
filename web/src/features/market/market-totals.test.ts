import { expect, it } from "vitest";
import type { Quotes } from "@/shared/api/collection";
import { row } from "@/shared/feed/feed-fixtures";
import { marketTotals } from "./market-totals";

const group = row();

function quotes(fields: Partial<Quotes>): Quotes {
  return {
    offerCount: 0,
    lenderCount: 0,
    bestOffer: null,
    bestOfferId: null,
    nextBestOffers: [],
    bestSubCollectionId: null,
    term: null,
    interest: null,
    apy: null,
    ltv: null,
    maxLtv: null,
    minLtv: null,
    maxAPY: 99,
    minInterest: 0.1,
    liquiditySats: 0n,
    instantBestOfferRange: null,
    ...fields,
  };
}

it("sums a category up, and uses the best rate of an existing offer", () => {
  const volumes = { ...group.internalVolumeStats, volume24h: 5n };
  const shared = { ...group, internalVolumeStats: volumes, runningLoans: 2 };
  const rows = [
    {
      ...shared,
      collectionName: "Foxes",
      manual: quotes({ offerCount: 3, liquiditySats: 700n, term: 30, interest: 3, apy: 43 }),
    },
    {
      ...shared,
      collectionName: "Bears",
      manual: quotes({ offerCount: 1, liquiditySats: 300n, term: 7, interest: 1, apy: 68 }),
    },
    { ...shared, collectionName: "Empty", manual: quotes({}) },
    { ...shared, collateralType: "rune" as const, manual: quotes({ liquiditySats: 1_000_000n }) },
  ];
  expect(marketTotals(rows, "ordinals", "manual", "borrow")).toEqual({
    liquiditySats: 1_000n,
    offerCount: 4,
    lent24hSats: 15n,
    runningLoans: 6,
    best: { terms: { term: 7, interest: 1, apy: 68 }, collectionName: "Bears" },
  });
  expect(marketTotals(rows, "ordinals", "manual", "lend").best?.collectionName).toBe("Bears");
  expect(marketTotals([], "ordinals", "manual", "lend").best).toBeNull();
});
