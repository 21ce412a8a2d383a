import { readFileSync } from "node:fs";
import { expect, type Page } from "@playwright/test";
import { createSeed, openAs } from "./browser-session";
import { expectAccessible } from "./market-steps";
import { test } from "./market-test";
import { LENDER_1, Party } from "./party";

const ADDRESS = "lender@example.org";
/** A collection that every demo lists. */
const FAVOURITE = "g_1";

const yourData = (page: Page) => page.getByRole("region", { name: "Your data" });

/** Downloads the file of the user's data. */
async function download(page: Page) {
  const saved = page.waitForEvent("download");
  await yourData(page).getByRole("button", { name: "Download my data" }).click();
  const file = await saved;
  expect(file.suggestedFilename()).toBe("lienbook-my-data.json");
  return JSON.parse(readFileSync(await file.path(), "utf8"));
}

for (const theme of ["dark", "light"] as const) {
  test(`the privacy page is read without a wallet, in the ${theme} theme`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    await page.goto("/guide");
    await page.getByRole("main").getByRole("link", { name: "Privacy", exact: true }).click();
    await expect(page).toHaveTitle("Privacy · Lienbook");
    for (const heading of ["What is stored, and why", "How long", "Who sees it", "In this browser"]) {
      await expect(page.getByRole("heading", { name: heading })).toBeVisible();
    }
    await expect(page.getByText("Connect a wallet to download or remove your data")).toBeVisible();
    await expect(page.getByRole("button", { name: "Download my data" })).toHaveCount(0);
    await expectAccessible(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(
      0,
    );
  });
}

test("a user downloads what is stored, and removes contacts and favourites after a question", async ({
  page,
}) => {
  const lender = await Party.join(await createSeed(page), LENDER_1);
  await lender.call("PUT", `/api/v1/me/favourites/${FAVOURITE}`);
  await lender.call("POST", "/api/v1/me/notifications/email", { email: ADDRESS });
  await openAs(page, "/privacy", "Lender 1");

  const before = await download(page);
  expect(before.account.profile).toMatchObject({
    paymentAddress: lender.keys.payment.address,
    ordinalAddress: lender.keys.ordinals.address,
  });
  expect(JSON.stringify(before.account.contacts)).toContain(ADDRESS);
  expect(before.account.favourites).toEqual([FAVOURITE]);
  expect(before).toMatchObject({ loans: [], hasAllLoans: true });
  await expectAccessible(page);

  const remove = yourData(page).getByRole("button", { name: "Remove contacts and favourites" });
  const question = page.getByRole("dialog", { name: "Remove contacts and favourites?" });
  await remove.click();
  await expect(question).toContainText("No reminder of a due date reaches you");
  await expectAccessible(page);
  await question.getByRole("button", { name: "Keep" }).click();
  await expect(question).toHaveCount(0);
  expect((await download(page)).account.favourites).toEqual([FAVOURITE]);

  await remove.click();
  await question.getByRole("button", { name: "Remove" }).click();
  await expect(yourData(page).getByRole("status")).toContainText("Removed: your mail address, 1 favourite.");
  const after = await download(page);
  expect(JSON.stringify(after)).not.toContain(ADDRESS);
  expect(after.account.favourites).toEqual([]);
  expect(after.account.profile).toEqual(before.account.profile);
  await page.goto("/settings/notifications");
  await expect(page.getByLabel("Your address")).toHaveValue("");
});
