import * as v from "valibot";
import { describe, expect, it } from "vitest";
import type { BookOffer } from "@/shared/api/book";
import { collection } from "@/shared/api/collection";
import type { Loan } from "@/shared/api/loan";
import { wireRow } from "@/shared/feed/feed-fixtures";
import { exampleLoan } from "../loan-example";
import { offersWithin, type RefinanceOffer, refinanceOffers, shownOffers } from "./refinance-choice";

const row = v.parse(collection, wireRow());
const SMALLEST_PART_SATS = 40_000n;
const limits = {
  minOfferSats: { inscription: 1_000n, rune: 1_000n, brc20: 1_000n, instantRune: SMALLEST_PART_SATS },
};

/** A rune with one open term for instant offers, and bundles of 500 for manual ones. */
const [term] = wireRow().subCollections;
const runeRow = v.parse(
  collection,
  wireRow({
    collateralType: "rune",
    runeDecimals: 0,
    subCollections: term
      ? [
          { ...term, id: "0", bundleSize: null },
          { ...term, id: "1", bundleSize: "500" },
        ]
      : [],
  }),
);
const runeLoan = (pledged: bigint) =>
  exampleLoan({ collateralType: "rune", inscriptionIds: [], fungibleAmount: pledged });

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

function chooseFor(loan: Loan, from: typeof row, offers: readonly BookOffer[]) {
  const book = { row: from, offers: new Map(offers.map((each) => [each.offerId, each])), loans: new Map() };
  return refinanceOffers(loan, book, { userId: "us_2", limits });
}

const choose = (...offers: BookOffer[]) => chooseFor(exampleLoan(), row, offers);
const ids = (offers: readonly RefinanceOffer[]) => offers.map(({ offerId }) => offerId);

describe("offers for a refinance", () => {
  it("are sorted by the largest first and the cheapest per day among equals", () => {
    const found = choose(
      offer("of_1", 5_000_000n),
      offer("of_2", 6_000_000n),
      offer("of_3", 6_000_000n, { interestPercent: 2 }),
      // More interest, but over twice the time.
      offer("of_4", 6_000_000n, { interestPercent: 3.5, termDays: 28 }),
    );
    expect(ids(found)).toEqual(["of_4", "of_3", "of_2", "of_1"]);
    expect(found.map(({ differenceSats }) => differenceSats)).toEqual([
      850_000n,
      850_000n,
      850_000n,
      -150_000n,
    ]);
  });

  it("are live, another lender's and for the same collateral", () => {
    const found = choose(
      offer("of_2", 5_000_000n, { state: "reserved" }),
      offer("of_3", 5_000_000n, { lenderId: "us_2" }),
      offer("of_4", 5_000_000n, { fungibleAmount: 2n }),
      offer("of_5", 5_000_000n, { state: "conditional" }),
    );
    expect(found).toEqual([]);
  });

  it("are manual or instant", () => {
    const found = choose(offer("of_1", 5_000_000n, { process: "instant" }), offer("of_2", 4_000_000n));
    expect(found.map(({ process }) => process)).toEqual(["instant", "manual"]);
  });

  it("leave out the refused ones", () => {
    const book = { row, offers: new Map([["of_1", offer("of_1", 5_000_000n)]]), loans: new Map() };
    const refusedIds = new Set(["of_1"]);
    expect(refinanceOffers(exampleLoan(), book, { userId: "us_2", limits, refusedIds })).toEqual([]);
  });
});

describe("offers that are taken in parts", () => {
  const open = (offerId: string, fields: Partial<BookOffer> = {}) =>
    offer(offerId, 1_000_000n, { process: "instant", fungibleAmount: 1_500n, ...fields });
  const principals = (pledged: bigint, ...offers: BookOffer[]) =>
    chooseFor(runeLoan(pledged), runeRow, offers).map(({ principal }) => principal);

  it("lend the share of exactly the loan's amount, rounded down, and interest on that share", () => {
    const [found] = chooseFor(runeLoan(500n), runeRow, [open("of_1")]);
    expect(found).toMatchObject({ principal: 333_333n, payoutSats: 343_333n, term: 14 });
    expect(found?.differenceSats).toBe(333_333n - 5_150_000n);
  });

  it("lend everything against all of the amount, and nothing against more", () => {
    expect(principals(1_500n, open("of_1"))).toEqual([1_000_000n]);
    expect(principals(1_501n, open("of_1"))).toEqual([]);
  });

  it("lend no more than is left", () => {
    expect(principals(500n, open("of_1", { availableSats: 333_333n }))).toEqual([333_333n]);
    expect(principals(500n, open("of_1", { availableSats: 333_332n }))).toEqual([]);
  });

  it("lend no part below the smallest", () => {
    expect(principals(60n, open("of_1"))).toEqual([SMALLEST_PART_SATS]);
    expect(principals(59n, open("of_1"))).toEqual([]);
  });

  it("are compared with bundles, which take their own amount only", () => {
    const bundle = offer("of_2", 400_000n, { subCollectionId: "1", fungibleAmount: 500n });
    expect(principals(500n, open("of_1"), bundle)).toEqual([400_000n, 333_333n]);
    expect(principals(501n, open("of_1"), bundle)).toEqual([334_000n]);
  });

  it("are none without an amount", () => {
    expect(principals(500n, open("of_1", { fungibleAmount: null }))).toEqual([]);
  });
});

describe("the shown offers", () => {
  const instant = { process: "instant" } as const;
  const offers = choose(
    offer("of_1", 5n),
    offer("of_2", 4n),
    offer("of_3", 3n),
    offer("of_4", 2n, instant),
    offer("of_5", 1n, instant),
  );

  it("are the best ones of each process, and the chosen one too", () => {
    expect(ids(shownOffers(offers, null, 2))).toEqual(["of_1", "of_2", "of_4", "of_5"]);
    expect(ids(shownOffers(offers, "of_3", 1))).toEqual(["of_1", "of_3", "of_4"]);
    expect(ids(shownOffers(offers, "of_1", 1))).toEqual(["of_1", "of_4"]);
    expect(ids(shownOffers(offers, "of_9", 1))).toEqual(["of_1", "of_4"]);
  });
});

describe("offers within a standing order", () => {
  const order = { principalMinSats: 100n, interestMaxPercentage: 2.05, termMinDays: 7, termMaxDays: 30 };

  it.each([
    [100n, { interestPercent: 2.05, termDays: 7 }, true],
    [101n, { interestPercent: 0, termDays: 30 }, true],
    [99n, { interestPercent: 2.05, termDays: 7 }, false],
    [100n, { interestPercent: 2.06, termDays: 7 }, false],
    [100n, { interestPercent: 2.05, termDays: 6 }, false],
    [100n, { interestPercent: 2.05, termDays: 31 }, false],
  ])("are of %i sats with %o: %s", (principal, fields, isWithin) => {
    expect(offersWithin(choose(offer("of_1", principal, fields)), order)).toHaveLength(isWithin ? 1 : 0);
  });

  it("have the lowest interest per day first, then the largest principal", () => {
    const found = choose(
      offer("of_1", 300n, { interestPercent: 2 }),
      offer("of_2", 100n, { interestPercent: 2, termDays: 28 }),
      offer("of_3", 200n, { interestPercent: 1 }),
    );
    expect(ids(offersWithin(found, order))).toEqual(["of_3", "of_2", "of_1"]);
  });
});
