import { describe, expect, it } from "vitest";
import { agreedCollateral, questionText, satPerKwu } from "./question";
import { EXAMPLE_QUESTION } from "./question-example";

describe("a question", () => {
  it.each([
    [1, 250],
    [1.001, 251],
    [5.5, 1_375],
    [0.1, 25],
  ])("rounds a fee rate of %d as the server does", (feeRate, rate) => {
    expect(satPerKwu(feeRate)).toBe(rate);
  });

  it("names times in seconds and sats as numbers", () => {
    const agreed = {
      loanId: "ln_1",
      principalSats: 1_000n,
      payoutSats: 1_010n,
      claimAfter: 1_900_000_000_000,
      termDays: 30,
      feeRate: null,
      platformFeeSats: 5n,
      interestNowSats: null,
      collateral: { kind: "inscriptions", count: 2 },
    } as const;
    const question = { ...EXAMPLE_QUESTION, task: { kind: "lend", agreed, contract: { any: 1 } } } as const;
    expect(JSON.parse(questionText(question, 1_800_000_000_999)).task).toEqual({
      kind: "lend",
      agreed: {
        loanId: "ln_1",
        principalSats: 1_000,
        payoutSats: 1_010,
        claimAfterSeconds: 1_900_000_000,
        termDays: 30,
        nowSeconds: 1_800_000_000,
        feeRateSatPerKwu: null,
        platformFeeSats: 5,
        interestNowSats: null,
        collateral: { kind: "inscriptions", count: 2 },
      },
      contract: { any: 1 },
    });
  });

  it("names the chosen collateral", () => {
    const loan = { collateralType: "rune", fungibleAmount: 10n ** 30n, ticker: null } as const;
    expect(agreedCollateral(loan, [])).toEqual({ kind: "runes", amountRaw: `1${"0".repeat(30)}` });
    expect(agreedCollateral({ ...loan, collateralType: "brc20", ticker: "ordi" }, ["a"])).toEqual({
      kind: "brc20",
      ticker: "ordi",
    });
    expect(agreedCollateral({ ...loan, collateralType: "inscription" }, ["a", "b"])).toEqual({
      kind: "inscriptions",
      count: 2,
    });
  });
});
