import { describe, expect, it } from "vitest";
import { pendingInterval } from "./brc20-requests";
import { transferTokens } from "./transfer-tokens";

const note = { orderId: "or_1", ticker: "newt", amount: "10000", transactionId: "ab" };

describe("unconfirmed transfer inscriptions", () => {
  it("are polled every minute while there are any", () => {
    expect(pendingInterval([note])).toBe(60_000);
    expect(pendingInterval([])).toBe(false);
    expect(pendingInterval(undefined)).toBe(false);
  });

  it("show the amount and the token", () => {
    expect(transferTokens("1234567.5", "newt")).toBe("1,234,567.5 NEWT");
  });
});
