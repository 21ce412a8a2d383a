import { describe, expect, it } from "vitest";
import { latestMatchNotice, matchTermsText, matchText, type RefinanceMatch } from "./refinance-match";

function match(fields: Partial<RefinanceMatch> = {}): RefinanceMatch {
  return {
    loanId: "ln_1",
    offerId: "of_1",
    process: "instant",
    principalSats: 5_200_000n,
    interestPercentage: 2.5,
    termDays: 30,
    payoutSats: 5_330_000n,
    savedPercentage: 23.99,
    isOrdered: false,
    ...fields,
  };
}

describe("a match of a running loan", () => {
  it("names how much less interest it asks, and never more than it does", () => {
    expect(matchText(match())).toBe("23% less interest a day with another offer");
  });

  it("of a standing order asks for the signature, whatever the interest", () => {
    expect(matchText(match({ isOrdered: true, savedPercentage: -12 }))).toBe(
      "Your standing order has an offer: sign it",
    );
  });

  it("names its terms and how it starts", () => {
    expect(matchTermsText(match())).toBe("0.05200 BTC for 30 days at 2.5%, instant");
    expect(matchTermsText(match({ process: "manual" }))).toBe(
      "0.05200 BTC for 30 days at 2.5%, signed by its lender within 12 hours",
    );
  });
});

it("the latest notice about a match is found among others", () => {
  const notices = [
    { id: "n_1", kind: "refinance_cheaper" },
    { id: "n_2", kind: "refinance_ordered" },
    { id: "n_3", kind: "due_in_24h" },
  ] as const;
  expect(latestMatchNotice(notices)).toBe("n_2");
  expect(latestMatchNotice(notices.slice(2))).toBeNull();
});
