import { describe, expect, it } from "vitest";
import { ANYONE, type Audience, audienceError, conditionsOf } from "./audience";

const ID = `${"a".repeat(64)}i0`;
const asked = (fields: Partial<Audience>): Audience => ({ ...ANYONE, ...fields });

describe("who can take an offer", () => {
  it.each<[string, Audience, Partial<ReturnType<typeof conditionsOf>>]>([
    ["anyone", ANYONE, null],
    [
      "one borrower",
      asked({ kind: "borrower", borrowerAddress: " bcrt1qborrowerborrower " }),
      { borrower_address: "bcrt1qborrowerborrower" },
    ],
    ["by link", asked({ kind: "link" }), { unlisted: true }],
    [
      "conditions",
      asked({ kind: "conditions", repaidMin: "2", inscriptions: `${ID},\n${ID}` }),
      { repaid_min: 2, default_free_days: 0, inscriptions: [ID] },
    ],
  ])("is sent as %s", (_, audience, wire) => {
    expect(audienceError(audience)).toBeNull();
    const nothing = {
      borrower_address: null,
      unlisted: false,
      repaid_min: 0,
      default_free_days: 0,
      inscriptions: [],
    };
    expect(conditionsOf(audience)).toEqual(wire && { ...nothing, ...wire });
  });

  it.each<[string, Audience]>([
    ["Enter the borrower's payment address", asked({ kind: "borrower", borrowerAddress: "bc1" })],
    ["Repaid loans: 0 to 1000", asked({ kind: "conditions", repaidMin: "1001" })],
    ["Repaid loans: 0 to 1000", asked({ kind: "conditions", repaidMin: "1.5" })],
    ["Days without a default: 0 to 3650", asked({ kind: "conditions", defaultFreeDays: "-1" })],
    ["frog is no inscription id", asked({ kind: "conditions", inscriptions: "frog" })],
    ["Choose a condition", asked({ kind: "conditions", repaidMin: "0" })],
    [
      "At most 100 inscriptions",
      asked({
        kind: "conditions",
        inscriptions: Array.from({ length: 101 }, (_, index) => `${"a".repeat(64)}i${index}`).join(" "),
      }),
    ],
  ])("refuses: %s", (error, audience) => {
    expect(audienceError(audience)).toBe(error);
  });
});
