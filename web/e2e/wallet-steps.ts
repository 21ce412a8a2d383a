import { expect, type Locator, type Page } from "@playwright/test";

/** The dev wallet's own window, which is separate from the page's dialogs. */
export function walletWindow(page: Page, title: string): Locator {
  return page.getByRole("dialog", { name: `Dev Wallet: ${title}` });
}

/** Opens the wallet choice and selects the dev wallet. */
export async function chooseDevWallet(page: Page): Promise<void> {
  await page.getByRole("banner").getByRole("button", { name: "Connect" }).click();
  await page.getByRole("button", { name: "Dev Wallet" }).click();
}

/** Signs in as one of the dev wallet's accounts. Every browser context has accounts of its own. */
export async function signInAs(page: Page, account: string): Promise<void> {
  await chooseDevWallet(page);
  await signInWith(page, account);
}

/** Signs in once the dev wallet asks for the account. */
export async function signInWith(page: Page, account: string): Promise<void> {
  const choice = walletWindow(page, "Choose an account");
  await choice.getByText(account, { exact: true }).click();
  await choice.getByRole("button", { name: "Connect" }).click();
  await signSignIn(page, account === "One address" ? 1 : 2);
  await expect(page.getByRole("button", { name: `Wallet ${account}` })).toBeVisible();
}

/** Signs the sign-in by the payment address, then by the ordinals address where it is another one. */
export async function signSignIn(page: Page, signatures: 1 | 2): Promise<void> {
  for (const kind of ["bcrt1q", "bcrt1p"].slice(-signatures)) {
    await walletWindow(page, "Sign message")
      .filter({ hasText: new RegExp(`, ${kind}\\w*….*signs this text`) })
      .getByRole("button", { name: "Sign", exact: true })
      .click();
  }
}
