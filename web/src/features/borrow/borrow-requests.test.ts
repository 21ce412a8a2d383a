import { describe, expect, it } from "vitest";
import { EXAMPLE_SESSION } from "@/shared/session/session-example";
import { instantBody, manualBody } from "./borrow-requests";
import type { LoanRequest } from "./prepared-loan";

const session = EXAMPLE_SESSION;
const loanRequest = (inscriptionIds: string[], tokenAmount: string | null = null): LoanRequest => ({
  offerId: "of_1",
  inscriptionIds,
  tokenAmount,
  collateral: "",
});

describe("the collateral of a loan that is prepared", () => {
  const manual = (ids: string[]) => {
    const { inscriptionId, inscriptionIds } = manualBody(loanRequest(ids), 5, session);
    return { inscriptionId, inscriptionIds };
  };
  const instant = (ids: string[], amount: string | null = null) => {
    const { inscription_id, inscription_ids, token_amount } = instantBody(
      loanRequest(ids, amount),
      5,
      session,
    );
    return { inscription_id, inscription_ids, token_amount };
  };

  it("is one inscription under its own name", () => {
    expect(manual(["i0"])).toEqual({ inscriptionId: "i0" });
    expect(instant(["i0"])).toEqual({ inscription_id: "i0" });
  });

  it("is a list of several, in their order", () => {
    expect(manual(["i2", "i0", "i1"])).toEqual({ inscriptionIds: ["i2", "i0", "i1"] });
    expect(instant(["i2", "i0", "i1"])).toEqual({ inscription_ids: ["i2", "i0", "i1"] });
  });

  it("is an amount of tokens, or what the server finds", () => {
    expect(instant([], "12.5")).toEqual({ token_amount: "12.5" });
    expect(manual([])).toEqual({ inscriptionId: null });
  });
});
