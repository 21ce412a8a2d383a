import { expect, type Locator, type Page } from "@playwright/test";
import { devnetURL } from "../playwright.config";
import { callApi } from "./borrow-steps";
import { type DevAccountName, signInBefore } from "./browser-session";

/** The faucet's maximum. */
const FAUCET_SATS = "100000000";

/** Confirmed coins for manual offers. */
export async function fundWallet(page: Page, count = 1): Promise<void> {
  for (let call = 0; call < count; call += 1) {
    await callApi(page, "POST", `${devnetURL}/faucet`, { amount: FAUCET_SATS });
  }
  await callApi(page, "POST", `${devnetURL}/mine`);
}

/** Signs in, before the first page is opened, as a lender who can fund any manual offer of the market. */
export async function signInFunded(page: Page, account: DevAccountName): Promise<void> {
  await signInBefore(page, account);
  await fundWallet(page, 3);
}

/** Opens the lend dialog of the first collection that the search finds; returns its name too. */
export async function openLendDialog(
  page: Page,
  search = "",
  category = "ordinals",
): Promise<{ dialog: Locator; name: string }> {
  await page.goto(`/lend/${category}?q=${encodeURIComponent(search)}`);
  await page
    .getByRole("main")
    .getByRole("button", { name: /^Lend\b/ })
    .first()
    .click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByLabel("Principal", { exact: true })).toBeVisible();
  const name = await dialog.getByRole("heading", { level: 2 }).locator("span.truncate").textContent();
  return { dialog, name: name ?? "" };
}

/** Moves the LTV to its ceiling, then down by `percentBelow`. */
export async function setLtvBelowCeiling(page: Page, dialog: Locator, percentBelow: number): Promise<void> {
  await dialog.getByRole("slider").focus();
  await page.keyboard.press("End");
  for (let step = 0; step < percentBelow; step += 1) await page.keyboard.press("-");
}

/** Waits until every toast has faded: during a fade, contrast cannot be checked. */
export async function expectToastsGone(page: Page): Promise<void> {
  await expect(page.locator("[data-sonner-toast]")).toHaveCount(0, { timeout: 20_000 });
}

export async function expectToast(page: Page, text: string | RegExp): Promise<void> {
  await expect(page.locator("[data-sonner-toast]").filter({ hasText: text }).first()).toBeVisible();
}
