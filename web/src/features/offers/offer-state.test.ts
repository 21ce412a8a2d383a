import { describe, expect, it } from "vitest";
import type { MyOffer } from "@/shared/api/my-offer";
import { EXAMPLE_PEG, exampleOffer } from "./offer-example";
import { batchResult } from "./offer-requests";
import { acceptableTerm, pauseNotices, rankLabel, termNotice, termWarning } from "./offer-state";
import { rankChangeText, rankScore, ranksOf } from "./rank-change";

const unranked = { offerRanking: null, toLeadSats: null };

describe("the standing of an offer", () => {
  it.each([
    ["its rank", {}, "#2 of 14, 0.00310 to lead"],
    ["the lead", { offerRanking: 1, toLeadSats: 0n }, "#1 of 14, in the lead"],
    ["a pause by hand", { ...unranked, isPausedByLender: true }, "Paused by you"],
    [
      "its cap",
      { ...unranked, isPausedFromMaxLTV: true, ltv: 83.2, maxLtv: 80 },
      "LTV 83.2% above your limit of 80%",
    ],
    [
      "a floor too low for its least principal",
      {
        ...unranked,
        isPausedFromMaxLTV: true,
        ltv: 75,
        maxLtv: 60,
        peg: { ...EXAMPLE_PEG, fallsBelow: null, risesAt: 500_000_000_000_000n },
      },
      "Floor below 0.05000 BTC",
    ],
    ["an empty vault", { ...unranked, isPausedFromInsufficientBalance: true }, "Vault balance too low"],
    [
      "an empty wallet",
      { ...unranked, isPausedFromMissingFunds: true },
      "Not enough free bitcoin at your payment address",
    ],
    [
      "a coin that is missing",
      { ...unranked, isPausedFromMissingFunds: true, collateralType: "brc20" },
      "No coin of exactly the amount it lends",
    ],
    ["a budget", { ...unranked, isPausedFromLimits: true }, "Over your lending limits"],
    ["an absence", { ...unranked, isPausedFromAbsence: true }, "Paused while you were away"],
    ["terms not accepted", { ...unranked, isPausedFromTerms: true }, "New terms not accepted yet"],
    ["a borrower", { ...unranked, tags: ["manual", "under offer"] }, "A borrower is taking it"],
    ["nothing known", unranked, "Not ranked"],
  ] satisfies Array<[string, Partial<MyOffer>, string]>)("is shown as %s", (_, fields, text) => {
    expect(rankLabel(exampleOffer(fields))).toBe(text);
  });

  it("warns of terms that are not accepted yet, only before their date", () => {
    const change = {
      newTermId: "tc_1",
      previousInterestRate: 3,
      newInterestRate: 4.5,
      previousDays: 14,
      newDays: 30,
      changeDate: Date.UTC(2026, 11, 4, 12),
      hasTermChangePassed: false,
    };
    const offer = exampleOffer({ newTermChangeRequest: change, acceptsNextTerm: false });
    expect(termWarning(offer)).toBe("From 4 Dec: 30 days at 4.5%");
    expect(termWarning({ ...offer, acceptsNextTerm: true })).toBeNull();
    expect(
      termWarning({ ...offer, newTermChangeRequest: { ...change, hasTermChangePassed: true } }),
    ).toBeNull();
  });
});

describe("an announcement of a rank", () => {
  const before = ranksOf([exampleOffer({ offerId: "a" }), exampleOffer({ offerId: "b" })]);
  const moved = exampleOffer({ offerId: "a", offerRanking: 3 });

  it.each([
    ["nothing changed", [exampleOffer({ offerId: "a" })], null],
    ["only the distance to the lead changed", [exampleOffer({ offerId: "a", toLeadSats: 5n })], null],
    ["the offer is new", [exampleOffer({ offerId: "c" })], null],
    ["one moved", [moved, exampleOffer({ offerId: "b" })], "Quiet Foxes: #3 of 14, 0.00310 to lead"],
    [
      "one paused",
      [exampleOffer({ offerId: "a", ...unranked, isPausedByLender: true })],
      "Quiet Foxes: Paused by you",
    ],
    ["several moved", [moved, { ...moved, offerId: "b" }], "2 of your offers changed their rank"],
  ] satisfies Array<[string, MyOffer[], string | null]>)("is %s", (_, offers, text) => {
    expect(rankChangeText(before, offers)).toBe(text);
  });

  it("scores a better rank higher", () => {
    const score = (offerRanking: number, toLeadSats: bigint) => rankScore({ offerRanking, toLeadSats }) ?? 0n;
    expect(score(1, 0n)).toBeGreaterThan(score(2, 1n));
    expect(score(2, 1n)).toBeGreaterThan(score(2, 2n));
    expect(score(2, 2_000_000_000n)).toBeGreaterThan(score(3, 1n));
    expect(rankScore(unranked)).toBeNull();
  });
});

