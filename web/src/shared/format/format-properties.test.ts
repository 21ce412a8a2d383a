import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatAge } from "./age";
import { amountSats, amountText, roundedDown, typedAmount } from "./btc-amount";
import { initials, shortenAddress, truncateName, withoutBundleNumber } from "./name";
import { formatBps, formatChange, formatPercent, formatPercentFixed } from "./percent";
import { formatBtc, formatBtcExact, formatBtcShort, formatSats, parseBtc } from "./sats";
import { formatTokenAmount, formatUnitPrice } from "./unit-price";

/** The supply limit of bitcoin, in sats. */
const SATS_MAX = 2_100_000_000_000_000n;
const SCALE = 100_000_000n;
const sats = fc.bigInt(0n, SATS_MAX);
const share = fc.double({ min: -1e9, max: 1e9, noNaN: true });

const plain = (text: string) => text.replaceAll(",", "");

/** A decimal number as a multiple of 10^-places. */
function scaled(text: string, places: number): bigint {
  const [whole = "0", fraction = ""] = plain(text).split(".");
  return BigInt(whole + fraction.padEnd(places, "0").slice(0, places));
}

describe("any amount of bitcoin", () => {
  it("is never shown as more than there is, nor as less by a visible digit", () => {
    fc.assert(
      fc.property(sats, fc.constantFrom(5 as const, 6 as const, 8 as const), (amount, decimals) => {
        const text = formatBtc(amount, decimals);
        expect(text).toMatch(new RegExp(`^\\d{1,3}(,\\d{3})*\\.\\d{${decimals}}$`));
        const lost = amount - scaled(text, 8);
        expect(lost >= 0n && lost < 10n ** BigInt(8 - decimals)).toBe(true);
        expect(formatBtc(-amount, decimals)).toBe(amount === 0n ? text : `\u2212${text}`);
      }),
    );
  });

  it("is parsed back exactly from its exact form", () => {
    fc.assert(
      fc.property(sats, (amount) => {
        const text = formatBtcExact(amount);
        expect(parseBtc(plain(text), 8)).toBe(amount);
        expect(text).not.toMatch(/\.\d*0$|\.$/);
      }),
    );
  });

  it("loses at most one part in a hundred where it is short, from a thousandth up", () => {
    fc.assert(
      fc.property(fc.bigInt(100_000n, SATS_MAX), (amount) => {
        const lost = amount - scaled(formatBtcShort(amount), 8);
        expect(lost >= 0n && lost * 100n <= amount).toBe(true);
      }),
    );
  });

  it("has its thousands of sats apart and nothing else changed", () => {
    fc.assert(
      fc.property(sats, (amount) => {
        expect(formatSats(amount)).toMatch(/^\d{1,3}(,\d{3})*$/);
        expect(BigInt(plain(formatSats(amount)))).toBe(amount);
      }),
    );
  });
});

describe("any typed amount", () => {
  const typed = fc.oneof(
    fc.string(),
    fc.stringMatching(/^\d{0,10}[.,]?\d{0,10}$/),
    fc.constantFrom("", ".", ",", "-1", "1e9", "NaN", "٣"),
  );

  it("leaves an amount of five decimals at most, never above the ceiling", () => {
    fc.assert(
      fc.property(fc.array(typed), fc.bigInt(0n, 2_000_000n), (texts, steps) => {
        const max = steps * 1_000n;
        const text = texts.reduce((before, next) => typedAmount(before, next, max), "");
        expect(text).toMatch(/^\d*(\.\d{0,5})?$/);
        expect(amountSats(text) <= max).toBe(true);
        expect(amountSats(text) % 1_000n).toBe(0n);
      }),
    );
  });

  it("shows an amount so that it is parsed back", () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 20n * SCALE), (amount) => {
        expect(amountSats(amountText(amount))).toBe(amount);
        const down = roundedDown(amount);
        expect(amount - down < 1_000n && down % 1_000n === 0n).toBe(true);
      }),
    );
  });
});

describe("any percentage", () => {
  it("are within half of the last digit of the share, without trailing zeros", () => {
    fc.assert(
      fc.property(share, (value) => {
        const text = formatPercent(value);
        expect(text).toMatch(/^-?\d{1,3}(,\d{3})*(\.\d?[1-9])?%$/);
        expect(Math.abs(Number.parseFloat(plain(text)) - value)).toBeLessThanOrEqual(0.00501);
        expect(formatPercentFixed(value, 2)).toMatch(/^-?\d{1,3}(,\d{3})*\.\d\d%$/);
      }),
    );
  });

  it("of a change have a sign exactly when a digit of it is not zero", () => {
    fc.assert(
      fc.property(share, (value) => {
        const text = formatChange(value);
        const digits = text.replace(/^[+−]/, "");
        expect(digits).toMatch(/^\d{1,3}(,\d{3})*\.\d\d%$/);
        expect(text.slice(0, text.length - digits.length)).toBe(
          /[1-9]/.test(digits) ? (value > 0 ? "+" : "−") : "",
        );
      }),
    );
  });

  it("of basis points are exact", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100_000 }), (bps) => {
        expect(Math.round(Number.parseFloat(plain(formatBps(bps))) * 100)).toBe(bps);
      }),
    );
  });
});

