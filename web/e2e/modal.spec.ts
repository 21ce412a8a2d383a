import { expect, type Page } from "@playwright/test";
import { openAs } from "./browser-session";
import { expectFocusIn } from "./keyboard-steps";
import { openLendDialog, signInFunded } from "./lend-steps";
import { collectionName, collections, expectAccessible, openMarket } from "./market-steps";
import { test } from "./market-test";

// Phones have no Tab key.
test("the focus cycles inside a dialog", { tag: "@desktop" }, async ({ page }) => {
  const { dialog } = await openLendDialog(page);
  await expectFocusIn(dialog);
  for (let press = 0; press < 30; press += 1) {
    await page.keyboard.press("Tab");
    const isInside = await page.evaluate(
      () => document.activeElement?.closest("[role=dialog], [data-base-ui-focus-guard]") !== null,
    );
    expect(isInside, `after ${press + 1} presses`).toBe(true);
  }
});

test("Escape closes a dialog, but not while an offer is being sent", async ({ page }) => {
  await signInFunded(page, "Lender 1");
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route("**/api/v1/offers/manual", async (route) => {
    await answered;
    await route.abort();
  });
  const { dialog } = await openLendDialog(page);
  const create = dialog.getByRole("button", { name: "Create Offer" });
  await expect(create).toBeEnabled();
  await create.click();
  await expect(dialog).toHaveAttribute("aria-busy", "true");
  await page.keyboard.press("Escape");
  await expect(dialog.getByRole("button", { name: "Close" })).toBeDisabled();
  await expect(dialog).toBeVisible();

  answer();
  await expect(dialog).not.toHaveAttribute("aria-busy", "true");
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
});

// Phones do not resize.
test("a dialog is 580 px wide at most, a drawer up to 768 px, and keeps what was typed", {
  tag: "@desktop",
}, async ({ page }) => {
  await openAs(page, "/lend/ordinals", "Lender 1");
  const { dialog } = await openLendDialog(page);
  await dialog.getByLabel("Principal", { exact: true }).fill("0.01234");
  const width = async () => (await dialog.boundingBox())?.width;
  await expect.poll(width).toBe(580);
  await page.setViewportSize({ width: 768, height: 900 });
  await expect.poll(width).toBe(768);
  await expect(dialog.getByLabel("Principal", { exact: true })).toHaveValue("0.01234");
  await page.setViewportSize({ width: 769, height: 900 });
  await expect.poll(width).toBe(580);
  await expect(dialog.getByLabel("Principal", { exact: true })).toHaveValue("0.01234");
});

// Touch leaves no focus.
test("closing returns the focus to the opener of the dialog", { tag: "@desktop" }, async ({ page }) => {
  await page.goto("/portfolio?tab=offers");
  const connect = page.getByRole("banner").getByRole("button", { name: "Connect" });
  await connect.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(connect).toBeFocused();
});

/** The page under a dialog that failed is still usable, and other dialogs open. */
async function expectPageLives(page: Page): Promise<void> {
  const errorDialog = page.getByRole("dialog", { name: "Something went wrong" });
  await expect(errorDialog.getByText("This dialog ran into an error")).toBeVisible();
  await expect(errorDialog.getByRole("button", { name: "Reload the page" })).toBeVisible();
  await expectAccessible(page);
  await errorDialog.getByRole("button", { name: "Close" }).click();
  await expect(errorDialog).toHaveCount(0);
  await page
    .getByRole("button", { name: /^Orders of/ })
    .first()
    .click();
  await expect(page.getByRole("dialog").getByRole("button", { name: "Create offer" })).toBeVisible();
}

test("a dialog that fails shows the error in itself, and the page stays usable", async ({ page }) => {
  await openMarket(page);
  // The time next to a price can no longer be formatted.
  await page.evaluate(() => {
    const write = Date.prototype.toLocaleString;
    Date.prototype.toLocaleString = () => {
      throw new Error("no calendar");
    };
    Object.assign(window, { restore: () => Object.assign(Date.prototype, { toLocaleString: write }) });
  });
  await collectionName(collections(page).first()).click();
  await expect(page.getByText("Error: no calendar")).toBeAttached();
  await page.evaluate(() => (window as unknown as { restore: () => void }).restore());
  await expectPageLives(page);
});

test("a dialog whose code does not load shows an error too", async ({ page }) => {
  await page.route("**/assets/collection-dialog*", (route) => route.abort());
  await openMarket(page);
  await collectionName(collections(page).first()).click();
  await expectPageLives(page);
});
