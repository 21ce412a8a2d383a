import { expect, type Locator, type Page } from "@playwright/test";
import { slugWithOffers } from "./book-steps";
import { expectToast } from "./lend-steps";
import { collectionName, collections, expectAccessible, nameOf, openMarket } from "./market-steps";
import { test } from "./market-test";

async function openDetail(page: Page, address = "/borrow/ordinals"): Promise<Locator> {
  await page.goto(`${address}?collection=${await slugWithOffers(page)}&view=detail`);
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByText("Total loans")).toBeVisible();
  return dialog;
}

test("a row opens the collection in detail, and the back button closes it", async ({ page }) => {
  await openMarket(page);
  const name = await nameOf(collections(page).first());
  await collectionName(collections(page).first()).click();
  await expect(page).toHaveURL(/collection=.*view=detail/);
  await expect(page.getByRole("dialog", { name })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page).not.toHaveURL(/collection=/);
});

// Touch leaves no focus.
test("closing returns the focus to the row", { tag: "@desktop" }, async ({ page }) => {
  await openMarket(page, "/borrow/ordinals?sort=name");
  const name = collectionName(collections(page).first());
  await name.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(name).toBeFocused();
  await expect(page).not.toHaveURL(/collection=|view=/);
});

test("a path to lend opens the lend dialog of the collection it names", async ({ page }) => {
  await page.goto("/lend/ordinals?collection=lantern-foxes");
  await expect(page.getByRole("dialog").getByLabel("Principal", { exact: true })).toBeVisible();
});

test("the view in the URL outranks the path", async ({ page }) => {
  await page.goto("/lend/ordinals?collection=lantern-foxes&view=book");
  await expect(page.getByRole("dialog").getByText("Instant liquidity")).toBeVisible();
  await page.goto("/borrow/ordinals?collection=lantern-foxes&view=lend");
  await expect(page.getByRole("dialog").getByLabel("Principal", { exact: true })).toBeVisible();
});

test("an old link to a collection that is gone is reported", async ({ page }) => {
  await page.goto("/borrow/ordinals?collection=never-was");
  await expect(page.getByText("This collection is not listed")).toBeVisible();
});

test("the main figures are those of the mode", async ({ page }) => {
  const borrowing = await openDetail(page, "/borrow/ordinals");
  for (const label of ["Floor", "Best offer", "Min Interest", "Term", "LTV"]) {
    await expect(borrowing.getByRole("term").filter({ hasText: label })).toBeVisible();
  }
  const lending = await openDetail(page, "/lend/ordinals");
  await expect(lending.getByRole("term").filter({ hasText: "Max APY" })).toBeVisible();

  const rune = await slugWithOffers(page, "runes");
  await page.goto(`/borrow/runes?collection=${rune}&view=detail`);
  await expect(page.getByRole("dialog").getByRole("term").filter({ hasText: "Price" })).toBeVisible();
});

test("the price history is drawn for every range, and read by keyboard", async ({ page }) => {
  const dialog = await openDetail(page);
  for (const [range, step] of [
    ["24H", "10 minutes"],
    ["7D", "2 hours"],
    ["30D", "8 hours"],
    ["90D", "24 hours"],
  ] as const) {
    await dialog.getByRole("radio", { name: range }).click();
    const chart = dialog.getByRole("slider", { name: `Price, last ${range}` });
    await expect(chart).toBeVisible();
    await expect(chart.locator("[data-tick]")).toHaveCount(6);
    await expect(dialog.getByRole("table", { name: `one every ${step}` })).toBeAttached();
  }
  await expect(dialog.getByTestId("price-read-out")).toHaveText(/^\d+\.\d{5} ₿$/);
  await expect(dialog.getByTestId("price-change")).toHaveText(/^[+\u2212]?\d+\.\d{2}%$/);

  const chart = dialog.getByRole("slider", { name: "Price, last 90D" });
  await chart.focus();
  const last = await chart.getAttribute("aria-valuetext");
  await page.keyboard.press("Home");
  await expect(chart).toHaveAttribute("aria-valuenow", "0");
  await expect(chart).not.toHaveAttribute("aria-valuetext", last ?? "");
  await page.keyboard.press("ArrowRight");
  await expect(chart).toHaveAttribute("aria-valuenow", "1");
  const spoken = await chart.getAttribute("aria-valuetext");
  const read = await dialog.getByTestId("price-read-out").textContent();
  expect(spoken?.startsWith(read ?? "-")).toBe(true);
});

