import { expect, type Locator, type Page } from "@playwright/test";
import { walletWindow } from "./wallet-steps";

/** The dialog of the vault, opened from the wallet's menu. */
export async function openVaultDialog(page: Page): Promise<Locator> {
  await page
    .getByRole("banner")
    .getByRole("button", { name: /^Wallet / })
    .click();
  await page.getByRole("button", { name: /^(Create vault|Open)$/ }).click();
  const dialog = page.getByRole("dialog", { name: /^(Create a vault|Vault)$/ });
  await expect(dialog).toBeVisible();
  return dialog;
}

/** Signs what the wallet shows. */
export async function sign(page: Page): Promise<void> {
  await walletWindow(page, "Sign message").getByRole("button", { name: "Sign", exact: true }).click();
}

/** Opens a vault; its address comes back. */
export async function createVault(page: Page, dialog: Locator): Promise<string> {
  await dialog.getByRole("button", { name: "Create vault" }).click();
  await sign(page);
  const address = dialog.getByTestId("vault-address");
  await expect(address).toHaveText(/^bcrt1p/);
  return (await address.textContent()) ?? "";
}
