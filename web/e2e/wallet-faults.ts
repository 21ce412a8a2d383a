import { expect, type Page } from "@playwright/test";
import { signInWith } from "./wallet-steps";

/** Faults and limits of a wallet. */
type Fault = "signs nothing" | "fails" | "has one address" | "is hardware";

interface Provider {
  request: (method: string, params?: { psbt: string }) => Promise<unknown>;
  addListener: (listener: { eventName: string; cb: () => void }) => () => void;
  restore?: () => void;
}

/** Gives the dev wallet a fault from now on. */
export async function breakWallet(page: Page, fault: Fault): Promise<void> {
  await page.evaluate((kind) => {
    const wallet = (window as unknown as { DevWallet: Provider }).DevWallet;
    wallet.restore?.();
    const { request } = wallet;
    wallet.restore = () => Object.assign(wallet, { request });
    wallet.request = async (method, params) => {
      if (kind === "fails") return { error: { code: -32_603, message: "out of order" } };
      if (method === "wallet_connect") {
        type Connected = { result: { addresses: unknown[]; walletType: string } };
        const answer = (await request(method, params)) as Connected;
        if (kind === "has one address") answer.result.addresses.pop();
        if (kind === "is hardware") answer.result.walletType = "ledger";
        return answer;
      }
      if (method === "signPsbt" && kind === "signs nothing") return { result: { psbt: params?.psbt } };
      return request(method, params);
    };
  }, fault);
}

export async function restoreWallet(page: Page): Promise<void> {
  await page.evaluate(() => (window as unknown as { DevWallet: Provider }).DevWallet.restore?.());
}

/** Opens the wallet choice and waits until the dev wallet is there. */
export async function openWalletChoice(page: Page): Promise<void> {
  await page.getByRole("banner").getByRole("button", { name: "Connect" }).click();
  await expect(page.getByRole("button", { name: "Dev Wallet" })).toBeVisible();
}

/** Signs in with a wallet that can be made to report another account. */
export async function signInWatched(page: Page, account: string): Promise<void> {
  await openWalletChoice(page);
  await page.evaluate(() => {
    const wallet = (window as unknown as { DevWallet: Provider }).DevWallet;
    wallet.addListener = ({ eventName, cb }) => {
      if (eventName === "accountChange") Object.assign(window, { changeAccount: cb });
      return () => undefined;
    };
  });
  await page.getByRole("button", { name: "Dev Wallet" }).click();
  await signInWith(page, account);
}

export async function changeAccount(page: Page): Promise<void> {
  await page.evaluate(() => (window as unknown as { changeAccount: () => void }).changeAccount());
}
