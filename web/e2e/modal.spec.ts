import { expect, test } from "@playwright/test";
import { openLendDialog } from "./lend-steps";
import { signInAs } from "./wallet-steps";

// Phones have no Tab key.
test("the focus goes round inside of a dialog", { tag: "@desktop" }, async ({ page }) => {
  await openLendDialog(page);
  for (let press = 0; press < 30; press += 1) {
    await page.keyboard.press("Tab");
    const isInside = await page.evaluate(
      () => document.activeElement?.closest("[role=dialog], [data-base-ui-focus-guard]") !== null,
    );
    expect(isInside, `after ${press + 1} presses`).toBe(true);
  }
});

test("Escape closes a dialog, but not while an offer is being sent", async ({ page }) => {
  await page.goto("/lend/ordinals");
  await signInAs(page, "Lender 1");
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route("**/api/v1/offers/manual", async (route) => {
    await answered;
    await route.fulfill({ status: 503, json: {} });
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
  await page.goto("/lend/ordinals");
  await signInAs(page, "Lender 1");
  const { dialog } = await openLendDialog(page);
  await dialog.getByLabel("Principal").fill("0.01234");
  const width = async () => (await dialog.boundingBox())?.width;
  await expect.poll(width).toBe(580);
  await page.setViewportSize({ width: 768, height: 900 });
  await expect.poll(width).toBe(768);
  await expect(dialog.getByLabel("Principal")).toHaveValue("0.01234");
  await page.setViewportSize({ width: 769, height: 900 });
  await expect.poll(width).toBe(580);
  await expect(dialog.getByLabel("Principal")).toHaveValue("0.01234");
});

// Touch leaves no focus.
test("closing gives the focus back to what opened the dialog", { tag: "@desktop" }, async ({ page }) => {
  await page.goto("/portfolio");
  const connect = page.getByRole("banner").getByRole("button", { name: "Connect" });
  await connect.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(connect).toBeFocused();
});
