import { randomBytes } from "node:crypto";
import { type APIRequestContext, type BrowserContext, expect, type Page } from "@playwright/test";
import { ACCOUNT_NAMES } from "../src/features/wallet/dev-wallet/dev-accounts";
import { actionMessage } from "../src/shared/bitcoin/action-message";
import { signBip322Simple } from "../src/shared/bitcoin/bip322";
import { keysFromSeed, type SeedKeys } from "../src/shared/bitcoin/seed-keys";

export type DevAccountName = (typeof ACCOUNT_NAMES)[number];

const DEV_WALLET = "DevWallet";

/** The seeds of the dev wallets, by the context that keeps them. */
const seeds = new WeakMap<BrowserContext, Uint8Array>();

/** The servers that contexts have signed in at. */
const origins = new WeakMap<BrowserContext, string>();

/** Returns the origin of a page's server, before its first page is opened too. */
export function originOf(page: Page): string {
  return page.url().startsWith("http") ? new URL(page.url()).origin : (origins.get(page.context()) ?? "");
}

/** Returns the seed of a browser's dev wallet, so that a test knows its keys. */
export async function createSeed(page: Page): Promise<Uint8Array> {
  const seed = new Uint8Array(randomBytes(32));
  await setSeed(page, seed);
  return seed;
}

/** Gives a browser's dev wallet a known seed. */
export async function setSeed(page: Page, seed: Uint8Array): Promise<void> {
  seeds.set(page.context(), seed);
  await page.addInitScript(
    ([key, value]) => localStorage.setItem(key as string, value as string),
    ["lienbook.dev-wallet.seed", Buffer.from(seed).toString("hex")],
  );
}

interface OpenedSession {
  token: string;
  /** The server's. */
  origin: string;
}

/** Opens a session with both signatures. The context keeps the cookie that refreshes it. */
export async function openSession(http: APIRequestContext, keys: SeedKeys): Promise<OpenedSession> {
  const { payment, ordinals } = keys;
  const { address } = payment;
  const { data } = await (await http.post("/api/v1/session/nonce", { data: { address } })).json();
  const message = actionMessage(
    {
      type: "signIn",
      ordinalsAddress: ordinals.address,
      ordinalsPublicKey: ordinals.pubKey,
      paymentAddress: address,
      paymentPublicKey: payment.pubKey,
    },
    { ...data, issuedS: data.issued, expiresS: data.expires, address },
  );
  const answer = await http.post("/api/v1/session", {
    data: {
      message,
      signature: signBip322Simple(payment, message),
      ordinal_signature: address === ordinals.address ? null : signBip322Simple(ordinals, message),
      wallet: DEV_WALLET,
      hardware_wallet: false,
      payment_address: address,
      payment_pubkey: payment.pubKey,
      ordinal_address: ordinals.address,
      ordinal_pubkey: ordinals.pubKey,
    },
  });
  expect(answer.ok(), await answer.text()).toBe(true);
  return { token: (await answer.json()).jwt, origin: new URL(answer.url()).origin };
}

/**
 * Signs in as one of the dev wallet's accounts, as on an earlier visit, before the first page is opened. Signing in has tests
 * of its own, and its dialogs take as long as the rest of many a test.
 */
export async function signInBefore(page: Page, account: DevAccountName): Promise<void> {
  const seed = seeds.get(page.context()) ?? (await createSeed(page));
  const keys = keysFromSeed(seed, "regtest", ACCOUNT_NAMES.indexOf(account));
  const isOneAddress = account === "One address";
  const opened = await openSession(page.request, isOneAddress ? { ...keys, payment: keys.ordinals } : keys);
  origins.set(page.context(), opened.origin);
  // Once, as the test may sign out.
  await page.addInitScript(
    ([key, value]) => {
      if (sessionStorage.getItem(key as string)) return;
      sessionStorage.setItem(key as string, "remembered");
      localStorage.setItem(key as string, value as string);
    },
    ["lienbook.wallet", JSON.stringify({ id: DEV_WALLET, accountName: account })],
  );
}

/** Opens a page of the app, signed in as on an earlier visit. */
export async function openAs(page: Page, address: string, account: DevAccountName): Promise<void> {
  await signInBefore(page, account);
  await page.goto(address);
  await expect(page.getByRole("button", { name: `Wallet ${account}` })).toBeVisible();
}
