import { bookOf } from "@client/book.ts";
import { describe, expect, it } from "vitest";
import type { MyOffer } from "@/shared/api/my-offer";
import { FOR_USER, namedOffer, offer, row } from "@/shared/feed/feed-fixtures";
import { ANY_BORROWER } from "@/shared/feed/taker";
import {
  bookSummary,
  collateralText,
  initialSelection,
  isBundled,
  loanLines,
  offerLines,
  offersForUser,
  ownBest,
  subCollectionLabel,
} from "./book-view";

const SELECTION = { subCollectionId: "0", process: "manual" } as const;

/** Offers as a table: number, principal in thousands of sats, lender, state. */
function book(lines: Array<[number, number, string, "live" | "reserved"]>) {
  return bookOf({
    row: row({ unitPrice: "1000000.00000000" }),
    offers: lines.map(([number, thousands, lender, state]) =>
      offer(number, {
        principal_amount_sats: thousands * 1_000,
        available_sats: state === "reserved" ? 0 : thousands * 1_000,
        lender_id: lender,
        state,
      }),
    ),
    loans: [],
  });
}

describe("the collateral of an offer", () => {
  const tokens = row({ collateralType: "rune", runeDecimals: 2 });

  it("is named where it is not one inscription", () => {
    expect(collateralText(offer(1), row())).toBeNull();
    expect(collateralText(offer(1, { fungible_amount: "5", state: "conditional" }), row())).toBe(
      "5 inscriptions",
    );
  });

  it("against tokens is what can be taken now", () => {
    const instant = { process: "instant", fungible_amount: "100000", available_collateral: "25050" } as const;
    expect(collateralText(offer(1, instant), tokens)).toBe("250.5");
    expect(collateralText(offer(1, { ...instant, state: "reserved" }), tokens)).toBeNull();
    expect(collateralText(offer(1, { ...instant, process: "manual" }), tokens)).toBeNull();
  });
});

describe("offersForUser", () => {
  it("are those that name the user alone and are not in the selection shown, best first", () => {
    const named = (number: number, sats: number, repaidMin = 0) =>
      offer(number, {
        principal_amount_sats: sats,
        lender_id: "us_l",
        state: "conditional",
        conditions: { ...FOR_USER, repaidMin },
      });
    const all = bookOf({
      row: row(),
      offers: [named(1, 5_000), named(2, 9_000), named(3, 9_500, 2)],
      loans: [],
    });
    const ids = (process: "manual" | "instant", userId: string | null) =>
      offersForUser(all, { subCollectionId: "0", process }, userId).map(({ principalSats }) => principalSats);
    expect(ids("instant", "us_b")).toEqual([9_000n, 5_000n]);
    expect(ids("instant", "us_l")).toEqual([]);
    expect(ids("manual", "us_b")).toEqual([]);
  });
});

describe("offerLines", () => {
  it("puts the highest principal first and marks the best available one", () => {
    const lines = offerLines(
      book([
        [1, 400, "us_a", "live"],
        [2, 900, "us_b", "reserved"],
        [3, 600, "us_a", "live"],
      ]),
      SELECTION,
      { ...ANY_BORROWER, userId: "us_a" },
      "lend",
    );
    expect(lines.map((line) => [line.offer.principalSats, line.best, line.own])).toEqual([
      [900_000n, false, false],
      [600_000n, true, true],
      [400_000n, false, true],
    ]);
    expect(lines.map((line) => line.ltv)).toEqual([90, 60, 40]);
    expect(
      lines.map((line) => line.sats),
      "what is held is not lent yet",
    ).toEqual([900_000n, 600_000n, 400_000n]);
    expect(lines[0]?.depth).toBe(1);
    expect(lines[2]?.depth).toBeCloseTo(0.444);
  });

  it("keeps to its sub-collection and process", () => {
    const other = offer(4, { process: "instant" });
    const mixed = bookOf({ row: row(), offers: [other], loans: [] });
    expect(offerLines(mixed, SELECTION, ANY_BORROWER, "borrow")).toEqual([]);
  });

  it("has no own offers while signed out", () => {
    expect(offerLines(book([[1, 400, "us_a", "live"]]), SELECTION, ANY_BORROWER, "borrow")[0]?.own).toBe(
      false,
    );
  });
});

