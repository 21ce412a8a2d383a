import { describe, expect, it } from "vitest";
import { formatAge } from "./age";
import { initials, shortenAddress, truncateName, withoutBundleNumber } from "./name";
import { formatBps, formatChange, formatDailyInterest, formatPercent, formatPercentFixed } from "./percent";
import { formatTokenAmount, formatUnitPrice } from "./unit-price";

describe("percentages", () => {
  it("keep at most two decimals and no trailing zeros", () => {
    expect(formatPercent(61.2)).toBe("61.2%");
    expect(formatPercent(80)).toBe("80%");
    expect(formatPercent(100)).toBe("100%");
    expect(formatPercent(1_234.567)).toBe("1,234.57%");
    expect(formatBps(9_801)).toBe("98.01%");
    expect(formatPercentFixed(7, 1)).toBe("7.0%");
  });

  it("show the interest of a day with three decimals", () => {
    expect(formatDailyInterest(3, 14)).toBe("0.214%");
    expect(formatDailyInterest(1, 1)).toBe("1.000%");
    expect(formatDailyInterest(0, 30)).toBe("0.000%");
  });

  it("show the sign of a change", () => {
    expect(formatChange(1.25)).toBe("+1.25%");
    expect(formatChange(-0.4)).toBe("\u22120.40%");
    expect(formatChange(0)).toBe("0.00%");
  });

  it("show a change too small for its digits without a sign", () => {
    expect(formatChange(-0.001)).toBe("0.00%");
    expect(formatChange(-0)).toBe("0.00%");
  });
});

describe("formatAge", () => {
  const now = 2_000_000_000_000;
  const cases: Array<[number, string]> = [
    [0, "0s"],
    [59_999, "59s"],
    [60_000, "1m"],
    [3_599_000, "59m"],
    [3_600_000, "1h"],
    [86_399_000, "23h"],
    [86_400_000, "1d"],
    [29 * 86_400_000, "29d"],
    [30 * 86_400_000, "1mo"],
    [364 * 86_400_000, "12mo"],
    [365 * 86_400_000, "1y"],
    [-5_000, "0s"],
  ];
  it.each(cases)("%d ms ago is %s", (elapsed, expected) => {
    expect(formatAge(now - elapsed, now)).toBe(expected);
  });
});

describe("formatUnitPrice", () => {
  const cases: Array<[bigint, string]> = [
    [250_000_000_000_000n, "2,500,000"],
    [12_345_000_000n, "123"],
    [1_240_000_000n, "12.4"],
    [100_000_000n, "1"],
    [8_300_000n, "0.083"],
    [512n, "0.00000512"],
    [1n, "0.00000001"],
    [0n, "0"],
  ];
  it.each(cases)("%d reads %s", (scaled, expected) => {
    expect(formatUnitPrice(scaled)).toBe(expected);
  });
});

describe("formatTokenAmount", () => {
  it("places the decimal point and drops trailing zeros", () => {
    expect(formatTokenAmount(123_450n, 2)).toBe("1,234.5");
    expect(formatTokenAmount(5n, 0)).toBe("5");
    expect(formatTokenAmount(10n ** 18n, 18)).toBe("1");
    expect(formatTokenAmount(1_239n, 3, 1)).toBe("1.2");
  });
});

describe("names", () => {
  it("are cut at nineteen characters, never inside one", () => {
    expect(truncateName("Exactly nineteen ch")).toBe("Exactly nineteen ch");
    expect(truncateName("Exactly nineteen cha")).toBe("Exactly nineteen ch…");
    expect(truncateName("🐸".repeat(25))).toBe(`${"🐸".repeat(19)}…`);
    expect(truncateName("👩‍👩‍👧".repeat(20))).toBe(`${"👩‍👩‍👧".repeat(19)}…`);
  });

  it("lose the number of their bundle", () => {
    expect(withoutBundleNumber("Bitmap Blocks [3]")).toBe("Bitmap Blocks");
    expect(withoutBundleNumber("Bitmap (12)")).toBe("Bitmap");
    expect(withoutBundleNumber("10k [club]")).toBe("10k [club]");
    expect(withoutBundleNumber("[7]")).toBe("[7]");
  });

  it("give initials for a placeholder image", () => {
    expect(initials("Ordinal Foxes")).toBe("OF");
    expect(initials("DOG•GO•TO•THE•MOON")).toBe("DG");
    expect(initials("ordi")).toBe("OR");
    expect(initials("")).toBe("?");
  });

  it("shorten addresses in the middle", () => {
    expect(shortenAddress("bcrt1qexampleaddress0000")).toBe("bcrt1q…ss0000");
    expect(shortenAddress("short")).toBe("short");
  });
});
