import type { Page } from "@playwright/test";
import { slugWithOffers } from "../e2e/book-steps";
import { createSeed } from "../e2e/browser-session";
import { BORROWER_1, Party } from "../e2e/party";
import { fundInscriptions, requestLoan } from "../e2e/request-steps";
import { signedIn } from "./signed-in";

/** Percentages of the floor that the borrower asks for. */
const SHARES = [40, 55, 70];

/** The depth of a book in which the user has requests, with the cursor on a step. */
export async function showDepth(page: Page): Promise<void> {
  const slug = await slugWithOffers(page);
  const borrower = await Party.join(await createSeed(page), BORROWER_1);
  const inscriptions = await fundInscriptions(borrower, slug, SHARES.length);
  const { floor } = await borrower.call<{ floor: number }>("GET", `/api/v1/collections/${slug}`);
  for (const [index, share] of SHARES.entries()) {
    const principalSats = Math.floor((floor * share) / 100_000) * 1_000;
    await requestLoan(borrower, slug, [inscriptions[index] ?? ""], principalSats);
  }
  await signedIn(page, "Borrower 1");
  await page.goto(`/borrow/ordinals?process=manual&collection=${slug}&view=book`);
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("tab", { name: "Depth" }).click();
  await dialog.getByText("Yours", { exact: true }).first().waitFor();
  await dialog.getByRole("slider").press("ArrowLeft");
}
