import { afterEach, describe, expect, it, vi } from "vitest";
import { costFacts, type LoanCost, returnFacts, saveTerms } from "./loan-cost";

const saveFile = vi.hoisted(() => vi.fn());
vi.mock("@/shared/ui/save-file", () => ({ saveFile }));

afterEach(() => vi.unstubAllGlobals());

const cost = (change: Partial<LoanCost> = {}): LoanCost => ({
  interestSats: 12_000n,
  repaymentFeeEstimateSats: 1_200n,
  totalCostSats: 14_700n,
  totalPayableSats: 1_014_700n,
  apr: 115.28,
  ...change,
});

describe("the cost of a loan before its signature", () => {
  it("is the total and the yearly rate, with the repayment's fee named as an estimate", () => {
    const facts = costFacts([{ loanId: "ln_1", cost: cost() }]);
    expect(facts).toMatchObject({ totalName: "Total cost", total: "0.00014700 BTC", rate: "115.28%" });
    expect(facts.totalNote).toContain("about 0.00001200 BTC for the repayment");
    expect(facts.totalNote).toContain("You pay 0.01014700 BTC in all");
  });

  it("of several loans is their sum, and the range of their rates", () => {
    const loans = [
      { loanId: "ln_1", cost: cost({ apr: 120 }) },
      { loanId: "ln_2", cost: cost({ apr: 115.28 }) },
    ];
    const facts = costFacts(loans);
    expect([facts.total, facts.rate]).toEqual(["0.00029400 BTC", "115.28% to 120.00%"]);
    expect(facts.loanIds).toEqual(["ln_1", "ln_2"]);
  });

  it("names the maximum where no rate is stated", () => {
    expect(costFacts([{ loanId: "ln_1", cost: cost({ apr: null }) }]).rate).toBe("over 99,999%");
    const mixed = [cost({ apr: null }), cost({ apr: 99_999 })].map((each) => ({
      loanId: "ln_1",
      cost: each,
    }));
    expect(costFacts(mixed).rate).toBe("99,999.00% to over 99,999%");
  });
});

it("the return of a lender has the same form", () => {
  const facts = returnFacts("ln_1", { gainSats: 9_600n, yearlyReturn: 0.96 });
  expect(facts).toMatchObject({ totalName: "Gain", total: "0.00009600 BTC", rate: "0.96%" });
});

it("the terms of each loan are saved byte for byte", async () => {
  const fetch = vi.fn(async (address: string) => new Response(`<!doctype html>${address}`));
  vi.stubGlobal("fetch", fetch);
  await saveTerms(["ln_1", "ln_2"]);
  const html = (id: string) => `<!doctype html>/api/v1/loans/${id}/information`;
  expect(saveFile.mock.calls).toEqual([
    ["lienbook-loan-ln_1-terms.html", "text/html", html("ln_1")],
    ["lienbook-loan-ln_2-terms.html", "text/html", html("ln_2")],
  ]);
});
