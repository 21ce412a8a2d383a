import { expect } from "@playwright/test";
import { createSeed, openAs } from "./browser-session";
import { expectToast } from "./lend-steps";
import { acceptOffer, counterSign, manualSlug, offerManually } from "./loan-steps";
import { expectAccessible } from "./market-steps";
import { test } from "./market-test";
import { BORROWER_1, LENDER_3, Party } from "./party";

test.setTimeout(180_000);

/** A collection whose small offers no other user takes. */
const SLUG = "quiet-moons";
const SMALL_SATS = 36_000;

test("a loan takes of the budget, which pauses the other offer; all are paused and cancelled", async ({
  page,
  browser,
}) => {
  const lender = await Party.join(await createSeed(page), LENDER_3);
  const other = await browser.newContext();
  const borrower = await Party.join(await createSeed(await other.newPage()), BORROWER_1);
  const inscription = (await borrower.fund(SLUG)) ?? "";
  await borrower.fund();
  const [taken = ""] = await offerManually(lender, await manualSlug(lender, SLUG), SMALL_SATS, 2);

  await openAs(page, "/portfolio?tab=offers", "Lender 3");
  const offers = page.locator("[data-offer]");
  await expect(offers).toHaveCount(2);
  await page.getByRole("button", { name: "Set limits" }).click();
  const dialog = page.getByRole("dialog", { name: "Lending limits" });
  await dialog.getByLabel("Budget for all collections").fill("0.0005");
  await dialog.getByRole("radio", { name: "1 hour" }).click();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Save limits" }).click();
  await expectToast(page, "Limits saved");
  const limits = page.getByRole("region", { name: "Lending limits" });
  await expect(limits).toContainText("0 of 0.0005 BTC");
  await expect(limits).toContainText("All offers pause when the app has not been open for 1 hour.");
  await expect(page.getByText("Over your lending limits")).toHaveCount(0);

  const loan = await acceptOffer(borrower, taken, inscription);
  await expect(offers.filter({ hasText: "Over your lending limits" })).toHaveCount(1);
  await expect(limits).toContainText("0.00036 of 0.0005 BTC");
  await counterSign(lender, loan);
  await expect(offers).toHaveCount(1);
  await expect(offers).toContainText("Over your lending limits");

  await limits.getByRole("button", { name: "Pause all" }).click();
  await expectToast(page, "1 offer paused");
  await limits.getByRole("button", { name: "Resume all" }).click();
  await expectToast(page, "1 offer resumed");
  await expect(limits.getByRole("button", { name: "Pause all" })).toBeVisible();
  await expectAccessible(page);
  await limits.getByRole("button", { name: "Cancel all" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete Offers" }).click();
  await expect(offers).toHaveCount(0);
  await other.close();
});
