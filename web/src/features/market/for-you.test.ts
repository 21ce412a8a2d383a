import { describe, expect, it } from "vitest";
import { row } from "@/shared/feed/feed-fixtures";
import { heldGroups } from "./for-you";

const MARKET = [
  row({ id: "g_1", collectionName: "Quiet Moons" }),
  row({ id: "g_2", collateralType: "rune", runeId: "840000:1" }),
  row({ id: "g_3", collateralType: "brc20", ticker: "ORDI" }),
];
const MOON = {
  inscription_id: "i",
  inscription_name: "Moon",
  inscription_number: 5,
  content_url: null,
  collectionId: "g_1",
  isPromised: false,
};

describe("heldGroups", () => {
  it("includes inscriptions by their collection, runes by their id and tokens by their ticker", () => {
    const runes = [{ runeId: "840000:1", freeRaw: 5n }];
    const brc20 = [{ ticker: "ordi", overallBalance: "0.5" }];
    expect(heldGroups(MARKET, { inscriptions: [MOON], runes: [] }, null)).toEqual(new Set(["g_1"]));
    expect(heldGroups(MARKET, { inscriptions: [], runes }, null)).toEqual(new Set(["g_2"]));
    expect(heldGroups(MARKET, null, { brc20 })).toEqual(new Set(["g_3"]));
  });

  it("includes nothing for missing holdings", () => {
    const runes = [{ runeId: "840000:1", freeRaw: 0n }];
    const brc20 = [{ ticker: "ordi", overallBalance: "0.000" }];
    expect(heldGroups(MARKET, { inscriptions: [], runes }, { brc20 }).size).toBe(0);
    expect(heldGroups(MARKET, null, null).size).toBe(0);
  });
});
