import { describe, expect, it } from "vitest";
import type { Wire } from "@/shared/api/operation";
import { row, wireRow } from "@/shared/feed/feed-fixtures";
import {
  enteredText,
  fillableTerms,
  minSatsOf,
  newRequestDraft,
  type RequestDraft,
  requestError,
  requestFigures,
  requestOf,
  toggled,
} from "./request-draft";

const LIMITS = {
  minOfferSats: { inscription: 30_000n, rune: 50_000n, brc20: 50_000n, instantRune: 20_000n },
};

type WireTerm = Wire["Row"]["subCollections"][number];

const [TERM] = wireRow().subCollections as [WireTerm];
const sub = (changed: Partial<WireTerm>): WireTerm => ({ ...TERM, ...changed });

/** Inscriptions at a floor of 0.1 BTC, for 7, 14 and 30 days. */
const FOXES = row({
  unitPrice: "10000000.00000000",
  subCollections: [
    sub({ id: "0", term: 30, interest: 3 }),
    sub({ id: "1", term: 7, interest: 1 }),
    sub({ id: "2", term: 14, interest: 2, instant: false }),
    sub({ id: "3", term: 90, interest: 3, manual: false, instant: false }),
  ],
});

/** A rune with two decimals at 10 sats: bundles of 10,000 for 7 days, any amount for 14 days. */
const PUPS = row({
  collateralType: "rune",
  runeId: "1:1",
  runeName: "PUPS",
  runeDecimals: 2,
  unitPrice: "10.00000000",
  subCollections: [
    sub({ id: "0", term: 7, interest: 1, bundleSize: "1000000", instant: false }),
    sub({ id: "1", term: 14, interest: 2, bundleSize: null, manual: false }),
  ],
});

const asked = (changed: Partial<RequestDraft> = {}): RequestDraft => ({
  ...newRequestDraft(FOXES),
  inscriptionIds: ["i0"],
  principalText: "0.05",
  ...changed,
});
const tokens = (changed: Partial<RequestDraft> = {}): RequestDraft => ({
  ...newRequestDraft(PUPS),
  tokenText: "10000",
  principalText: "0.0005",
  ...changed,
});
const days = (draft: RequestDraft) => fillableTerms(draft).map(({ term }) => term);

describe("a new draft", () => {
  it("takes any term that has offers, at the highest interest", () => {
    expect(newRequestDraft(FOXES)).toMatchObject({ termMinDays: 7, termMaxDays: 30, interestText: "3" });
  });
});

describe("the terms that lenders can fill a request with", () => {
  it("are within the interest and the days", () => {
    expect(days(asked())).toEqual([30, 7, 14]);
    expect(days(asked({ interestText: "2" }))).toEqual([7, 14]);
    expect(days(asked({ interestText: "1.99" }))).toEqual([7]);
    expect(days(asked({ termMinDays: 14 }))).toEqual([30, 14]);
    expect(days(asked({ termMaxDays: 14 }))).toEqual([7, 14]);
  });

  it("are none without an interest", () => {
    for (const interestText of ["", "x", "1.234", "-1"]) expect(days(asked({ interestText }))).toEqual([]);
  });

  it("take the amount of tokens: the bundle itself, or any", () => {
    expect(days(tokens())).toEqual([7, 14]);
    expect(days(tokens({ tokenText: "9999.99" }))).toEqual([14]);
  });

  it("have every bundle before an amount is entered", () => {
    expect(days(tokens({ tokenText: "" }))).toEqual([7, 14]);
  });
});

describe("the smallest principal", () => {
  it("is the least minimum of the processes of the terms that fit", () => {
    expect(minSatsOf(asked(), LIMITS)).toBe(30_000n);
    expect(minSatsOf(tokens(), LIMITS)).toBe(20_000n);
    expect(minSatsOf(tokens({ termMaxDays: 7 }), LIMITS)).toBe(50_000n);
  });

  it("is unknown if no term fits", () => {
    expect(minSatsOf(asked({ interestText: "0" }), LIMITS)).toBeNull();
  });
});

