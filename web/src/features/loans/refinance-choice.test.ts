import * as v from "valibot";
import { describe, expect, it } from "vitest";
import type { BookOffer } from "@/shared/api/book";
import { collection } from "@/shared/api/collection";
import { wireRow } from "@/shared/feed/feed-fixtures";
import { exampleLoan } from "./loan-example";
import { refinanceOffers } from "./refinance-choice";

const row = v.parse(collection, wireRow());

function offer(offerId: string, principalSats: bigint, fields: Partial<BookOffer> = {}): BookOffer {
  return {
    offerId,
    lenderId: "us_9",
    subCollectionId: row.subCollections[0]?.id ?? "0",
    process: "manual",
    principalSats,
    usedSats: 0n,
    availableSats: principalSats,
    fungibleAmount: 1n,
    availableCollateral: null,
    maxLtvBps: null,
    isAgreed: false,
    isPegged: false,
    interestPercent: 3,
    termDays: 14,
    acceptanceRate: null,
    createdAt: 0,
    updatedAt: 0,
    conditions: null,
    state: "live",
    ...fields,
  };
}

function choose(...offers: BookOffer[]) {
  const book = { row, offers: new Map(offers.map((each) => [each.offerId, each])), loans: new Map() };
  return refinanceOffers(exampleLoan(), book, "us_2");
}

describe("offers for a refinance", () => {
  it("are sorted by the largest first and the cheapest among equals", () => {
    const found = choose(
      offer("of_1", 5_000_000n),
      offer("of_2", 6_000_000n),
      offer("of_3", 6_000_000n, { interestPercent: 2 }),
    );
    expect(found.map(({ offerId }) => offerId)).toEqual(["of_3", "of_2", "of_1"]);
    expect(found.map(({ differenceSats }) => differenceSats)).toEqual([850_000n, 850_000n, -150_000n]);
  });

  it("are manual, live, another lender's and for the same collateral", () => {
    const found = choose(
      offer("of_1", 5_000_000n, { process: "instant" }),
      offer("of_2", 5_000_000n, { state: "reserved" }),
      offer("of_3", 5_000_000n, { lenderId: "us_2" }),
      offer("of_4", 5_000_000n, { fungibleAmount: 2n }),
    );
    expect(found).toEqual([]);
  });
});
