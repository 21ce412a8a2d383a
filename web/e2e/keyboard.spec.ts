import { expect, type Page } from "@playwright/test";
import { createSeed, openAs } from "./browser-session";
import {
  expectFocusIn,
  expectKeyboardDialog,
  expectKeyboardReachesAll,
  expectKeyboardWalk,
} from "./keyboard-steps";
import { offerHalfTheFloor } from "./loan-steps";
import { showMarketOf } from "./market-of";
import { collectionName, collections } from "./market-steps";
import { test } from "./market-test";
import { LENDER_1, Party } from "./party";
import { openVaultDialog } from "./vault-steps";

// Phones have no keyboard. The walk is long, and a loaded machine is slow.
test.describe("by the keyboard alone", { tag: "@desktop" }, () => {
  test.setTimeout(150_000);

  /** A market of two collections with offers, which is enough to see every control of a row. */
  async function openSmallMarket(page: Page, address = "/borrow/ordinals"): Promise<void> {
    await showMarketOf(page, (rows) =>
      rows
        .filter(
          ({ collateralType, manual }) => collateralType === "inscription" && (manual?.offerCount ?? 0) > 0,
        )
        .slice(0, 2),
    );
    await page.goto(address);
    await expect(collections(page).first()).toBeVisible({ timeout: 30_000 });
  }

  test("every control of every page is reached, and shows the focus", async ({ page }) => {
    await openSmallMarket(page);
    await expectKeyboardReachesAll(page, page.locator("body"));
    for (const address of ["/portfolio", "/settings/notifications", "/guide", "/borrow/nothing"]) {
      await page.goto(address);
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      await expectKeyboardReachesAll(page, page.locator("body"));
    }
  });

  test("the dialogs of a collection open, are walked through and close", async ({ page }) => {
    await openSmallMarket(page, "/lend/ordinals");
    const row = collections(page).first();
    const dialog = page.getByRole("dialog");
    await expectKeyboardDialog(page, collectionName(row), dialog.filter({ hasText: "Total loans" }));
    await expectKeyboardDialog(
      page,
      row.getByRole("button", { name: "Lend" }),
      dialog.filter({ hasText: "LTV" }),
    );
    await expectKeyboardDialog(
      page,
      row.getByRole("button", { name: /^Orders of/ }),
      dialog.filter({ hasText: "Active offers" }),
    );
  });

  test("so are the dialogs of the header", async ({ page }) => {
    await openSmallMarket(page);
    const head = page.getByRole("banner");
    const dialog = page.getByRole("dialog");
    await expectKeyboardDialog(page, head.getByRole("button", { name: "Connect" }), dialog);
    // Tab may move the focus out of a popup that is not a dialog, and Escape closes it.
    for (const opener of [head.getByTestId("connection"), page.getByRole("button", { name: /^Filters/ })]) {
      await opener.focus();
      await page.keyboard.press("Enter");
      await expectFocusIn(dialog);
      await page.keyboard.press("Escape");
      await expect(dialog).toHaveCount(0);
      await expect(opener).toBeFocused();
    }
    // A popup opened by a shortcut also returns the focus to where it was.
    const filters = page.getByRole("button", { name: /^Filters/ });
    for (const key of ["?", "Control+k"]) {
      await filters.focus();
      await page.keyboard.press(key);
      await expectKeyboardWalk(page, dialog);
      await page.keyboard.press("Escape");
      await expect(dialog).toHaveCount(0);
      await expect(filters).toBeFocused();
    }
    await expectKeyboardDialog(
      page,
      head.getByRole("button", { name: "Search commands and collections" }),
      dialog,
    );
  });

  test("so are a lender's own screens", async ({ page }) => {
    const lender = await Party.join(await createSeed(page), LENDER_1);
    await offerHalfTheFloor(lender);
    await openAs(page, "/portfolio?tab=offers", "Lender 1");
    await expect(page.locator("[data-offer]").first()).toBeVisible();
    await expectKeyboardReachesAll(page, page.locator("body"));
    await expectKeyboardDialog(
      page,
      page.getByRole("button", { name: /^View offer/ }).first(),
      page.getByRole("dialog", { name: /./ }).filter({ hasText: "Current LTV" }),
    );
    const vault = await openVaultDialog(page);
    await expectKeyboardWalk(page, vault);
    await page.keyboard.press("Escape");
    await expect(vault).toHaveCount(0);
    // The menu that opened the page is closed; its button is still there.
    await expect(page.getByRole("banner").getByRole("button", { name: /^Wallet / })).toBeFocused();
  });
});
