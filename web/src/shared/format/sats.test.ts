import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatBtc, formatBtcExact, formatBtcShort, formatSats, parseBtc } from "./sats";

describe("formatBtc", () => {
  it("shows five decimals by default", () => {
    expect(formatBtc(1_250_000n)).toBe("0.01250");
    expect(formatBtc(1_250_000n, 6)).toBe("0.012500");
    expect(formatBtc(1n, 8)).toBe("0.00000001");
  });

  it("rounds towards zero, so it never shows bitcoin that is not there", () => {
    expect(formatBtc(99_999_999n)).toBe("0.99999");
    expect(formatBtc(-1_999n)).toBe("\u22120.00001");
  });

  it("groups thousands of the largest amounts", () => {
    expect(formatBtc(2_100_000_000_000_000n)).toBe("21,000,000.00000");
  });
});

describe("formatBtcExact", () => {
  it("drops trailing zeros", () => {
    expect(formatBtcExact(50_000n)).toBe("0.0005");
    expect(formatBtcExact(100_000_000n)).toBe("1");
    expect(formatBtcExact(0n)).toBe("0");
    expect(formatBtcExact(1_000_000_000n)).toBe("10");
  });
});

describe("formatBtcShort", () => {
  it("keeps about four significant figures", () => {
    expect(formatBtcShort(310_000n)).toBe("0.00310");
    expect(formatBtcShort(1_234_500_000n)).toBe("12.345");
    expect(formatBtcShort(123_456_000_000n)).toBe("1,234.56");
    expect(formatBtcShort(-310_000n)).toBe("\u22120.00310");
  });
});

describe("formatSats", () => {
  it("groups thousands", () => {
    expect(formatSats(1_234_567n)).toBe("1,234,567");
    expect(formatSats(999n)).toBe("999");
  });
});

describe("parseBtc", () => {
  it("parses the output of formatBtc", () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 2_000_000n), (steps) => {
        const sats = steps * 1_000n;
        expect(parseBtc(formatBtc(sats).replaceAll(",", ""))).toBe(sats);
      }),
    );
  });

  it("refuses any text but an amount of at most five decimals", () => {
    for (const text of ["", ".", "abc", "1e3", "-1", "0.000001", "1.2.3", "0x10", "1,5"]) {
      expect(parseBtc(text), text).toBeNull();
    }
  });

  it("accepts a missing zero on either side of the point", () => {
    expect(parseBtc(".5")).toBe(50_000_000n);
    expect(parseBtc("2.")).toBe(200_000_000n);
  });
});
