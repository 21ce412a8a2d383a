import type { Page } from "@playwright/test";
import { createSeed } from "../e2e/browser-session";
import { manualSlug, offerManually } from "../e2e/loan-steps";
import { BORROWER_1, Party } from "../e2e/party";
import { funded, signedIn } from "./signed-in";

const SLUG = "quiet-moons";
const PRINCIPAL_SATS = 36_000;

/** The book of the named borrower of an offer. */
export async function bookWithOwnOffer(page: Page): Promise<void> {
  const borrower = await Party.join(await createSeed(page), BORROWER_1);
  await signedIn(page, "Borrower 1");
  const lender = await Party.join();
  const slug = await manualSlug(lender, SLUG);
  await offerManually(lender, slug, PRINCIPAL_SATS, 1, {
    borrower_address: borrower.keys.payment.address,
    unlisted: false,
    repaid_min: 0,
    default_free_days: 0,
    inscriptions: [],
    numbers: [],
  });
  await page.goto(`/borrow/ordinals?collection=${SLUG}&view=book`);
  await page.getByRole("status").filter({ hasText: "A lender offers you" }).getByRole("button").click();
  await page.getByRole("dialog").getByText("Only for you").waitFor();
}

/** The details of a lender's own unlisted offer. */
export async function viewUnlistedOffer(page: Page): Promise<void> {
  await funded(page, "Lender 1");
  await page.goto(`/lend/ordinals?process=manual&collection=${SLUG}`);
  await page.getByRole("dialog").getByRole("radio", { name: "By link" }).click();
  await page.getByRole("button", { name: "Create Offer" }).click();
  await page.getByRole("dialog", { name: "Offer created" }).waitFor();
  await page.goto("/portfolio?tab=offers");
  await page
    .locator("[data-offer]")
    .getByRole("button", { name: /^View offer/ })
    .first()
    .click();
  await page.getByRole("dialog").getByRole("button", { name: "Copy link" }).waitFor();
}
