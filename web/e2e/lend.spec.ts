import AxeBuilder from "@axe-core/playwright";
import { expect } from "@playwright/test";
import { openAs } from "./browser-session";
import { expectToast, fundWallet, openLendDialog, setLtvBelowCeiling, signInFunded } from "./lend-steps";
import { test } from "./market-test";

// Two lenders, blocks and several dialogs are slow.
test.setTimeout(150_000);

test("signed out, the lend dialog offers to connect", async ({ page }) => {
  const { dialog } = await openLendDialog(page);
  await expect(dialog.getByRole("button", { name: "Connect" })).toBeVisible();
  await expect(dialog.getByRole("button", { name: /Create Offer/ })).toHaveCount(0);
});

test("the amount, the LTV and its keys follow one another, and limits are shown", async ({ page }) => {
  await signInFunded(page, "Lender 1");
  const { dialog } = await openLendDialog(page);
  const principal = dialog.getByLabel("Principal", { exact: true });
  const create = dialog.getByRole("button", { name: "Create Offer" });
  await expect(create).toBeEnabled();

  await setLtvBelowCeiling(page, dialog, 38);
  await expect(dialog.getByRole("slider")).toHaveAttribute("aria-valuenow", "60");
  const at60 = Number(await principal.inputValue());
  await principal.focus();
  await page.keyboard.press("=");
  await expect(dialog.getByRole("slider")).toHaveAttribute("aria-valuenow", "61");
  expect(Number(await principal.inputValue())).toBeGreaterThanOrEqual(at60);

  await principal.fill("0.00001");
  await expect(dialog.getByText(/Below min offer of ₿0\.0\d+/)).toBeVisible();
  await expect(create).toBeDisabled();

  await principal.fill("20");
  await expect(dialog.getByText("Offer cannot be above 98% LTV")).toBeVisible();
  await principal.blur();
  await expect(principal).not.toHaveValue("20");
  await expect(create).toBeDisabled();
  await page.keyboard.press("-");
  await expect(dialog.getByText("Offer cannot be above 98% LTV")).toHaveCount(0);
  await expect(create).toBeEnabled();

  const { violations } = await new AxeBuilder({ page }).include('[role="dialog"]').analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
});

test("an offer that the wallet cannot fund is not created", async ({ page }) => {
  await openAs(page, "/lend/ordinals", "Lender 2");
  await page.goto("/lend/ordinals?process=manual&collection=meridian-maps");
  const dialog = page.getByRole("dialog");
  const create = dialog.getByRole("button", { name: "Create Offer" });
  await dialog.getByLabel("Principal", { exact: true }).fill("0.0006");
  await expect(dialog.getByText("Insufficient BTC balance")).toBeVisible();
  await expect(create).toBeDisabled();
  await expect(
    dialog.getByText("Confirmed coins of 0 BTC at your payment address can fund it."),
  ).toBeVisible();

  const funding = dialog.getByRole("region", { name: "Fund your payment address" });
  await expect(funding.getByRole("button", { name: "Copy address" })).toBeVisible();
  await expect(funding.getByRole("button", { name: "Get test coins" })).toBeVisible();

  await fundWallet(page);
  // The app polls for new coins every 20 seconds.
  await expect(create).toBeEnabled({ timeout: 45_000 });
  await expect(dialog.getByText("Insufficient BTC balance")).toHaveCount(0);
  await expect(funding).toHaveCount(0);
  await expect(
    dialog.getByText("Confirmed coins of 1 BTC at your payment address can fund it."),
  ).toBeVisible();
});

test("a lender who is outbid sees the rank fall without a reload, edits and ranks first again", async ({
  page,
  browser,
}) => {
  await signInFunded(page, "Lender 1");
  // Seldom traded, so that the best offer stays for the duration of the test.
  const { dialog, name } = await openLendDialog(page, "Meridian Maps");
  await setLtvBelowCeiling(page, dialog, 8);
  await expect(dialog.getByTestId("rank")).toContainText(/#\d+ of \d+/);
  await dialog.getByRole("button", { name: "Create Offer" }).click();
  await expectToast(page, "Offer created");

  await page.goto("/portfolio?tab=offers");
  const offer = page.locator("[data-offer]").first();
  await expect(offer).toContainText(/#1 of \d+, in the lead/);
  await page.evaluate(() => Object.assign(window, { isSamePage: true }));

  const otherPage = await browser.newPage();
  await signInFunded(otherPage, "Lender 2");
  const bid = await openLendDialog(otherPage, name);
  await setLtvBelowCeiling(otherPage, bid.dialog, 4);
  await expect(bid.dialog.getByTestId("rank")).toContainText(/#1 of \d+, in the lead/);
  await bid.dialog.getByRole("button", { name: "Create Offer" }).click();
  await expectToast(otherPage, "Offer created");

  await expect(offer).toContainText(/#2 of \d+, \d+\.\d{5} to lead/);
  await expect(page.getByTestId("rank-change")).toContainText(`${name}: #2 of`);
  expect(await page.evaluate(() => "isSamePage" in window)).toBe(true);

  await page.getByRole("button", { name: `Edit offer for ${name}` }).click();
  const editing = page.getByRole("dialog");
  await expect(editing.getByRole("button", { name: "Edit Offer" })).toBeDisabled();
  await setLtvBelowCeiling(page, editing, 1);
  await editing.getByRole("button", { name: "Edit Offer" }).click();
  await expectToast(page, "Offer edited");
  await expect(page.locator("[data-offer]")).toHaveCount(1);
  await expect(page.locator("[data-offer]")).toContainText(/#1 of \d+, in the lead/);

  await page.getByRole("button", { name: `Cancel offer for ${name}` }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel offer" }).click();
  await expectToast(page, "Offer deleted");
  await expect(page.getByText("No offers.", { exact: true })).toBeVisible();

  await otherPage.goto("/portfolio?tab=offers");
  await otherPage.getByRole("button", { name: `Cancel offer for ${name}` }).click();
  await otherPage.getByRole("dialog").getByRole("button", { name: "Cancel offer" }).click();
  await expectToast(otherPage, "Offer deleted");
  await otherPage.close();
});

test("manual offers for several terms are created at once", async ({ page }) => {
  await signInFunded(page, "Lender 3");
  // Small ones, so that they stay.
  await page.goto("/lend/ordinals?process=manual&collection=quiet-moons");
  const dialog = page.getByRole("dialog");
  const principal = dialog.getByLabel("Principal", { exact: true });
  await principal.fill("0.00035");
  await dialog.getByRole("group", { name: "Term" }).getByRole("button").nth(1).click();
  await principal.fill("0.0001");
  await expect(dialog.getByText(/^Below min offer of/)).toBeVisible();
  await expect(dialog.getByRole("button", { name: "Create 2 Offers" })).toBeDisabled();
  await principal.fill("0.00036");
  await dialog.getByRole("button", { name: "One more" }).click();
  await expect(dialog.locator("[data-selected-offer]")).toHaveCount(2);
  await dialog.getByRole("group", { name: "Term" }).getByRole("button").nth(2).click();
  await dialog
    .getByRole("button", { name: /^Remove / })
    .last()
    .click();
  await expect(dialog.locator("[data-selected-offer]")).toHaveCount(2);
  await dialog.getByRole("button", { name: "Create 3 Offers" }).click();
  await expectToast(page, "3 offers created successfully");
  await expect(page.getByRole("dialog", { name: "3 offers are in the order book" })).toBeVisible();
  await page.getByRole("button", { name: "Done" }).click();
  await page.goto("/portfolio?tab=offers");
  await expect(page.locator("[data-offer]")).toHaveCount(3);
});
