import { describe, expect, it } from "vitest";
import { inscriptionsAt, type Pledge, runesAt } from "./dev-assets";
import { type DevGift, gifts, rememberGift } from "./dev-gifts";

const HOME = "bcrt1phome";
const inscription = (inscriptionId: string, address = HOME): DevGift => ({
  kind: "inscription",
  address,
  inscriptionId,
  collectionName: "Quiet Moons",
});
const rune = (raw: string): DevGift => ({ kind: "rune", address: HOME, runeName: "GOOD•RUNE", raw });
const loan = (fields: Partial<Pledge>): Pledge => ({
  role: "borrower",
  stage: "active",
  inscriptionId: null,
  runeName: null,
  fungibleAmount: null,
  ...fields,
});

function memory(): Storage {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  } as Storage;
}

describe("what the dev wallet holds", () => {
  it.each([
    ["prepared", true],
    ["awaiting_lender", false],
    ["broadcast", false],
    ["active", false],
    ["expired", false],
    ["repaying", false],
    ["claiming", false],
    ["claimed", false],
    ["repaid", true],
    ["cancelled", true],
    ["lapsed", true],
    ["failed", true],
  ])("while a loan is %s: the inscription is there: %s", (stage, isThere) => {
    const pledges = [loan({ stage, inscriptionId: "ai0" })];
    expect(inscriptionsAt(HOME, [inscription("ai0")], pledges)).toHaveLength(isThere ? 1 : 0);
  });

  it("is not what others hold, and not taken away by what this person lent against", () => {
    const pledges = [loan({ role: "lender", inscriptionId: "ai0" })];
    const given = [inscription("ai0"), inscription("bi0", "bcrt1pother")];
    expect(inscriptionsAt(HOME, given, pledges).map(({ inscriptionId }) => inscriptionId)).toEqual(["ai0"]);
  });

  it("sums runes and leaves out what is pledged", () => {
    const given = [rune("100"), rune("50")];
    const pledged = loan({ runeName: "GOOD•RUNE", fungibleAmount: "120" });
    expect(runesAt(HOME, given, [])).toEqual([{ runeName: "GOOD•RUNE", amount: "150" }]);
    expect(runesAt(HOME, given, [pledged])).toEqual([{ runeName: "GOOD•RUNE", amount: "30" }]);
    expect(runesAt(HOME, given, [pledged, pledged])).toEqual([]);
  });

  it("is remembered, and forgotten when it cannot be read", () => {
    const storage = memory();
    rememberGift(inscription("ai0"), storage);
    rememberGift(rune("5"), storage);
    expect(gifts(storage)).toEqual([inscription("ai0"), rune("5")]);
    storage.setItem("lienbook.dev-wallet.gifts", "{");
    expect(gifts(storage)).toEqual([]);
  });
});