describe("the first reason why a request cannot be signed", () => {
  it.each([
    ["no inscription", asked({ inscriptionIds: [] }), "Choose an inscription"],
    ["no tokens", tokens({ tokenText: "" }), "Enter an amount of tokens"],
    ["zero tokens", tokens({ tokenText: "0" }), "Enter an amount of tokens"],
    [
      "no price",
      asked({ row: { ...FOXES, unitPrice: null } }),
      "The price of this collection is not known yet",
    ],
    ["no principal", asked({ principalText: "" }), "Enter the principal"],
    [
      "a principal below the smallest",
      asked({ principalText: "0.00029" }),
      "The principal is below the smallest offer of this collection",
    ],
    [
      "a principal below the smallest of the only term that fits",
      tokens({ termMaxDays: 7, principalText: "0.00049" }),
      "The principal is below the smallest offer of this collection",
    ],
    [
      "an LTV of 99%",
      asked({ principalText: "0.099" }),
      "The principal must stay below 99% of the collateral's value",
    ],
    [
      "an interest with three decimals",
      asked({ interestText: "1.234" }),
      "Enter the highest interest, with at most two decimals",
    ],
    [
      "an interest below that of every term",
      asked({ interestText: "0.99" }),
      "No term of this collection is within this interest and these days",
    ],
  ])("is %s", (_, draft, reason) => {
    expect(requestError(draft, LIMITS)).toBe(reason);
  });

  it.each([
    ["the smallest principal", asked({ principalText: "0.0003" })],
    ["an LTV just below 99%", asked({ principalText: "0.09899" })],
    ["the smallest instant offer against a rune", tokens({ principalText: "0.0002" })],
    ["the interest of the only term that fits", asked({ interestText: "1" })],
  ])("is none at %s", (_, draft) => {
    expect(requestError(draft, LIMITS)).toBeNull();
  });
});

describe("the figures of a request", () => {
  it("are the LTV and the most that is repaid, once they are known", () => {
    expect(requestFigures(asked({ interestText: "3" }))).toEqual({
      principalSats: 5_000_000n,
      payoutMaxSats: 5_150_000n,
      ltvBps: 5_000,
    });
    expect(requestFigures(asked({ inscriptionIds: [], interestText: "" }))).toMatchObject({
      payoutMaxSats: null,
      ltvBps: null,
    });
  });
});

describe("the choice of inscriptions", () => {
  const twenty = Array.from({ length: 20 }, (_, index) => `i${index}`);

  it("keeps the order, and loses one that is chosen again", () => {
    expect(toggled(["b"], "a")).toEqual(["b", "a"]);
    expect(toggled(["b", "a", "c"], "a")).toEqual(["b", "c"]);
  });

  it("takes no more than a loan can be secured by, until one is removed", () => {
    expect(toggled(twenty.slice(1), "x")).toHaveLength(20);
    expect(toggled(twenty, "x")).toBe(twenty);
    expect(toggled(toggled(twenty, "i3"), "x").at(-1)).toBe("x");
  });
});

it("the collateral in words is the number of inscriptions, or the amount of tokens", () => {
  expect(enteredText(asked())).toBe("1 inscription");
  expect(enteredText(asked({ inscriptionIds: ["i0", "i1", "i2"] }))).toBe("3 inscriptions");
  expect(enteredText(tokens())).toBe("10,000 PUPS");
  expect(enteredText(asked({ inscriptionIds: [] }))).toBeNull();
});

describe("a request for several inscriptions", () => {
  const several = (changed: Partial<RequestDraft> = {}) =>
    asked({ inscriptionIds: ["i2", "i0", "i1", "i4", "i3"], principalText: "0.25", ...changed });

  it("is measured by their value together", () => {
    expect(requestFigures(several())).toMatchObject({ principalSats: 25_000_000n, ltvBps: 5_000 });
    expect(requestError(several({ principalText: "0.4949" }), LIMITS)).toBeNull();
    expect(requestError(several({ principalText: "0.495" }), LIMITS)).toBe(
      "The principal must stay below 99% of the collateral's value",
    );
  });

  it("is filled by the terms for one inscription", () => {
    const one = FOXES.subCollections.map((each) => ({ ...each, bundleSize: 1n }));
    expect(days(several({ row: { ...FOXES, subCollections: one } }))).toEqual([30, 7, 14]);
  });

  it("names them in the order of the choice", () => {
    expect(requestOf(several(), 1_000)?.inscriptionIds).toEqual(["i2", "i0", "i1", "i4", "i3"]);
  });
});

describe("the request to sign", () => {
  const terms = { termMinDays: 7, termMaxDays: 30, goodUntilS: 1_000 };

  it("names the inscription, the interest in basis points and the time", () => {
    expect(requestOf(asked({ interestText: "2.5" }), 1_000)).toEqual({
      ...terms,
      collectionSlug: "foxes",
      inscriptionIds: ["i0"],
      principalSats: 5_000_000n,
      interestMax: 250,
    });
  });

  it("names an amount of tokens in raw units", () => {
    expect(requestOf(tokens({ tokenText: "10000.5" }), 1_000)).toEqual({
      ...terms,
      termMaxDays: 14,
      collectionSlug: "foxes",
      fungibleAmount: 1_000_050n,
      principalSats: 50_000n,
      interestMax: 200,
    });
  });

  it("is nothing while the collateral or the interest is missing", () => {
    expect(requestOf(asked({ inscriptionIds: [] }), 1_000)).toBeNull();
    expect(requestOf(asked({ interestText: "" }), 1_000)).toBeNull();
  });
});
