import { describe, expect, it } from "vitest";
import type { Collection } from "@/shared/api/collection";
import { runeBalance, runeBalanceText, stillFree } from "./holdings";

const row = { runeId: "840000:1", runeName: "FROG•POND", runeDecimals: 2 } as unknown as Collection;

describe("the rune balance of another indexer", () => {
  it("is shown with its source, in whole tokens", () => {
    const runes = [
      { runeId: "1:0", raw: 7n },
      { runeId: "840000:1", raw: 123_456n },
    ];
    expect(runeBalanceText(row, { provider: "unisat", runes })).toBe(
      "unisat reports 1,234.56 FROG•POND at your address. You can pledge them once the node and the indexer are back.",
    );
  });

  it("is empty for a rune that is not listed", () => {
    expect(runeBalanceText(row, { provider: "ord", runes: [] })).toContain("ord reports 0 FROG•POND");
    expect(runeBalance(row, { inscriptions: [], runes: [{ runeId: "1:0", freeRaw: 7n }] })).toBe(0n);
  });
});

describe("the chosen inscriptions", () => {
  const foxes = { id: "g_1" } as unknown as Collection;
  const own = (inscription_id: string, changed: { collectionId?: string; isPromised?: boolean } = {}) => ({
    inscription_id,
    inscription_name: inscription_id,
    inscription_number: null,
    content_url: null,
    collectionId: "g_1",
    isPromised: false,
    ...changed,
  });

  it("are those that the wallet still holds and no loan has, in the order of the choice", () => {
    const inscriptions = [
      own("a"),
      own("b", { isPromised: true }),
      own("c"),
      own("d", { collectionId: "g_2" }),
    ];
    expect(stillFree(["c", "b", "a", "d", "e"], foxes, { inscriptions, runes: [] })).toEqual(["c", "a"]);
  });

  it("are all of them while the holdings are unknown", () => {
    expect(stillFree(["c", "a"], foxes, null)).toEqual(["c", "a"]);
  });
});
