import type { Page } from "@playwright/test";
import { inscriptionChoices } from "../e2e/borrow-steps";
import { createSeed } from "../e2e/browser-session";
import { BORROWER_1, Party } from "../e2e/party";
import { sign } from "../e2e/vault-steps";
import { funded, signedIn } from "./signed-in";

const SLUG = "quiet-moons";
const NAME = "Quiet Moons";

/** The form of a request, filled in. */
export async function fillInRequest(page: Page): Promise<void> {
  const borrower = await Party.join(await createSeed(page), BORROWER_1);
  await borrower.fund(SLUG);
  await page.goto("/requests");
  await signedIn(page, "Borrower 1");
  await page.goto("/requests");
  await page.getByRole("button", { name: "Request a loan" }).click();
  const dialog = page.getByRole("dialog", { name: "Request a loan" });
  await dialog.getByRole("button", { name: /^Collection/ }).click();
  await page.getByRole("menuitemradio", { name: NAME }).click();
  await inscriptionChoices(dialog).first().click();
  await dialog.getByLabel("Principal").fill("0.00036");
}

/** The user's own request among the others. */
export async function showOwnRequest(page: Page): Promise<void> {
  await fillInRequest(page);
  await page.getByRole("button", { name: "Sign request" }).click();
  await sign(page);
  await page.locator("[data-request]").first().waitFor();
}

/** The dialog that fills the first request of the market. */
export async function fillFirstRequest(page: Page): Promise<void> {
  await funded(page, "Lender 1");
  await page.goto("/requests");
  await page.getByRole("button", { name: "Fill" }).first().click();
  await page.getByRole("dialog", { name: "Fill a request" }).waitFor();
}