// Touch has no hover.
test("the pointer reads the price under it", { tag: "@desktop" }, async ({ page }) => {
  const dialog = await openDetail(page);
  const chart = dialog.getByRole("slider");
  const box = await chart.boundingBox();
  if (!box) throw new Error("the chart has no place");
  await page.mouse.move(box.x + 90, box.y + 50);
  const early = Number(await chart.getAttribute("aria-valuenow"));
  await page.mouse.move(box.x + box.width - 90, box.y + 50);
  await expect.poll(async () => Number(await chart.getAttribute("aria-valuenow"))).toBeGreaterThan(early);
});

test("a rune's prices are in sats", async ({ page }) => {
  const rune = await slugWithOffers(page, "runes");
  await page.goto(`/borrow/runes?collection=${rune}&view=detail`);
  await expect(page.getByTestId("price-read-out")).toHaveText(/^[\d,.]+ sats$/);
});

test("a chart that fails is reported and can be retried", async ({ page }) => {
  const history = "**/price-history?*";
  // The connection breaks in the middle of the response.
  await page.route(history, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()).slice(0, 100) });
  });
  const dialog = await openDetail(page);
  await expect(dialog.getByText("Unable to load price data")).toBeVisible();

  await page.unroute(history);
  await page.route(history, (route) => route.abort());
  await dialog.getByRole("radio", { name: "7D" }).click();
  await expect(dialog.getByText("Failed to load price data")).toBeVisible();

  await page.unroute(history);
  await dialog.getByRole("button", { name: "Try again" }).click();
  await expect(dialog.getByRole("slider")).toBeVisible();
});

test("volumes of this market and of all marketplaces are shown", async ({ page }) => {
  const dialog = await openDetail(page);
  await dialog.getByRole("tab", { name: "Volume" }).click();
  const volumes = dialog.getByRole("table", { name: "Volume in BTC" });
  for (const period of ["24 H", "7 D", "30 D", "All"]) {
    await expect(volumes.getByRole("columnheader", { name: period })).toBeVisible();
  }
  await expect(volumes.getByRole("rowheader", { name: /^Lienbook/ })).toBeVisible();
  await expect(volumes.getByRole("row", { name: /^Market/ }).getByRole("cell")).toHaveText(
    Array.from({ length: 4 }, () => /^[\d,.]+$/),
  );
});

test("Share copies a link that opens the same collection", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const dialog = await openDetail(page);
  const name = (await dialog.getByRole("heading", { level: 2 }).textContent()) ?? "";
  await dialog.getByRole("button", { name: "Share" }).click();
  await expectToast(page, "Copied to clipboard");
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(link).toContain("/borrow/ordinals?collection=");
  await page.goto(link);
  await expect(page.getByRole("dialog", { name })).toBeVisible();
});

test("a collection is a favorite here and in the table", async ({ page }) => {
  const dialog = await openDetail(page);
  const name = (await dialog.getByRole("heading", { level: 2 }).textContent()) ?? "";
  const star = dialog.getByRole("button", { name: "Favorite" });
  await star.click();
  await expect(star).toHaveAttribute("aria-pressed", "true");
  await page.goto("/borrow/ordinals?filters=favorites");
  await expect(collections(page)).toHaveCount(1);
  await expect(collectionName(collections(page).first())).toHaveText(name);
});

test("View Collection opens another site in a new window", async ({ page }) => {
  const dialog = await openDetail(page);
  const link = dialog.getByRole("link", { name: "View Collection" });
  await expect(link).toHaveAttribute("target", "_blank");
  await expect(link).toHaveAttribute("rel", /noopener/);
});

test("Lend and Orders open their dialogs, and the back button returns", async ({ page }) => {
  const dialog = await openDetail(page);
  await dialog.getByRole("button", { name: "Lend" }).click();
  await expect(page.getByRole("dialog").getByLabel("Principal", { exact: true })).toBeVisible();
  await page.goBack();
  await dialog.getByRole("button", { name: "Orders" }).click();
  await expect(page.getByRole("dialog").getByText("Instant liquidity")).toBeVisible();
  await page.goBack();
  await expect(dialog.getByText("Total loans")).toBeVisible();
});

for (const theme of ["dark", "light"] as const) {
  test(`the detail is accessible in the ${theme} theme`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    const dialog = await openDetail(page);
    await expect(dialog.getByRole("slider")).toBeVisible();
    await expectAccessible(page);
  });
}