describe("bookSummary", () => {
  it("measures the part of the collateral's value that the best offer leaves", () => {
    const b = book([
      [1, 400, "us_a", "live"],
      [2, 600, "us_b", "live"],
    ]);
    expect(bookSummary(b, SELECTION, offerLines(b, SELECTION, ANY_BORROWER, "borrow"), "borrow")).toEqual({
      bestSats: 600_000n,
      isBestForUser: false,
      worthSats: 1_000_000n,
      spreadPercent: 40,
      instantLiquiditySats: 0n,
      lenders: 2,
      areLendersForUser: false,
    });
  });

  it("counts for a borrower what they can take, and for a lender what anyone can", () => {
    const b = book([
      [1, 400, "us_a", "live"],
      [2, 600, "us_b", "live"],
    ]);
    const named = namedOffer(3, { principal_amount_sats: 700_000, available_sats: 700_000 });
    const summary = (seen: typeof b, userId: string | null, mode: "borrow" | "lend") => {
      const shown = bookSummary(
        seen,
        SELECTION,
        offerLines(seen, SELECTION, { ...ANY_BORROWER, userId }, mode),
        mode,
      );
      return [shown.bestSats, shown.isBestForUser, shown.lenders, shown.areLendersForUser];
    };
    const withNamed = { ...b, offers: new Map([...b.offers, [named.offerId, named]]) };
    expect(summary(withNamed, "us_c", "borrow")).toEqual([700_000n, true, 3, true]);
    expect(summary(withNamed, "us_c", "lend")).toEqual([600_000n, false, 2, false]);
    expect(summary(b, "us_b", "borrow")).toEqual([400_000n, true, 1, true]);
    expect(summary(b, "us_b", "lend")).toEqual([600_000n, false, 2, false]);
  });

  it("has only the price for an empty book", () => {
    const b = book([]);
    expect(bookSummary(b, SELECTION, [], "borrow")).toMatchObject({
      bestSats: null,
      spreadPercent: null,
      worthSats: 1_000_000n,
    });
  });

  it("prices a bundle of tokens by its decimals", () => {
    const tokens = bookOf({
      row: row({
        collateralType: "rune",
        runeDecimals: 2,
        unitPrice: "0.50000000",
        subCollections: [
          {
            id: "0",
            slug: "s",
            term: 30,
            interest: 3,
            apy: 40,
            bundleSize: "100000000",
            manual: true,
            instant: false,
            collectionTypes: ["MANUAL_FIXED"],
            newTermChangeRequest: null,
          },
        ],
      }),
      offers: [],
      loans: [],
    });
    expect(bookSummary(tokens, SELECTION, [], "borrow").worthSats).toBe(500_000n);
    const [sub] = tokens.row.subCollections;
    expect(sub && subCollectionLabel(tokens.row, sub)).toBe("1,000,000 FOX, 30 days, 3%");
    expect(isBundled(tokens.row, tokens.row.subCollections)).toBe(true);
  });

  it("shows the remaining part of a partly taken offer, like its row", () => {
    const half = bookOf({
      row: row({ collateralType: "rune", runeDecimals: 0, unitPrice: "10.00000000" }),
      offers: [
        offer(1, {
          process: "instant",
          principal_amount_sats: 2_670_000,
          auto_principal_amount_used_sats: 776_000,
          available_sats: 1_894_000,
          fungible_amount: "534000",
          available_collateral: "378800",
        }),
      ],
      loans: [],
    });
    const selection = { ...SELECTION, process: "instant" } as const;
    const lines = offerLines(half, selection, ANY_BORROWER, "borrow");
    expect(bookSummary(half, selection, lines, "borrow")).toMatchObject({
      bestSats: lines[0]?.sats,
      worthSats: 3_788_000n,
      spreadPercent: 50,
    });
    expect(lines[0]?.sats).toBe(1_894_000n);
  });

  it("has no value where lenders choose the amount and there is no offer", () => {
    const free = bookOf({ row: row({ collateralType: "rune", runeDecimals: 0 }), offers: [], loans: [] });
    expect(bookSummary(free, SELECTION, [], "borrow").worthSats).toBeNull();
  });

  it("names the bundle size of inscriptions only above one", () => {
    const [sub] = row().subCollections;
    if (!sub) throw new Error("no sub-collection");
    expect(subCollectionLabel(row(), { ...sub, bundleSize: 1n })).toBe("30 days, 3%");
    expect(subCollectionLabel(row(), { ...sub, bundleSize: 5n })).toBe("5 inscriptions, 30 days, 3%");
    expect(isBundled(row(), [{ ...sub, bundleSize: 1n }])).toBe(false);
  });
});

describe("loanLines", () => {
  it("shows the latest first and marks the user's own on either side", () => {
    const loan = (id: string, acceptedAt: number, lenderId: string, borrowerId: string) => ({
      id,
      subCollectionId: "0",
      acceptedAt,
      principalSats: 1_000n,
      fungibleAmount: null,
      lenderId,
      borrowerId,
    });
    const b = bookOf({
      row: row(),
      offers: [],
      loans: [
        loan("ln_1", 1, "us_a", "us_b"),
        loan("ln_2", 2, "us_c", "us_a"),
        loan("ln_3", 3, "us_c", "us_b"),
      ],
    });
    expect(loanLines(b, "0", "us_a").map((line) => [line.loan.id, line.own])).toEqual([
      ["ln_3", false],
      ["ln_2", true],
      ["ln_1", true],
    ]);
  });
});

describe("openingPlace", () => {
  it("falls back to the other process type", () => {
    expect(initialSelection(row(), "instant")).toEqual({ subCollectionId: "0", process: "instant" });
    expect(initialSelection(row({ subCollections: [] }), "manual")).toBeNull();
  });
});

describe("ownBest", () => {
  it("prefers the best rank and takes a paused offer only when there is no other", () => {
    const mine = (offerId: string, offerRanking: number | null) =>
      ({ offerId, groupId: "g_1", subCollectionId: "0", loanProcessType: "Manual", offerRanking }) as MyOffer;
    expect(ownBest([mine("a", null), mine("b", 4), mine("c", 2)], "g_1", SELECTION)?.offerId).toBe("c");
    expect(ownBest([mine("a", null)], "g_1", SELECTION)?.offerId).toBe("a");
    expect(ownBest([mine("a", 1)], "g_2", SELECTION)).toBeNull();
  });
});
