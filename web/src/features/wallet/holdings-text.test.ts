import { expect, test } from "vitest";
import type { OwnCollateral } from "@/shared/api/own-collateral";
import { holdingsText } from "./holdings-text";

const collateral = (inscriptions: number, ...runes: bigint[]) =>
  ({
    inscriptions: Array.from({ length: inscriptions }, () => ({})),
    runes: runes.map((freeRaw) => ({ runeId: "1:1", freeRaw })),
  }) as OwnCollateral;
const tokens = (...balances: string[]) => ({
  brc20: balances.map((overallBalance, index) => ({ ticker: `t${index}`, overallBalance })),
});

test.each([
  [collateral(4, 5n, 9n), tokens("120.5"), "4 inscriptions, 2 runes, 1 BRC-20 token"],
  [collateral(1, 5n, 0n), tokens("0.0"), "1 inscription, 1 rune"],
  [collateral(0), tokens("1", "2"), "2 BRC-20 tokens"],
  [collateral(0), tokens("0"), "Nothing to pledge"],
  [collateral(0), null, "No inscriptions or runes"],
  [collateral(2), null, "2 inscriptions"],
])("holdings are counted, and only known holdings are reported as none", (own, brc20, text) => {
  expect(holdingsText(own, brc20)).toBe(text);
});
