import * as v from "valibot";
import { WalletError } from "./wallet-error";

/** Wallet error codes: the user cancelled, or the permission is missing. */
const REJECTIONS = [-32_000, 4_001];
const DENIED_CODES = [-32_002, 4_100];

const refusal = v.object({ code: v.number() });

/** The error texts of a failed call. */
export interface CallTexts {
  absent: string;
  cancelled: string;
  failed: string;
}

export const CONNECT_TEXTS: CallTexts = {
  absent: "Wallet not connected",
  cancelled: "Wallet request was cancelled",
  failed: "Wallet not connected",
};
export const MESSAGE_TEXTS: CallTexts = {
  absent: "Please reconnect your wallet",
  cancelled: "Signature request was cancelled",
  failed: "Failed to sign message",
};
export const PSBT_TEXTS: CallTexts = {
  absent: "Please reconnect your wallet",
  cancelled: "Wallet cancelled request",
  failed: "Failed to sign transaction",
};

/** Converts a wallet's refusal of any shape into an error. */
export function walletErrorOf(error: unknown, texts: CallTexts): WalletError {
  if (error instanceof WalletError) return error;
  const parsed = v.safeParse(refusal, error);
  const code = parsed.success ? parsed.output.code : 0;
  if (REJECTIONS.includes(code)) return new WalletError("cancelled", texts.cancelled);
  if (DENIED_CODES.includes(code)) return new WalletError("absent", "Please reconnect your wallet");
  return new WalletError("failed", texts.failed);
}

/** Calls a wallet's method and validates the result; rejects with a `WalletError`. */
export async function walletAnswer<const Schema extends v.GenericSchema>(
  call: () => unknown,
  schema: Schema,
  texts: CallTexts,
): Promise<v.InferOutput<Schema>> {
  let answer: unknown;
  try {
    answer = await call();
  } catch (error) {
    throw walletErrorOf(error, texts);
  }
  const read = v.safeParse(schema, answer);
  if (!read.success) throw new WalletError("failed", texts.failed);
  return read.output;
}

/** A wallet's object on `window` by its dotted path; never looked up in prototypes. */
export function walletObject(path: string, root: Window = window): Record<string, unknown> | null {
  let found: unknown = root;
  for (const name of path.split(".")) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, name)) return null;
    found = (found as Record<string, unknown>)[name];
  }
  return typeof found === "object" && found !== null ? (found as Record<string, unknown>) : null;
}

/** Calls a method of a wallet's object, which is looked up each time: it may load late, and disappear. */
export function callWallet(path: string, method: string, args: unknown[], texts: CallTexts): unknown {
  const wallet = walletObject(path);
  const called = wallet?.[method];
  if (!wallet || typeof called !== "function") throw new WalletError("absent", texts.absent);
  return (called as (...args: unknown[]) => unknown).apply(wallet, args);
}

/** Calls back when a wallet reports another account or network. Returns a function that stops listening. */
export function listen(path: string, events: readonly string[], onChange: () => void): () => void {
  const wallet = walletObject(path);
  const call = (method: string, event: string) => {
    const called = wallet?.[method];
    if (typeof called === "function") called.call(wallet, event, onChange);
  };
  for (const event of events) call("on", event);
  return () => {
    for (const event of events) call("removeListener", event);
  };
}
