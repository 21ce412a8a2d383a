import { describe, expect, it } from "vitest";
import { ANYONE, type Audience, audienceError, chosenText, conditionsOf, inscriptionIdsIn } from "./audience";

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
    [
      "inscriptions by id and by number",
      asked({ kind: "conditions", inscriptions: `${ID} 1-500, #77;#900–#905 ` }),
      {
        inscriptions: [ID],
        numbers: [
          { first: 1, last: 500 },
          { first: 77, last: 77 },
          { first: 900, last: 905 },
        ],
      },
    ],
  ])("is sent as %s", (_, audience, wire) => {
    expect(audienceError(audience)).toBeNull();
    const nothing = {
      borrower_address: null,
      unlisted: false,
      repaid_min: 0,
      default_free_days: 0,
      inscriptions: [],
      numbers: [],
    };
    expect(conditionsOf(audience)).toEqual(wire && { ...nothing, ...wire });
  });

  it.each<[string, Audience]>([
    ["Enter the borrower's payment address", asked({ kind: "borrower", borrowerAddress: "bc1" })],
    ["Repaid loans: 0 to 1000", asked({ kind: "conditions", repaidMin: "1001" })],
    ["Repaid loans: 0 to 1000", asked({ kind: "conditions", repaidMin: "1.5" })],
    ["Days without a default: 0 to 3650", asked({ kind: "conditions", defaultFreeDays: "-1" })],
    ["frog is no inscription id or number", asked({ kind: "conditions", inscriptions: "frog" })],
    ["9-8 is no inscription id or number", asked({ kind: "conditions", inscriptions: "9-8" })],
    [
      "At most 20 numbers and ranges",
      asked({ kind: "conditions", inscriptions: Array.from({ length: 21 }, (_, index) => index).join(" ") }),
    ],
    ["Choose a condition", asked({ kind: "conditions", repaidMin: "0" })],
    [
      "At most 500 inscriptions",
      asked({
        kind: "conditions",
        inscriptions: Array.from({ length: 501 }, (_, index) => `${"a".repeat(64)}i${index}`).join(" "),
      }),
    ],
  ])("refuses: %s", (error, audience) => {
    expect(audienceError(audience)).toBe(error);
  });
});

describe("a list of inscriptions", () => {
  const OTHER = `${"b".repeat(64)}i12`;

  it.each([
    ["lines", `${ID}\n${OTHER}\r\n${ID}`],
    ["a table", `id,name\n${ID},"Fox 1"\n${OTHER},"Fox 2"`],
    ["the metadata of a collection", JSON.stringify([{ id: ID, meta: { name: "Fox" } }, { id: OTHER }])],
  ])("is read from %s", (_, text) => {
    expect(inscriptionIdsIn(text)).toBe(`${ID}\n${OTHER}`);
  });

  it("has only whole ids", () => {
    expect(inscriptionIdsIn(`a${ID} ${ID}x ${"b".repeat(64)}i01 ${"c".repeat(64)}`)).toBe("");
  });

  it("is counted", () => {
    expect(chosenText(asked({ inscriptions: "" }))).toBeNull();
    expect(chosenText(asked({ inscriptions: ID }))).toBe("1 inscription");
    expect(chosenText(asked({ inscriptions: `${ID} ${OTHER} 7 1-9` }))).toBe(
      "2 inscriptions and 2 ranges of numbers",
    );
  });
});
