import { expect, type Page } from "@playwright/test";
import { createSeed, openAs } from "./browser-session";
import { acceptOffer, offerHalfTheFloor } from "./loan-steps";
import { expectAccessible } from "./market-steps";
import { test } from "./market-test";
import { LENDER_1, Party } from "./party";

test.setTimeout(150_000);

const channels = (page: Page) => page.locator("section").filter({ hasText: "Notification channels" });

/** Opens a message of the demo's own mailbox or chat. */
async function openMessage(page: Page, head: string | RegExp) {
  const message = page.locator("details").filter({ hasText: head }).first();
  await expect(message).toBeVisible({ timeout: 30_000 });
  await message.locator("summary").click();
  return message;
}

test("an address is verified by a mail, and its mails are ended by their own link", async ({ page }) => {
  const lender = await Party.join(await createSeed(page), LENDER_1);
  const borrower = await Party.join();
  await lender.fund();
  await borrower.fund();

  await openAs(page, "/settings/notifications", "Lender 1");
  await channels(page).getByLabel("Your address").fill("not an address@");
  await channels(page).getByRole("button", { name: "Verify" }).click();
  await expect(channels(page).getByRole("alert")).toBeVisible();
  await channels(page).getByLabel("Your address").fill("lender@example.org");
  await channels(page).getByRole("button", { name: "Verify" }).click();
  await expect(channels(page)).toContainText("Not verified");
  await expectAccessible(page);

  await (await openMessage(page, "Confirm your e-mail address"))
    .getByRole("link", { name: /#verify=/ })
    .click();
  await expect(page.getByText("Your address is verified")).toBeVisible();
  await expect(page).toHaveURL(/\/settings\/notifications$/);
  await expect(channels(page).getByText("Verified", { exact: true })).toBeVisible();
  await page.getByRole("link", { name: "Portfolio", exact: true }).first().click();
  await expect(page.getByRole("navigation", { name: "Portfolio", exact: true })).toBeVisible();
  await expect(page.getByText("Enable critical notifications")).toHaveCount(0);

  const { groupSlug, offerIds } = await offerHalfTheFloor(lender);
  const inscription = (await borrower.fund(groupSlug)) ?? "";
  await borrower.mine();
  await acceptOffer(borrower, offerIds[0] ?? "", inscription);
  await page.goto("/settings/notifications");
  const mail = await openMessage(page, /counter-sign/i);
  await mail.getByRole("link", { name: /unsubscri/ }).click();
  await expect(page.getByText("Unsubscribe this address?")).toBeVisible();
  await expect(page).toHaveURL(/\/settings\/notifications$/);
  await expectAccessible(page);
  await page.getByRole("button", { name: "Unsubscribe" }).click();
  await expect(page.getByText("This address is unsubscribed")).toBeVisible();
  await expect(channels(page).getByLabel("Your address")).toBeVisible();
});

test("an address that its mail server rejects is shown as such, and replaced by another", async ({
  page,
}) => {
  await openAs(page, "/settings/notifications", "Lender 2");
  await channels(page).getByLabel("Your address").fill("lender@nowhere.invalid");
  await channels(page).getByRole("button", { name: "Verify" }).click();
  await expect(channels(page).getByText("Refused", { exact: true })).toBeVisible({ timeout: 30_000 });
  await expect(channels(page)).toContainText("lender@nowhere.invalid");
  await expect(channels(page)).toContainText("We no longer send to it.");
  await expect(page.getByText("You get no notifications outside the app yet.")).toBeVisible();
  await expectAccessible(page);
  await page.reload();
  await channels(page).getByRole("button", { name: "Change the address" }).click();
  await channels(page).getByLabel("Your address").fill("lender@example.org");
  await channels(page).getByRole("button", { name: "Verify" }).click();
  // At most one mail a minute, to any address.
  await expect(channels(page).getByRole("alert")).toBeVisible();
  await expectAccessible(page);
  await page.reload();
  await channels(page).getByRole("button", { name: "Remove" }).click();
  await expect(channels(page).getByLabel("Your address")).toHaveValue("");
});

test("a chat is linked by pressing start in it, and unlinked again", async ({ page }) => {
  await openAs(page, "/settings/notifications", "Lender 1");
  await channels(page).getByRole("button", { name: "Link a chat" }).click();
  const chat = page.waitForEvent("popup");
  await channels(page).getByRole("link", { name: "Open the chat" }).click();
  await (await chat).close();
  await expect(channels(page).getByText("Linked", { exact: true })).toBeVisible({ timeout: 20_000 });
  await expect(page.locator("details").first()).toBeVisible({ timeout: 20_000 });
  await expectAccessible(page);
  await channels(page).getByRole("button", { name: "Unlink" }).click();
  await expect(channels(page).getByRole("button", { name: "Link a chat" })).toBeVisible();
});

test("choices are saved, and critical events are notified only with critical alerts", async ({ page }) => {
  await openAs(page, "/settings/notifications", "Lender 1");
  const alerts = page.getByRole("checkbox", { name: /^Critical alerts/ });
  const due = page.getByRole("checkbox", { name: /^Your loan is due in a day/ });
  const repaid = page.getByRole("checkbox", { name: /^A loan is repaid/ });
  const before = await repaid.isChecked();
  await repaid.click();
  await expect(repaid).toBeChecked({ checked: !before });
  if (!(await alerts.isChecked())) await alerts.click();
  await expect(due).toBeEnabled();
  await alerts.click();
  await expect(due).toBeDisabled();
  // Until it is saved, it cannot be changed again.
  await expect(alerts).toBeEnabled();
  await page.reload();
  await expect(repaid).toBeChecked({ checked: !before });
  await expect(alerts).not.toBeChecked();
  await expectAccessible(page);

  await page.route("**/api/v1/me/notifications", (route) =>
    route.request().method() === "PUT" ? route.abort() : route.fallback(),
  );
  await repaid.click();
  await expect(page.getByText("Your choice was not saved")).toBeVisible();
  await expect(repaid).toBeChecked({ checked: !before });
});

test("an invalid link is reported, signed in or not", async ({ page }) => {
  await page.goto("/settings/notifications#verify=AAAA");
  await expect(page.getByText("Your address could not be verified")).toBeVisible();
  await expect(page.getByText("The link is not valid any more")).toBeVisible();
  await expect(page).toHaveURL(/\/settings\/notifications$/);
  await expect(page.getByText("Connect a wallet to choose your notifications")).toBeVisible();
});
