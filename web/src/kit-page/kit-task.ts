/** The tasks of the module about kits, see engine/verifier/src/kit_page/task.rs. */

/** A coin as its user entered it. */
export interface EnteredCoin {
  outpoint: string;
  sats: string;
}

/** The choices of the user about a transaction, as entered. */
export interface EnteredOrder {
  coins: readonly EnteredCoin[];
  feeRate: string;
  version: 2 | 3;
  spentPads: readonly string[];
  isLateWanted: boolean;
  destination: string;
}

/** A step with a kit. */
export type KitStep =
  | { kind: "read" }
  | { kind: "build"; order: EnteredOrder }
  | { kind: "finish"; psbt: string; destination: string };

/** An entry that cannot be understood. Its text is for the user. */
export class EntryError extends Error {
  override readonly name = "EntryError";
}

const OUTPOINT = /^[0-9a-f]{64}:\d{1,10}$/;
const SATS = /^\d{1,16}$/;

/** Returns a task in the words of the module; fails with an `EntryError`. */
export function taskText(kit: string, step: KitStep, nowMs: number): string {
  return JSON.stringify({ kit, nowSeconds: Math.floor(nowMs / 1_000), step: wireStep(step) });
}

function wireStep(step: KitStep) {
  if (step.kind === "read") return step;
  if (step.kind === "finish") {
    return { kind: "finish", psbt: step.psbt, destination: optional(step.destination) };
  }
  const { coins, feeRate, version, spentPads, isLateWanted, destination } = step.order;
  return {
    kind: "build",
    coins: coins.filter(({ outpoint, sats }) => outpoint.trim() !== "" || sats.trim() !== "").map(wireCoin),
    // Some keyboards have only a decimal comma.
    feeRate: feeRate.trim().replace(",", "."),
    version,
    spentPads,
    isLateWanted,
    destination: optional(destination),
  };
}

const optional = (text: string) => (text.trim() === "" ? null : text.trim());

function wireCoin(coin: EnteredCoin, index: number) {
  const outpoint = coin.outpoint.trim().toLowerCase();
  const sats = coin.sats.replace(/[\s,_']/g, "");
  if (!OUTPOINT.test(outpoint)) {
    throw new EntryError(`Coin ${index + 1}: enter the txid, a colon and the number of the output.`);
  }
  if (!SATS.test(sats) || !Number.isSafeInteger(Number(sats))) {
    throw new EntryError(`Coin ${index + 1}: enter its amount in whole sats.`);
  }
  return { outpoint, sats: Number(sats) };
}

/** The first bytes of a binary PSBT: "psbt" and 0xff. */
const MAGIC = [0x70, 0x73, 0x62, 0x74, 0xff];

/** Returns a signed PSBT as text, from a file of bytes, base64 or hexadecimal. */
export function signedText(bytes: Uint8Array): string {
  if (MAGIC.every((byte, index) => bytes[index] === byte)) return toBase64(bytes);
  return withoutSpace(new TextDecoder().decode(bytes));
}

/** Returns a text without white space: wallets and editors break long lines. */
export function withoutSpace(text: string): string {
  return text.replace(/\s+/g, "");
}

function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** Returns the bytes of a text in base64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
