import { expect, type Page } from "@playwright/test";
import { walletWindow } from "./wallet-steps";

/** What a wallet can do wrong, or to one's surprise. */
type Fault = "signs nothing" | "fails" | "has one address";

interface Provider {
  request: (method: string, params?: { psbt: string }) => Promise<unknown>;
  addListener: (listener: { eventName: string; cb: () => void }) => () => void;
  mend?: () => void;
}

/** Has the dev wallet behave like a worse one from now on. */
export async function breakWallet(page: Page, fault: Fault): Promise<void> {
  await page.evaluate((kind) => {
    const wallet = (window as unknown as { DevWallet: Provider }).DevWallet;
    wallet.mend?.();
    const { request } = wallet;
    wallet.mend = () => Object.assign(wallet, { request });
    wallet.request = async (method, params) => {
      if (kind === "has one address" && method === "wallet_connect") {
        const answer = (await request(method, params)) as { result: { addresses: unknown[] } };
        answer.result.addresses.pop();
        return answer;
      }
      if (method !== "signPsbt" || kind === "has one address") return request(method, params);
      if (kind === "fails") return { error: { code: -32_603, message: "out of order" } };
      return { result: { psbt: params?.psbt } };
    };
  }, fault);
}

export async function mendWallet(page: Page): Promise<void> {
  await page.evaluate(() => (window as unknown as { DevWallet: Provider }).DevWallet.mend?.());
}

/** Opens the wallet choice and waits until the dev wallet is there. */
export async function openWalletChoice(page: Page): Promise<void> {
  await page.getByRole("banner").getByRole("button", { name: "Connect" }).click();
  await expect(page.getByRole("button", { name: "Dev Wallet" })).toBeVisible();
}

/** Signs in with a wallet that can be made to tell that its account is another one. */
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
  const choice = walletWindow(page, "Choose an account");
  await choice.getByText(account, { exact: true }).click();
  await choice.getByRole("button", { name: "Connect" }).click();
  await walletWindow(page, "Sign message").getByRole("button", { name: "Sign", exact: true }).click();
  await expect(page.getByRole("button", { name: `Wallet ${account}` })).toBeVisible();
}

export async function changeAccount(page: Page): Promise<void> {
  await page.evaluate(() => (window as unknown as { changeAccount: () => void }).changeAccount());
}
