import { expect, type Locator, type Page } from "@playwright/test";
import { approveTransaction } from "./borrow-steps";
import { expectToast } from "./lend-steps";

export const TOKEN = { slug: "lumenfall", category: "brc-20" } as const;
export const SUB_COLLECTION = "lumenfall-200";
/** So little that no other user takes it. */
export const PRINCIPAL_SATS = 100_000;
/**
 * A loan against BRC-20 is funded by one coin of exactly principal and platform fee: here 3.25 %, and 20 % of
 * that.
 */
export const FUNDING_SATS = 100_650;
/** 200 tokens of 18 decimals. */
export const BUNDLE_RAW = "200000000000000000000";

export function collateralPanel(dialog: Locator): Locator {
  return dialog.getByRole("region", { name: "BRC-20 collateral" });
}

/** Requests the transfer inscription of a bundle. */
export async function openInscribeDialog(page: Page, panel: Locator): Promise<Locator> {
  await panel.getByRole("button", { name: "Inscribe transfer note" }).click();
  return page.getByRole("dialog", { name: /^Transfer note of / });
}

/** Signs the transaction of a transfer inscription. */
export async function inscribe(page: Page, note: Locator): Promise<void> {
  await note.getByRole("button", { name: "Sign and inscribe" }).click();
  await approveTransaction(page);
  await expectToast(page, "The transfer note is on its way");
  await expect(note).toHaveCount(0);
}

/** Agrees to pledge the transfer inscription, and opens the review of the loan. */
export async function agreeToPledge(dialog: Locator): Promise<void> {
  const borrow = dialog.getByRole("button", { name: "Borrow 0.00100 BTC" });
  await expect(borrow).toBeDisabled();
  await collateralPanel(dialog)
    .getByRole("checkbox", { name: /^My transfer note of 200 \w+ will be used/ })
    .check();
  await borrow.click();
  await expect(dialog.getByRole("region", { name: "What you sign" })).toContainText("200");
  await dialog.getByRole("button", { name: "Sign and borrow 0.00100 BTC" }).click();
}
