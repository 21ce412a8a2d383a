import { expect, type Page } from "@playwright/test";
import { createSeed } from "../e2e/browser-session";
import { openInstantDialog } from "../e2e/instant-steps";
import { openLendDialog } from "../e2e/lend-steps";
import { manualTerm, quoteManually } from "../e2e/loan-steps";
import { LENDER_1, Party } from "../e2e/party";
import { boundsOf, offerPegged } from "../e2e/peg-steps";
import { openWithVault } from "../e2e/vault-steps";
import { signInAs } from "../e2e/wallet-steps";
import { funded } from "./signed-in";

/** The lend dialog with a manual offer that follows the floor. */
export async function fillInPeg(page: Page, isWrong = false): Promise<void> {
  await funded(page, "Lender 1");
  const { dialog } = await openLendDialog(page);
  await dialog.getByRole("radio", { name: "Follow the floor" }).click();
  if (isWrong) await dialog.getByLabel("At least").fill("0.00001");
  else await expect(dialog.getByTestId("principal-now")).toContainText("BTC");
}

/** The same against a bundle of tokens, whose price it follows. */
export async function fillInTokenPeg(page: Page): Promise<void> {
  await funded(page, "Lender 1");
  const { dialog } = await openLendDialog(page, "Tarnwater", "brc-20");
  await dialog.getByRole("radio", { name: "Follow the price" }).click();
  await expect(dialog.getByTestId("principal-now")).toContainText("BTC");
}

/** The lend dialog with an instant offer that follows the floor. */
export async function fillInInstantPeg(page: Page): Promise<void> {
  await openWithVault(page, "/lend/ordinals", "Lender 1");
  const dialog = await openInstantDialog(page, "ordinals", "quiet-moons");
  await dialog.getByRole("radio", { name: "Follow the floor" }).click();
  await expect(dialog.getByTestId("principal-now")).toContainText("BTC");
}

/** Three offers of a lender's own: two follow the floor, of which the lender has paused one. */
export async function withPeggedOffers(page: Page): Promise<string> {
  const lender = await Party.join(await createSeed(page), LENDER_1);
  await lender.fund();
  await lender.fund();
  await lender.mine();
  const { groupSlug, slug, floor } = await manualTerm(lender);
  await offerPegged(lender, slug, boundsOf(floor));
  const paused = await offerPegged(lender, slug, boundsOf(floor, 45));
  await lender.call("POST", "/api/v1/offers/pause", { offerIds: [paused] });
  await quoteManually(lender, slug, Math.floor(floor / 2_000) * 1_000);
  await page.goto("/portfolio?tab=offers");
  await signInAs(page, "Lender 1");
  await expect(page.locator("[data-offer]")).toHaveCount(3);
  return groupSlug;
}

export async function viewPeggedOffer(page: Page): Promise<void> {
  await withPeggedOffers(page);
  await page
    .locator("[data-offer]")
    .filter({ hasText: "60%" })
    .getByRole("button", { name: /^View offer/ })
    .click();
  await expect(page.getByRole("dialog")).toContainText("60% of the floor");
}

export async function bookWithPeg(page: Page): Promise<void> {
  const slug = await withPeggedOffers(page);
  await page.goto(`/borrow/ordinals?process=manual&collection=${slug}&view=book`);
  await expect(page.getByRole("dialog").getByText("Follows the floor").first()).toBeAttached();
}