describe("the results of a batch", () => {
  it("are read offer by offer, over all batches", () => {
    const refused = {
      offerId: "b",
      ok: false,
      error: { title: "Conflict", detail: "Offer has already been used" },
    };
    expect(
      batchResult([
        { results: [{ offerId: "a", ok: true, error: null }, refused] },
        { results: [{ offerId: "c", ok: true }] },
      ]),
    ).toEqual({ done: ["a", "c"], refused: [{ offerId: "b", reason: "Offer has already been used" }] });
  });

  it("have a reason even when the server gives none", () => {
    const { refused } = batchResult([{ results: [{ offerId: "a", ok: false, error: null }] }]);
    expect(refused).toEqual([{ offerId: "a", reason: "An unknown error occurred" }]);
  });
});

const change = {
  newTermId: "tc_1",
  previousInterestRate: 3,
  newInterestRate: 4.5,
  previousDays: 14,
  newDays: 30,
  changeDate: Date.UTC(2026, 11, 4, 12),
  hasTermChangePassed: false,
};
const instant = { loanProcessType: "Instant", newTermChangeRequest: change, acceptsNextTerm: false } as const;

describe("a change of terms", () => {
  it.each([
    ["ahead and not accepted", instant, true, "or the offer will be paused"],
    ["ahead and accepted", { ...instant, acceptsNextTerm: true }, false, "You accepted the new terms"],
    [
      "in effect and paused by it",
      { ...instant, isPausedFromTerms: true, newTermChangeRequest: { ...change, hasTermChangePassed: true } },
      true,
      "Accept them, or cancel the offer.",
    ],
    ["of a manual offer", { newTermChangeRequest: change, acceptsNextTerm: false }, false, "Make a new one"],
  ] satisfies Array<[string, Partial<MyOffer>, boolean, string]>)("%s", (_, fields, canAccept, next) => {
    const offer = exampleOffer(fields);
    expect(acceptableTerm(offer) !== null).toBe(canAccept);
    expect(termNotice(offer)?.next).toContain(next);
  });

  it("is not shown once it is in effect and pauses nothing", () => {
    const past = {
      ...instant,
      newTermChangeRequest: { ...change, hasTermChangePassed: true },
      acceptsNextTerm: true,
    };
    expect(termNotice(exampleOffer(past))).toBeNull();
    expect(termNotice(exampleOffer())).toBeNull();
  });
});

it("every reason for a pause names what ends it", () => {
  const offer = exampleOffer({
    ...unranked,
    isPausedByLender: true,
    isPausedFromTerms: true,
    isPausedFromMaxLTV: true,
    isPausedFromInsufficientBalance: true,
  });
  expect(pauseNotices(offer).map(({ next }) => next)).toEqual([
    "Resume it to return it to the order book.",
    "It stays paused until you accept the new terms.",
    "It resumes automatically once the price has recovered.",
    "Fund your vault, and it resumes automatically.",
  ]);
});

it.each([
  ["an empty vault", { isPausedFromInsufficientBalance: true }, ["fund vault"]],
  ["an empty wallet", { isPausedFromMissingFunds: true }, ["fund wallet"]],
  ["a low price", { isPausedFromMaxLTV: true }, [null]],
  ["its expiry", { isExpired: true }, [null]],
  [
    "a missing coin, which another notice makes",
    { isPausedFromMissingFunds: true, collateralType: "brc20" },
    [],
  ],
] satisfies Array<[string, Partial<MyOffer>, unknown[]]>)(
  "a pause from %s names its action",
  (_, fields, actions) => {
    expect(pauseNotices(exampleOffer({ ...unranked, ...fields })).map(({ action }) => action)).toEqual(
      actions,
    );
  },
);
