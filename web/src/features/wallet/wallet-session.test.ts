import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { useSession } from "@/shared/session/session-store";
import { restoreSession, type SignInProgress, signIn } from "./wallet-session";

const PAYMENT = "bcrt1qpayment";
const ORDINALS = "bcrt1pordinals";
const KEY = "ab".repeat(32);

const opened = (isOrdinalsProven: boolean) => ({
  jwt: "a.b.c",
  expiresAt: Date.now() + 900_000,
  userId: "us_1",
  hardwareWallet: false,
  addresses: { payment: { address: PAYMENT, pubKey: KEY }, ordinals: { address: ORDINALS, pubKey: KEY } },
  isOrdinalsProven,
  notificationPreferences: {
    criticalAlerts: false,
    email: null,
    isEmailVerified: false,
    telegramChatId: null,
    isBrowserNotified: false,
  },
});
const nonce = {
  ok: true,
  data: { nonce: "00", issued: 1, expires: 2, domain: "here", network: "regtest" },
  errorMessage: null,
};

/** A browser with a wallet of these addresses, and a server that responds. */
function setup(payment: string, ordinals: string, isOrdinalsProven = true) {
  const signed: string[] = [];
  const address = (at: string, purpose: string) => ({ address: at, publicKey: KEY, purpose });
  const request = vi.fn(async (method: string, params: { address: string; message: string }) => {
    if (method === "wallet_connect") {
      return { result: { addresses: [address(payment, "payment"), address(ordinals, "ordinals")] } };
    }
    signed.push(params.message);
    return { result: { signature: `by ${params.address}` } };
  });
  const fetch = vi.fn(async (path: string, _options: RequestInit) =>
    Response.json(path.endsWith("/nonce") ? nonce : opened(isOrdinalsProven)),
  );
  const kept = new Map<string, string>();
  vi.stubGlobal("window", { Good: { request } });
  vi.stubGlobal("navigator", {});
  vi.stubGlobal("fetch", fetch);
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  });
  const body = () => JSON.parse(String(fetch.mock.calls.at(-1)?.[1].body)) as Record<string, unknown>;
  return { signed, body, kept };
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  useSession.getState().clear();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("signing in", () => {
  it("has both addresses sign one text, each in a step of its own", async () => {
    const { signed, body } = setup(PAYMENT, ORDINALS);
    const steps: SignInProgress[] = [];
    await signIn("Good", "regtest", (progress) => steps.push(progress));
    expect(steps.map(({ step }) => step)).toEqual(["connect", "nonce", "signature", "ordinals", "session"]);
    expect(signed).toHaveLength(2);
    expect(signed[0]).toBe(signed[1]);
    expect(signed[0]).toContain(`Ordinals address: ${ORDINALS}`);
    expect(body()).toMatchObject({ signature: `by ${PAYMENT}`, ordinal_signature: `by ${ORDINALS}` });
  });

  it("asks a wallet with one address only once", async () => {
    const { signed, body } = setup(ORDINALS, ORDINALS);
    const steps: SignInProgress[] = [];
    await signIn("Good", "regtest", (progress) => steps.push(progress));
    expect(steps.at(-1)).toEqual({ step: "session", hasTwoAddresses: false });
    expect(steps.map(({ step }) => step)).not.toContain("ordinals");
    expect(signed).toHaveLength(1);
    expect(body().ordinal_signature).toBeNull();
  });
});

describe("a session of an earlier visit", () => {
  it.each([
    [true, "us_1"],
    [false, undefined],
  ])("is restored if its ordinals address has signed: %s", async (isOrdinalsProven, userId) => {
    const { kept } = setup(PAYMENT, ORDINALS, isOrdinalsProven);
    kept.set("lienbook.wallet", JSON.stringify({ id: "Good", accountName: null }));
    await restoreSession();
    expect(useSession.getState().session?.userId).toBe(userId);
    expect(kept.has("lienbook.wallet")).toBe(isOrdinalsProven);
  });
});
