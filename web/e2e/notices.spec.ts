import AxeBuilder from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";
import { createSeed, openAs } from "./browser-session";
import { acceptOffer, offerHalfTheFloor } from "./loan-steps";
import { test } from "./market-test";
import { LENDER_1, Party } from "./party";

/** An offer of the user's, and a function that makes a borrower accept it. */
async function acceptableOffer(page: Page): Promise<() => Promise<string>> {
  const lender = await Party.join(await createSeed(page), LENDER_1);
  const borrower = await Party.join();
  await lender.fund();
  await borrower.fund();
  const { groupSlug, offerIds } = await offerHalfTheFloor(lender);
  const inscription = (await borrower.fund(groupSlug)) ?? "";
  await borrower.mine();
  return () => acceptOffer(borrower, offerIds[0] ?? "", inscription);
}

test("a lender is notified of an accepted offer at once, and the notice links to the loan", async ({
  page,
}) => {
  const accept = await acceptableOffer(page);

  await openAs(page, "/portfolio?tab=offers", "Lender 1");
  const bell = page.getByRole("button", { name: /^Notices/ });
  await expect(bell).toHaveAccessibleName("Notices");
  const loanId = await accept();
  await expect(bell).toHaveAccessibleName(/^Notices, \d unread$/);

  const wallet = await page.getByRole("button", { name: /^Wallet/ }).boundingBox();
  expect((wallet?.x ?? 0) + (wallet?.width ?? 0)).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0);

  await bell.click();
  const notices = page.getByRole("dialog", { name: "Notices" });
  await expect(notices.getByText("A borrower accepted your offer")).toBeVisible();
  await expect(bell).toHaveAccessibleName("Notices");
  // The page behind is checked elsewhere.
  const { violations } = await new AxeBuilder({ page }).include('[role="dialog"]').analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
  await notices.getByText("Counter-sign within 12 hours").click();
  await expect(page).toHaveURL(new RegExp(`loan=${loanId}`));
  await expect(page.getByRole("dialog").getByRole("button", { name: "Counter-sign" })).toBeVisible();
});

test("while the connection is down the bell still updates, and read notices stay read", async ({ page }) => {
  await page.routeWebSocket("**/api/v1/feed", (socket) => socket.close());
  const accept = await acceptableOffer(page);
  await accept();

  await openAs(page, "/portfolio?tab=offers", "Lender 1");
  const bell = page.getByRole("button", { name: /^Notices/ });
  await expect(bell).toHaveAccessibleName(/^Notices, \d unread$/);
  await bell.click();
  await expect(page.getByRole("dialog", { name: "Notices" })).toContainText("A borrower accepted your offer");
  await expect(bell).toHaveAccessibleName("Notices");
  await page.reload();
  await expect(bell).toHaveAccessibleName("Notices");
  await bell.click();
  await expect(page.getByRole("dialog", { name: "Notices" })).toContainText("A borrower accepted your offer");
});
