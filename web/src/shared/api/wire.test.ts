import * as v from "valibot";
import { afterEach, describe, expect, it, vi } from "vitest";
import { loanToValueBps } from "./loan-to-value";
import { problemFrom } from "./problem";
import { externalUrl, imageUrl, lenientArray, rawAmount, sats, unitPrice } from "./wire";

afterEach(() => vi.restoreAllMocks());

function accepts(schema: v.GenericSchema, value: unknown): boolean {
  return v.safeParse(schema, value).success;
}

describe("amounts on the wire", () => {
  it("become bigints", () => {
    expect(v.parse(sats, 1_250_000)).toBe(1_250_000n);
    expect(v.parse(rawAmount, "340282366920938463463374607431768211455")).toBe(2n ** 128n - 1n);
    expect(v.parse(unitPrice, "0.08300000")).toBe(8_300_000n);
    expect(v.parse(unitPrice, "2500000.00000000")).toBe(250_000_000_000_000n);
  });

  it("are refused when they are not exact", () => {
    for (const value of [1.5, -1, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY, "1", null, {}, [1]]) {
      expect(accepts(sats, value), String(value)).toBe(false);
    }
    for (const value of ["", "-1", "1.0", "0x1", " 1", "9".repeat(41), 5]) {
      expect(accepts(rawAmount, value), String(value)).toBe(false);
    }
    for (const value of ["", ".5", "1.", "1.123456789", "1e3", "-1"]) {
      expect(accepts(unitPrice, value), String(value)).toBe(false);
    }
  });
});

describe("addresses on the wire", () => {
  it("that could run code or leave HTTPS count as none", () => {
    for (const value of [
      "javascript:alert(1)",
      "http://example.com",
      "data:text/html,x",
      "//evil.example",
      "/\\evil.example",
    ]) {
      expect(v.parse(externalUrl, value), value).toBeNull();
      expect(v.parse(imageUrl, value), value).toBeNull();
    }
    expect(v.parse(imageUrl, "/collection-images/foxes.svg")).toBe("/collection-images/foxes.svg");
    expect(v.parse(externalUrl, "/collection-images/foxes.svg")).toBe("/collection-images/foxes.svg");
    expect(v.parse(externalUrl, "https://example.com/c")).toBe("https://example.com/c");
  });
});

describe("lenientArray", () => {
  it("leaves out items that it cannot read and reports them without the value", () => {
    const report = vi.spyOn(console, "error").mockImplementation(() => {});
    expect(v.parse(lenientArray(sats), [1, "secret", 2])).toEqual([1n, 2n]);
    expect(report).toHaveBeenCalledOnce();
    expect(JSON.stringify(report.mock.calls)).not.toContain("secret");
  });

  it("refuses a value that is not a list", () => {
    expect(accepts(lenientArray(sats), { length: 1 })).toBe(false);
  });
});

describe("problemFrom", () => {
  it("prefers the detail that helps the user", () => {
    const problem = problemFrom(422, {
      code: "below_min_offer",
      title: "Invalid",
      status: 422,
      detail: "Below min offer of ₿0.0005",
    });
    expect(problem.message).toBe("Below min offer of ₿0.0005");
    expect(problem.code).toBe("below_min_offer");
    expect(problem.values).toEqual({});
  });

  it("keeps the values that a refusal was decided by", () => {
    const body = { code: "exact_coin_missing", title: "", status: 409, values: { fundingSats: 100_650 } };
    expect(problemFrom(409, body).values).toEqual({ fundingSats: 100_650 });
  });

  it("names the status when the answer is no problem document", () => {
    expect(problemFrom(502, "<html>").message).toBe("The server answered with status 502");
  });
});

describe("loanToValueBps", () => {
  it("rounds up, as the rule that pauses offers does", () => {
    expect(loanToValueBps(50n, 1n, 0, 10_000_000_000n)).toBe(5_000);
    expect(loanToValueBps(1n, 1n, 0, 300_000_000n)).toBe(3_334);
  });

  it("is null without a price or a collateral", () => {
    expect(loanToValueBps(1n, 0n, 0, 1n)).toBeNull();
    expect(loanToValueBps(1n, 1n, 0, 0n)).toBeNull();
  });
});
