import { expect, type Locator, type Page } from "@playwright/test";
import { expectToast } from "./lend-steps";

/** The cards of the user's negotiations. */
export function negotiations(page: Page): Locator {
  return page.locator("[data-negotiation]");
}

/** The terms of a counter-offer, as they are typed. */
interface Terms {
  interest?: string;
  term?: string;
  principal?: string;
}

/** Changes the terms in the dialog that makes a counter-offer. */
export async function changeTerms(dialog: Locator, { principal, interest, term }: Terms): Promise<void> {
  if (principal !== undefined) await dialog.getByLabel("Principal", { exact: true }).fill(principal);
  if (interest !== undefined) await dialog.getByLabel("Interest for the whole term").fill(interest);
  if (term !== undefined) await dialog.getByRole("textbox", { name: "Term", exact: true }).fill(term);
}

export function counterOfferDialog(page: Page): Locator {
  return page.getByRole("dialog", { name: "Make a counter-offer" });
}

export async function sendCounterOffer(page: Page): Promise<void> {
  const dialog = counterOfferDialog(page);
  await dialog.getByRole("button", { name: "Send counter-offer" }).click();
  await expectToast(page, "Counter-offer sent");
  await expect(dialog).toHaveCount(0);
}

/** Answers the proposal of a card by other terms. */
export async function answer(page: Page, terms: Terms): Promise<void> {
  await negotiations(page).getByRole("button", { name: "Counter-offer", exact: true }).click();
  await changeTerms(counterOfferDialog(page), terms);
  await sendCounterOffer(page);
}
