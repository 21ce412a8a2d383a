import { describe, expect, it } from "vitest";
import { LOAN_STAGES, type LoanStage } from "@/shared/api/loan";
import { endedLoans } from "./ended-loans";

const own = (stage: LoanStage) => new Map([["ln_1", { stage }]]);

describe("prepared loans that ended before they were signed", () => {
  it.each([
    ["cancelled", "taken"],
    ["failed", "taken"],
    ["lapsed", "lapsed"],
  ] as const)("are recognized by the stage %s", (stage, end) => {
    const loan = { loanId: "ln_1" };
    expect(endedLoans([loan, { loanId: "ln_2" }], own(stage))).toEqual([{ loan, end }]);
  });

  it("are not those of any other or unknown stage", () => {
    const others = LOAN_STAGES.filter((stage) => !["cancelled", "failed", "lapsed"].includes(stage));
    for (const stage of others) expect(endedLoans([{ loanId: "ln_1" }], own(stage))).toEqual([]);
    expect(endedLoans([{ loanId: "ln_2" }], own("cancelled"))).toEqual([]);
  });
});
