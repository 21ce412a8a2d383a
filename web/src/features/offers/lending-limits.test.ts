import { describe, expect, it } from "vitest";
import {
  budgetCollections,
  draftOf,
  durationText,
  type LendingLimits,
  limitsRequest,
  usesOf,
} from "./lending-limits";
import { exampleOffer } from "./offer-example";

const NONE: LendingLimits = {
  budgetSats: null,
  outstandingSats: 0n,
  dailySats: null,
  todaySats: 0n,
  collections: [],
  absenceMinutes: null,
  isAbsent: false,
};

const SOME: LendingLimits = {
  ...NONE,
  budgetSats: 1_000_000n,
  outstandingSats: 600_000n,
  dailySats: 500_000n,
  todaySats: 600_000n,
  collections: [
    { groupId: "g_1", budgetSats: 250_000n, outstandingSats: 125_000n },
    { groupId: "g_2", budgetSats: null, outstandingSats: 475_000n },
  ],
  absenceMinutes: 30,
};

describe("lending limits", () => {
  it("are sent as they were read, and empty fields set none", () => {
    expect(limitsRequest(draftOf(SOME))).toEqual({
      budgetSats: 1_000_000,
      dailySats: 500_000,
      absenceMinutes: 30,
      collections: [{ collection: "g_1", budgetSats: 250_000 }],
    });
    const none = { budgetSats: null, dailySats: null, absenceMinutes: null, collections: [] };
    expect(limitsRequest(draftOf(NONE))).toEqual(none);
    expect(limitsRequest({ ...draftOf(NONE), budget: "0", collections: { g_1: "" } })).toEqual(none);
  });

  it("show what is taken of each, at most all of it", () => {
    expect(usesOf(NONE, new Map())).toEqual([]);
    const uses = usesOf(SOME, new Map([["g_1", "Paper Frogs"]]));
    expect(uses.map(({ label, share, text }) => [label, share, text])).toEqual([
      ["Lent now, all collections", 0.6, "0.006 of 0.01 BTC"],
      ["Accepted today (UTC)", 1, "0.006 of 0.005 BTC"],
      ["Lent now, Paper Frogs", 0.5, "0.00125 of 0.0025 BTC"],
    ]);
  });

  it("can be set for the collections of manual offers and those with a budget", () => {
    const offers = [
      exampleOffer({ groupId: "g_3", loanProcessType: "Manual" }),
      exampleOffer({ groupId: "g_3", loanProcessType: "Manual" }),
      exampleOffer({ groupId: "g_4", loanProcessType: "Instant" }),
    ];
    const names = new Map([
      ["g_1", "Paper Frogs"],
      ["g_3", "Newts"],
    ]);
    expect(budgetCollections(offers, SOME, names)).toEqual([
      { groupId: "g_3", name: "Newts" },
      { groupId: "g_1", name: "Paper Frogs" },
    ]);
  });

  it.each([
    [30, "30 minutes"],
    [60, "1 hour"],
    [720, "12 hours"],
    [1_440, "1 day"],
    [90, "90 minutes"],
  ])("name %i minutes as %s", (minutes, text) => {
    expect(durationText(minutes)).toBe(text);
  });
});
