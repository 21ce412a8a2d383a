import { describe, expect, it } from "vitest";
import { type EnteredOrder, fromBase64, signedText, taskText, withoutSpace } from "./kit-task";

const TXID = "ab".repeat(32);
const ORDER: EnteredOrder = {
  coins: [{ outpoint: `${TXID}:1`, sats: "50000" }],
  feeRate: "5",
  version: 3,
  spentPads: [],
  isLateWanted: false,
  destination: "",
};

const built = (order: Partial<EnteredOrder>) =>
  JSON.parse(taskText("kit", { kind: "build", order: { ...ORDER, ...order } }, 1_900_000_000_999));

describe("a task", () => {
  it("has the kit, the clock in seconds and the step", () => {
    expect(JSON.parse(taskText("kit", { kind: "read" }, 1_900_000_000_999))).toEqual({
      kit: "kit",
      nowSeconds: 1_900_000_000,
      step: { kind: "read" },
    });
    expect(built({}).step).toEqual({
      kind: "build",
      coins: [{ outpoint: `${TXID}:1`, sats: 50_000 }],
      feeRate: "5",
      version: 3,
      spentPads: [],
      isLateWanted: false,
      destination: null,
    });
  });

  it.each([
    [" 0.1 ", "0.1"],
    ["12,5", "12.5"],
    ["much", "much"],
  ])("has the fee rate %j as text, which the module parses", (feeRate, text) => {
    expect(built({ feeRate }).step.feeRate).toBe(text);
  });

  it("leaves out empty rows, and takes separators in sats and capitals in a txid", () => {
    const coins = [
      { outpoint: "", sats: " " },
      { outpoint: ` ${TXID.toUpperCase()}:0 `, sats: "1,500_000" },
    ];
    expect(built({ coins }).step.coins).toEqual([{ outpoint: `${TXID}:0`, sats: 1_500_000 }]);
  });

  it.each([
    [TXID, "1000", "number of the output"],
    [`${TXID}:x`, "1000", "number of the output"],
    [`${TXID}:0`, "", "whole sats"],
    [`${TXID}:0`, "0.001", "whole sats"],
    [`${TXID}:0`, "-5", "whole sats"],
    [`${TXID}:0`, "9999999999999999", "whole sats"],
  ])("is refused with the coin %j of %j sats", (outpoint, sats, words) => {
    expect(() => built({ coins: [{ outpoint, sats }] })).toThrow(words);
  });
});

describe("a signed PSBT", () => {
  it("is read from a file of bytes, base64 or hexadecimal", () => {
    const bytes = Uint8Array.from([0x70, 0x73, 0x62, 0x74, 0xff, 1, 2]);
    expect(signedText(bytes)).toBe("cHNidP8BAg==");
    expect(fromBase64(signedText(bytes))).toEqual(bytes);
    expect(signedText(new TextEncoder().encode("cHNi\r\n dP8=\n"))).toBe("cHNidP8=");
    expect(withoutSpace(" 7073\t6274ff \n")).toBe("70736274ff");
  });
});
