import { describe, expect, it } from "vitest";
import type { Collection } from "@/shared/api/collection";
import { runeBalance, runeBalanceText } from "./holdings";

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
