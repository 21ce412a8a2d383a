import { expect, type Page } from "@playwright/test";
import { busyCollection, inscriptionChoices, openBorrowDialog, takeFromFaucet } from "../e2e/borrow-steps";
import { openInstantDialog } from "../e2e/instant-steps";
import { fundWallet } from "../e2e/lend-steps";
import { collateralElsewhere, tamper } from "../e2e/tampered-answers";
import { openWithVault } from "../e2e/vault-steps";
import { signInAs } from "../e2e/wallet-steps";

type Process = "manual" | "instant";

export async function signedIn(page: Page, account: string): Promise<void> {
  await page.goto("/portfolio?tab=offers");
  await signInAs(page, account);
}

export async function funded(page: Page, account: string): Promise<void> {
  await signedIn(page, account);
  await fundWallet(page);
}

export async function openWalletMenu(page: Page): Promise<void> {
  await signedIn(page, "Lender 1");
  await page
    .getByRole("banner")
    .getByRole("button", { name: /^Wallet / })
    .click();
}

export async function openFaucet(page: Page): Promise<void> {
  await openWalletMenu(page);
  await page.getByRole("button", { name: "Get test coins" }).click();
}

/** The borrow dialog of a user with collateral, which is selected. */
export async function chooseInscription(page: Page, process: Process) {
  await signedIn(page, "Borrower 1");
  const collection = await busyCollection(page, "inscription", process);
  await takeFromFaucet(page, "Ordinals", collection.name);
  const dialog = await openBorrowDialog(page, collection, process);
  await inscriptionChoices(dialog).first().check();
  return dialog;
}

export async function reviewLoan(page: Page, process: Process): Promise<void> {
  const dialog = await chooseInscription(page, process);
  await dialog.getByRole("button", { name: /^Borrow 0/ }).click();
  await expect(dialog.getByRole("region", { name: "What you sign" })).toBeVisible();
}

/** The review of a loan whose collateral would go to another address than its escrow. */
export async function refuseReview(page: Page, process: Process): Promise<void> {
  await tamper(page, collateralElsewhere);
  const dialog = await chooseInscription(page, process);
  await dialog.getByRole("button", { name: /^Borrow 0/ }).click();
  await expect(dialog.getByRole("alert", { name: "Refused by the check in this browser" })).toBeVisible();
}

export async function chooseRunes(page: Page): Promise<void> {
  await signedIn(page, "Borrower 1");
  const collection = await busyCollection(page, "rune", "instant");
  await takeFromFaucet(page, "Runes", collection.name);
  const dialog = await openBorrowDialog(page, collection, "instant", "runes");
  await expect(dialog.getByRole("textbox", { name: "Collateral" })).not.toHaveValue("");
}

/** Instant lending with one offer in the form, or with several selected. */
export async function fillInstantOffers(page: Page, offers: "one" | "several"): Promise<void> {
  await openWithVault(page, "/lend/ordinals", "Lender 1");
  const dialog = await openInstantDialog(page, "ordinals", "quiet-moons");
  await dialog.getByLabel("Principal").fill("0.0004");
  if (offers === "one") return;
  await dialog.getByRole("checkbox", { name: /^Advanced/ }).click();
  await dialog.getByRole("group", { name: "Term" }).getByRole("button").nth(2).click();
  await dialog.getByLabel("Principal").fill("0.0005");
  await dialog.getByRole("button", { name: "One more" }).click();
}

/** The demo's mail server rejects every address that ends in .invalid. */
export async function addRefusedAddress(page: Page): Promise<void> {
  await signedIn(page, "Lender 1");
  await page.goto("/settings/notifications");
  await page.getByLabel("Your address").fill("lender@nowhere.invalid");
  await page.getByRole("button", { name: "Verify" }).click();
  await expect(page.getByText("Refused", { exact: true })).toBeVisible({ timeout: 30_000 });
}
