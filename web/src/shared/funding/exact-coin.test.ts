import { describe, expect, it } from "vitest";
import { RequestProblem } from "@/shared/api/problem";
import { missingCoinSats } from "./exact-coin";

const refused = (code: string, values: Record<string, unknown>) =>
  new RequestProblem({ code, status: 409, message: "", values });

describe("the missing coin behind a refusal", () => {
  it.each([
    ["is named by the server", refused("exact_coin_missing", { fundingSats: 100_650 }), 100_650n],
    ["is none in another refusal", refused("lender_short", { fundingSats: 100_650 }), null],
    ["is ignored when it is no amount", refused("exact_coin_missing", { fundingSats: "100650" }), null],
    ["is ignored when it is nothing", refused("exact_coin_missing", { fundingSats: 0 }), null],
    ["is ignored when it is not named", refused("exact_coin_missing", {}), null],
    ["is none in an error of another kind", new Error("exact_coin_missing"), null],
  ])("%s", (_, error, expected) => {
    expect(missingCoinSats(error)).toBe(expected);
  });
});
