import { crc32c } from "@client/crc32c.ts";
import { parseFrame } from "@client/frame.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { offer, row } from "./feed-fixtures";
import { compareRank, rankings } from "./ranking";
import { reconnectDelayMs } from "./reconnect";

describe("ranking", () => {
  it("puts more sats per collateral first, then the earlier offer", () => {
    const offers = [
      offer(2, { principal_amount_sats: 500 }),
      offer(3, { principal_amount_sats: 900 }),
      offer(1, { principal_amount_sats: 500 }),
    ];
    const [only] = rankings(offers, row());
    expect(only?.offers.map((ranked) => ranked.principalSats)).toEqual([900n, 500n, 500n]);
    expect(only?.offers.map((ranked) => ranked.offerId.at(-1))).toEqual(["3", "1", "2"]);
  });

  it("compares amounts that floats could not distinguish", () => {
    const huge = "340282366920938463463374607431768211455";
    const better = offer(9, { fungible_amount: `${BigInt(huge) - 1n}` });
    const worse = offer(1, { fungible_amount: huge });
    expect(compareRank(better, worse, row())).toBeLessThan(0);
  });

  it("leaves out reserved offers and keeps places apart, manual before instant", () => {
    const offers = [
      offer(1, { subCollectionId: "10" }),
      offer(2, { subCollectionId: "2", process: "instant" }),
      offer(3, { subCollectionId: "2" }),
      offer(4, { state: "reserved" }),
    ];
    expect(rankings(offers, row()).map((ranking) => `${ranking.subCollectionId} ${ranking.process}`)).toEqual(
      ["2 manual", "2 instant", "10 manual"],
    );
  });

  it("orders the same offers the same way in any input order", () => {
    const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 400 }), { maxLength: 30 });
    fc.assert(
      fc.property(numbers, fc.integer(), (ids, salt) => {
        const offers = ids.map((id) => offer(id, { principal_amount_sats: (id * 7) % 5 }));
        const shuffled = [...offers].sort((a, b) => hash(a.offerId, salt) - hash(b.offerId, salt));
        const order = (list: typeof offers) =>
          rankings(list, row()).flatMap((r) => r.offers.map((o) => o.offerId));
        expect(order(shuffled)).toEqual(order(offers));
      }),
    );
  });
});

describe("crc32c", () => {
  it("gives the values of the standard", () => {
    expect(crc32c("123456789")).toBe(0xe3069283);
    expect(crc32c("")).toBe(0);
    expect(crc32c("\0".repeat(32))).toBe(0x8a9136aa);
  });
});

describe("parseFrame", () => {
  it("refuses any text that is not a frame", () => {
    for (const text of [
      "",
      "null",
      "[]",
      "{",
      '{"type":"delta"}',
      '{"type":"snapshot","channel":1}',
      '"pong"',
    ]) {
      expect(parseFrame(text), text).toBeNull();
    }
    fc.assert(
      fc.property(fc.string(), (text) => parseFrame(text) === null || typeof JSON.parse(text) === "object"),
    );
  });

  it("reads the four kinds", () => {
    expect(parseFrame('{"type":"pong","id":1}')).toEqual({ type: "pong" });
    expect(parseFrame('{"type":"error","code":"busy"}')).toMatchObject({ code: "busy", detail: "" });
    expect(
      parseFrame('{"type":"delta","channel":"market","epoch":"e","prev":1,"seq":2,"ops":[]}'),
    ).toMatchObject({
      seq: 2,
    });
  });
});

describe("reconnectDelayMs", () => {
  it("doubles up to half a minute and is never zero", () => {
    for (let attempt = 0; attempt < 100; attempt += 1) {
      for (const random of [0, 0.5, 0.999]) {
        const delay = reconnectDelayMs(attempt, random);
        expect(delay).toBeGreaterThanOrEqual(250);
        expect(delay).toBeLessThanOrEqual(30_000);
      }
    }
    expect(reconnectDelayMs(3, 0)).toBe(2_000);
  });
});

function hash(text: string, salt: number): number {
  return [...text].reduce((sum, character) => (sum * 31 + character.charCodeAt(0) + salt) | 0, salt);
}
