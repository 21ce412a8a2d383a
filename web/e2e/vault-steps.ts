import { expect, type Locator, type Page } from "@playwright/test";
import { devnetURL } from "../playwright.config";
import { callApi } from "./borrow-steps";
import { type DevAccountName, openAs } from "./browser-session";
import { expectToast } from "./lend-steps";
import { RETRIES } from "./retries";
import { walletWindow } from "./wallet-steps";

/** The dialog of the vault, opened from the wallet's menu. */
export async function openVaultDialog(page: Page): Promise<Locator> {
  await page
    .getByRole("banner")
    .getByRole("button", { name: /^Wallet / })
    .click();
  await page.getByRole("button", { name: /^(Create vault|Fund vault|Withdraw)$/ }).click();
  const dialog = page.getByRole("dialog", { name: /^(Create a vault|Vault)$/ });
  await expect(dialog).toBeVisible();
  return dialog;
}

/** Approves the wallet's request. */
export async function sign(page: Page): Promise<void> {
  await walletWindow(page, "Sign message").getByRole("button", { name: "Sign", exact: true }).click();
}

/** Opens a vault; returns its address. */
export async function createVault(page: Page, dialog: Locator): Promise<string> {
  await dialog.getByRole("button", { name: "Create vault" }).click();
  await sign(page);
  const address = dialog.getByTestId("vault-address");
  await expect(address).toHaveText(/^bcrt1p/);
  return (await address.textContent()) ?? "";
}

/** The keys of a vault, with their attestations. */
export const ATTESTED = "**/api/v1/vaults/me/attested";

/** Has the server put a key of its own among those of the signers. */
export async function attestOtherKeys(page: Page): Promise<void> {
  await page.route(ATTESTED, async (route) => {
    const response = await route.fetch();
    const attested = await response.json();
    attested.signers[0].key = attested.lenderKey;
    await route.fulfill({ response, json: attested });
  });
}

/** Has the server not say whose keys are in a vault. */
export async function refuseAttestation(page: Page): Promise<void> {
  await page.route(ATTESTED, (route) => route.abort());
}

/** Gets 0.05 BTC from the demo's faucet, confirmed. */
export async function getCoins(page: Page): Promise<void> {
  await page
    .getByRole("banner")
    .getByRole("button", { name: /^Wallet / })
    .click();
  await page.getByRole("button", { name: "Get test coins" }).click();
  const faucet = page.getByRole("dialog", { name: "Demo faucet" });
  await faucet.getByRole("button", { name: "Get it" }).click();
  await expectToast(page, "0.05000 BTC is on its way");
  await mineBlock(page);
  await faucet.getByRole("button", { name: "Close" }).last().click();
  await expect(faucet).toHaveCount(0);
}

/** Has the chain mine a block now. */
export async function mineBlock(page: Page): Promise<void> {
  expect((await page.request.post(`${devnetURL}/mine`, { maxRetries: RETRIES })).ok()).toBe(true);
}

/** Deposits an amount from the wallet into the vault, and waits until it counts. */
export async function deposit(page: Page, dialog: Locator, btc: string): Promise<void> {
  await dialog.getByLabel("Deposit from your wallet").fill(btc);
  await dialog.getByRole("button", { name: "Review deposit" }).click();
  await dialog.getByRole("button", { name: `Deposit ${btc} BTC` }).click();
  await walletWindow(page, "Sign transaction").getByRole("button", { name: "Sign", exact: true }).click();
  // A block may come meanwhile.
  await expect(dialog.getByText(/^Your deposit (is on its way|has arrived)\./)).toBeVisible();
  await mineUntilShown(page, () =>
    expect(dialog.getByTestId("vault-usable")).not.toContainText("0.000000", { timeout: 6_000 }),
  );
}

/**
 * Mines until the page shows it: the server looks at its vaults in intervals, and a real node may have begun its block
 * before it had the transaction.
 */
export async function mineUntilShown(page: Page, shown: () => Promise<void>): Promise<void> {
  await expect(async () => {
    await mineBlock(page);
    await shown();
  }).toPass({ timeout: 60_000 });
}

/** Opens a page of the app, signed in with a vault that holds 0.04 BTC. */
export async function openWithVault(page: Page, address: string, account: DevAccountName): Promise<void> {
  await openAs(page, address, account);
  await callApi(page, "POST", `${devnetURL}/faucet`, {});
  await mineBlock(page);
  const dialog = await openVaultDialog(page);
  await createVault(page, dialog);
  await deposit(page, dialog, "0.04");
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
}
