import { expect, type Page } from "@playwright/test";
import { serveVerification } from "../e2e/instant-steps";
import { fundWallet } from "../e2e/lend-steps";
import { sign } from "../e2e/vault-steps";
import { walletWindow } from "../e2e/wallet-steps";
import { openOwnLoan, withOffers, withWaitingLoan } from "./own-loans";
import { refusal } from "./refusal";
import { fillInstantOffers, reviewLoan } from "./signed-in";

/** The dialog in which a loan is signed, while the wallet asks the user. */
export async function signLoan(page: Page): Promise<void> {
  await reviewLoan(page, "instant");
  await page.getByRole("button", { name: /^Sign and borrow/ }).click();
  await expect(walletWindow(page, "Sign transaction")).toBeVisible();
}

export async function counterSignLoan(page: Page): Promise<void> {
  await withWaitingLoan(page);
  await page
    .getByRole("button", { name: /^Counter-sign/ })
    .first()
    .click();
  await expect(page.getByRole("region", { name: "What you sign" })).toBeVisible();
}

/** The lender of a BRC-20 loan has no coin of the exact sum any more. */
export async function showMissingCoin(page: Page): Promise<void> {
  const missing = refusal("exact_coin_missing", "There is no such coin", 409, { fundingSats: 100_650 });
  await page.route("**/api/v1/loans/*/countersignature", (route) => route.fulfill(missing));
  await withWaitingLoan(page);
  await page
    .getByRole("button", { name: /^Counter-sign/ })
    .first()
    .click();
  await expect(
    page.getByRole("dialog", { name: "This loan needs a coin of the exact amount" }),
  ).toContainText("0.0010065");
}

/** A decision about an own running loan, up to its first screen. */
export async function decideLoan(page: Page, action: "Repay" | "Extend" | "Refinance"): Promise<void> {
  await openOwnLoan(page);
  await page.getByRole("dialog").getByRole("button", { name: action, exact: true }).click();
  await expect(page.getByRole("dialog").getByRole("heading", { level: 2 })).toBeVisible();
  await expect(page.getByRole("dialog").getByRole("status", { name: /Fetching/ })).toHaveCount(0);
}

export async function editOffer(page: Page): Promise<void> {
  await withOffers(page);
  await fundWallet(page);
  await page
    .getByRole("button", { name: /^Edit offer/ })
    .first()
    .click();
  await expect(page.getByRole("button", { name: "Edit Offer" })).toBeVisible();
}

export async function cancelOffer(page: Page): Promise<void> {
  await withOffers(page);
  await page
    .getByRole("button", { name: /^(Cancel|Delete) offer/ })
    .first()
    .click();
  await expect(page.getByRole("dialog")).toBeVisible();
}

export async function deleteOffers(page: Page): Promise<void> {
  await withOffers(page);
  for (const box of await page.getByRole("checkbox", { name: /^Select offer for/ }).all()) await box.click();
  await page.getByRole("button", { name: /^Delete \d+ offers?$/ }).click();
  const confirmation = page.getByRole("dialog", { name: "Delete Selected Offers?" });
  await confirmation.getByRole("button", { name: /Manual Offers/ }).waitFor();
}

/** All offers of a lender, before one signature ends the instant ones. */
export async function cancelAllOffers(page: Page): Promise<void> {
  await withOffers(page);
  await page.getByRole("button", { name: "Cancel all" }).click();
  await page.getByRole("dialog", { name: "Cancel All Offers?" }).waitFor();
}

/** The instant offer is signed, and the server demands a verification. */
export async function passVerification(page: Page): Promise<void> {
  await serveVerification(page);
  await page.route("**/api/v1/offers/instant/ordinals", (route) =>
    route.fulfill(refusal("turnstile_required", "Please complete the verification to continue", 403)),
  );
  await fillInstantOffers(page, "one");
  await page.getByRole("button", { name: "Create Offer" }).click();
  await sign(page);
  await expect(page.getByRole("dialog", { name: "Verification Required" })).toBeVisible();
}

/** Several instant offers in progress, the wallet asking for the first signature. */
export async function signSeveralOffers(page: Page): Promise<void> {
  await fillInstantOffers(page, "several");
  await page.getByRole("button", { name: /^Create \d Offers$/ }).click();
  await expect(walletWindow(page, "Sign message")).toBeVisible();
}
