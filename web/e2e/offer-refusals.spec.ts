import { expect, type Page } from "@playwright/test";
import { createSeed, openAs } from "./browser-session";
import { openInstantDialog } from "./instant-steps";
import { expectToast } from "./lend-steps";
import { acceptOffer } from "./loan-steps";
import { test } from "./market-test";
import { LENDER_3, Party } from "./party";
import { openWithVault, sign } from "./vault-steps";
import { walletWindow } from "./wallet-steps";

test.setTimeout(300_000);

/** Seldom traded, so that own offers stay. */
const QUIET = "meridian-maps";
const MANUAL = "**/api/v1/offers/manual";
const ONE_MANUAL = "**/api/v1/offers/manual/of_*";
const CANCEL_MANUAL = "**/api/v1/offers/manual/cancel";
const NONCE = "**/api/v1/account/nonce";

/** Aborts every request to one URL before it arrives. */
async function abortRequests(page: Page, address: string): Promise<void> {
  await page.route(address, (route) => route.abort());
}

/** Lets a request to a URL arrive, and drops its response. */
async function abortAnswers(page: Page, address: string): Promise<void> {
  await page.route(address, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()).slice(0, 20) });
  });
}

async function restoreRequests(page: Page): Promise<void> {
  await page.unrouteAll({ behavior: "wait" });
}

async function confirmCancel(page: Page): Promise<void> {
  const dialog = page.getByRole("dialog", { name: "Cancel this offer?" });
  await dialog.getByRole("button", { name: "Cancel offer" }).click();
}

async function deleteAll(page: Page): Promise<void> {
  for (const box of await page.getByRole("checkbox", { name: /^Select offer for/ }).all()) await box.check();
  await page.getByRole("button", { name: /^Delete \d offers?$/ }).click();
  const dialog = page.getByRole("dialog", { name: "Delete Selected Offers?" });
  await dialog.getByRole("button", { name: "Delete Offers" }).click();
}

/** Expects the reason why nothing was deleted, and closes the dialog. */
async function closeFailure(page: Page, title: string): Promise<void> {
  await expectToast(page, title);
  const dialog = page.getByRole("dialog", { name: "No offer was deleted" });
  await dialog.getByRole("button", { name: "Close" }).last().click();
}

test("every failure of a manual offer, its edit or its end is named", { tag: "@desktop" }, async ({
  page,
}) => {
  const lender = await Party.join(await createSeed(page), LENDER_3);
  const otherLender = await Party.join();
  for (let coin = 0; coin < 3; coin += 1) await lender.fund();
  await otherLender.fund();
  const inscription = (await otherLender.fund(QUIET)) ?? "";
  await otherLender.mine();
  await openAs(page, "/lend/ordinals", "Lender 3");
  await page.goto(`/lend/ordinals?process=manual&collection=${QUIET}`);
  const dialog = page.getByRole("dialog");
  const create = dialog.getByRole("button", { name: /^Create/ });
  await dialog.getByLabel("Principal", { exact: true }).fill("0.0006");
  await abortRequests(page, MANUAL);
  await create.click();
  await expectToast(page, "Offer could not be created");
  await dialog.getByRole("button", { name: "One more" }).click();
  await create.click();
  await expectToast(page, "Failed to create offers");
  await restoreRequests(page);
  await abortAnswers(page, MANUAL);
  await create.click();
  await expectToast(page, "Invalid API response");
  await restoreRequests(page);

  await page.goto("/portfolio?tab=offers");
  const offers = page.locator("[data-offer]");
  await expect(offers).toHaveCount(2);
  const editing = page.getByRole("dialog");
  const edit = async (principal: string) => {
    await offers
      .first()
      .getByRole("button", { name: /^Edit offer for/ })
      .click();
    await editing.getByLabel("Principal", { exact: true }).fill(principal);
    await editing.getByRole("button", { name: "Edit Offer" }).click();
  };
  await abortRequests(page, ONE_MANUAL);
  await edit("0.0005");
  await expectToast(page, "Offer could not be edited");
  await editing.getByRole("button", { name: "Cancel" }).click();
  await restoreRequests(page);
  await abortAnswers(page, ONE_MANUAL);
  await edit("0.0004");
  await expectToast(page, "Offer edited successfully but UI not updated, please refresh the page");
  await restoreRequests(page);

  await abortRequests(page, CANCEL_MANUAL);
  const offerId = (await offers.last().getAttribute("data-offer")) ?? "";
  await offers
    .first()
    .getByRole("button", { name: /^Cancel offer for/ })
    .click();
  await confirmCancel(page);
  await expectToast(page, "An error occurred while deleting the offer");
  await page.keyboard.press("Escape");
  await deleteAll(page);
  await closeFailure(page, "Error deleting manual offers");
  await restoreRequests(page);

  await page
    .locator(`[data-offer="${offerId}"]`)
    .getByRole("button", { name: /^Cancel offer for/ })
    .click();
  const loanId = await acceptOffer(otherLender, offerId, inscription);
  await confirmCancel(page);
  await expectToast(page, "Failed to delete offer");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("button", { name: /^Cannot edit offer/ })).toBeDisabled();
  await expect(page.getByRole("button", { name: "Can not cancel offer right now." })).toBeDisabled();
  await otherLender.call("DELETE", `/api/v1/loans/${loanId}/acceptance`);
  await expect(page.getByRole("button", { name: /^Cancel offer for/ })).toHaveCount(2);
  await deleteAll(page);
  await expectToast(page, "Successfully deleted 2 offer(s)");
});

test("every failure to end an instant offer is named", { tag: "@desktop" }, async ({ page }) => {
  await openWithVault(page, "/lend/ordinals", "Lender 3");
  const lending = await openInstantDialog(page, "ordinals", "quiet-moons");
  await lending.getByLabel("Principal", { exact: true }).fill("0.0004");
  await lending.getByRole("button", { name: "Create Offer" }).click();
  await sign(page);
  await expectToast(page, "1 offer(s) created successfully!");
  await page.goto("/portfolio?tab=offers");
  const offer = page.locator("[data-offer]");
  await abortRequests(page, NONCE);
  await offer.getByRole("button", { name: /^Cancel offer for/ }).click();
  await confirmCancel(page);
  await expectToast(page, "Could not cancel offer");
  await expectToast(page, "Failed to get nonce");
  await page.keyboard.press("Escape");
  await deleteAll(page);
  await closeFailure(page, "Batch operation failed");
  await restoreRequests(page);

  // The same lender is faster in another window.
  await offer.getByRole("button", { name: /^Cancel offer for/ }).click();
  await confirmCancel(page);
  await expect(walletWindow(page, "Sign message")).toBeVisible();
  const other = await page.context().newPage();
  await other.goto("/portfolio?tab=offers");
  await other.getByRole("button", { name: /^Cancel offer for/ }).click();
  await confirmCancel(other);
  await sign(other);
  await expectToast(other, "Offer cancelled successfully");
  await sign(page);
  await expectToast(page, /^Failed to cancel offer.*Selected offer is no longer available/);
});
