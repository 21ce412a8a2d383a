import { expect, type Page } from "@playwright/test";
import { createSeed, openAs } from "./browser-session";
import { expectToast, fundWallet } from "./lend-steps";
import { cancelOffers, offerManually } from "./loan-steps";
import { expectAccessible } from "./market-steps";
import { test } from "./market-test";
import { LENDER_1, Party } from "./party";

test.setTimeout(180_000);

/** A collection whose small offers no other user takes. */
const SLUG = "quiet-moons";
const SMALL_BTC = "0.00035";
const SMALL_SATS = 35_000;

const linkedText = (page: Page) => page.getByRole("dialog").locator("[data-linked]");
const marked = (page: Page) => page.getByRole("dialog").locator("tr[aria-current=true]");

test("the shared link of a new offer opens that offer, until it is gone", async ({
  page,
  context,
  browser,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const lender = await Party.join(await createSeed(page), LENDER_1);
  await openAs(page, "/lend/ordinals", "Lender 1");
  await fundWallet(page);
  await page.goto(`/lend/ordinals?process=manual&collection=${SLUG}`);
  await page.getByRole("dialog").getByLabel("Principal", { exact: true }).fill(SMALL_BTC);
  await page.getByRole("button", { name: "Create Offer" }).click();
  const shared = page.getByRole("dialog", { name: "Your offer is in the order book" });
  await shared.getByRole("button", { name: "Share" }).click();
  await expectToast(page, "Copied to clipboard");
  const link = await page.evaluate(() => navigator.clipboard.readText());
  const { data } = await lender.call<{ data: Array<{ offerId: string }> }>("GET", "/api/v1/offers");
  const offerId = data[0]?.offerId ?? "";
  expect(link).toMatch(new RegExp(`/borrow/ordinals\\?collection=${SLUG}&offer=${offerId}$`));

  const otherContext = await browser.newContext();
  const otherPage = await otherContext.newPage();
  // Lines of a live book fade in, and colours are checked below.
  await otherPage.emulateMedia({ reducedMotion: "reduce" });
  await otherPage.goto(link);
  await expect(linkedText(otherPage)).toContainText("The linked offer is marked below. It can be taken now.");
  await expect(marked(otherPage)).toHaveAttribute("data-line", offerId);
  await expect(marked(otherPage)).toBeInViewport();
  await expect(marked(otherPage)).toContainText(SMALL_BTC);
  await expectAccessible(otherPage);
  await marked(otherPage).getByRole("button", { name: "Borrow" }).click();
  await expect(otherPage.locator("[role=dialog]")).toHaveCount(2);
  await otherPage.keyboard.press("Escape");
  await expect(otherPage.locator("[role=dialog]")).toHaveCount(1);

  await page.goto(link);
  await expect(linkedText(page)).toContainText("The linked offer is your own.");
  await expect(marked(page).getByRole("button", { name: "Edit offer" })).toBeVisible();

  await cancelOffers(lender, [offerId]);
  await expect(linkedText(otherPage)).toContainText("The linked offer is no longer in the order book.");
  await expect(marked(otherPage)).toHaveCount(0);
  await otherPage.reload();
  await expect(linkedText(otherPage)).toContainText("It was taken, changed, paused or cancelled.");
  await expect(otherPage.getByRole("dialog").getByRole("table", { name: "Active offers" })).toBeVisible();
  await otherPage.keyboard.press("Escape");
  await expect(otherPage.getByRole("dialog")).toHaveCount(0);
  await expect(otherPage).not.toHaveURL(/offer=|collection=/);
  await otherContext.close();
});

test("a link opens the book at its offer, however far down", async ({ page }) => {
  const lender = await Party.join();
  await lender.fund();
  await lender.mine();
  const { subCollections } = await lender.call<{ subCollections: Array<{ slug: string; manual: boolean }> }>(
    "GET",
    `/api/v1/collections/${SLUG}`,
  );
  const slug = subCollections.findLast(({ manual }) => manual)?.slug ?? "";
  const [first = "", ...others] = await offerManually(lender, slug, SMALL_SATS, 5);
  const offerIds = [first, ...others];
  const last = offerIds.at(-1) ?? "";

  await page.setViewportSize({ width: page.viewportSize()?.width ?? 375, height: 480 });
  await page.goto(`/borrow/ordinals?process=instant&collection=${SLUG}&offer=${last}`);
  await expect(marked(page)).toHaveAttribute("data-line", last);
  await expect(marked(page)).toBeInViewport();
  await expect(page.getByRole("dialog").getByRole("radio", { name: "Manual" })).toBeChecked();
  await cancelOffers(lender, offerIds);
});