describe("ages, however long ago", () => {
  const UNIT_MS = {
    s: 1_000,
    m: 60_000,
    h: 3_600_000,
    d: 86_400_000,
    mo: 30 * 86_400_000,
    y: 365 * 86_400_000,
  };

  it("are the whole units that have passed, in the largest unit that has", () => {
    fc.assert(
      fc.property(fc.nat(2 ** 40), fc.nat(2 ** 40), (then, elapsed) => {
        const [, number = "", unit = ""] =
          /^(\d+)(s|m|h|d|mo|y)$/.exec(formatAge(then, then + elapsed)) ?? [];
        const size = UNIT_MS[unit as keyof typeof UNIT_MS];
        const passed = elapsed - Number(number) * size;
        expect(passed >= 0 && passed < size).toBe(true);
        const larger = Object.values(UNIT_MS).filter((other) => other > size && other <= elapsed);
        expect(larger).toEqual([]);
      }),
    );
  });

  it("of the future are none", () => {
    fc.assert(
      fc.property(fc.nat(), (ahead) => {
        expect(formatAge(1e12 + ahead, 1e12)).toBe("0s");
      }),
    );
  });
});

describe("any unit price", () => {
  it("are never above the price, and below it by less than one part in a hundred", () => {
    fc.assert(
      fc.property(fc.bigInt(0n, SATS_MAX * SCALE), (price) => {
        const text = formatUnitPrice(price);
        expect(text).toMatch(/^\d{1,3}(,\d{3})*(\.\d{0,7}[1-9])?$/);
        const lost = price - scaled(text, 8);
        expect(lost >= 0n && (lost === 0n || lost * 100n < price)).toBe(true);
      }),
    );
  });

  it("distinguish cheap tokens: more is never shown as less", () => {
    const cheap = fc.bigInt(0n, 200n * SCALE);
    fc.assert(
      fc.property(cheap, cheap, (one, other) => {
        const [less, more] = one < other ? [one, other] : [other, one];
        expect(scaled(formatUnitPrice(less), 8) <= scaled(formatUnitPrice(more), 8)).toBe(true);
      }),
    );
  });

  it("of amounts of tokens lose only the digits that are cut off", () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 128n), fc.integer({ min: 0, max: 38 }), (raw, decimals) => {
        expect(scaled(formatTokenAmount(raw, decimals), decimals)).toBe(raw);
        expect(scaled(formatTokenAmount(raw, decimals, 2), decimals) <= raw).toBe(true);
      }),
    );
  });
});

describe("any name", () => {
  const name = fc.string({ unit: "grapheme", maxLength: 60 });
  const charactersOf = (text: string) =>
    [...new Intl.Segmenter("en", { granularity: "grapheme" }).segment(text)].map(({ segment }) => segment);

  it("are cut to nineteen characters of their own and a mark", () => {
    fc.assert(
      fc.property(name, (whole) => {
        const cut = truncateName(whole);
        const characters = charactersOf(whole);
        if (characters.length <= 19) {
          expect(cut).toBe(whole);
          return;
        }
        expect(cut.endsWith("…")).toBe(true);
        const kept = cut.slice(0, -1);
        expect(characters.slice(0, 19).join("").trimEnd()).toBe(kept);
      }),
    );
  });

  it("keep a part besides the number of their bundle", () => {
    fc.assert(
      fc.property(name, fc.nat(), (whole, number) => {
        expect(withoutBundleNumber(`x${whole} [${number}]`)).toMatch(/^x/);
        expect(withoutBundleNumber(whole) === "").toBe(whole === "");
      }),
    );
  });

  it("give one or two initials", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[\w •]{0,30}$/), (whole) => {
        expect(initials(whole).length).toBeGreaterThanOrEqual(1);
        expect(initials(whole).length).toBeLessThanOrEqual(2);
      }),
    );
  });

  it("of addresses keep both ends", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z0-9]{1,80}$/), (address) => {
        const short = shortenAddress(address);
        expect(short.length).toBeLessThanOrEqual(13);
        expect(address.startsWith(short.split("…")[0] ?? "")).toBe(true);
        expect(address.endsWith(short.split("…").at(-1) ?? "")).toBe(true);
      }),
    );
  });
});
