import { expect, type Page } from "@playwright/test";
import { takeFromFaucet } from "./borrow-steps";
import { extremeRows, manyRows, showMarketOf } from "./market-of";
import {
  collectionName,
  collections,
  expectAccessible,
  expectLive,
  nameOf,
  openMarket,
  tryAgain,
} from "./market-steps";
import { test } from "./market-test";
import { signInAs } from "./wallet-steps";

test("a new user lands on ordinals with instant loans, and one line of introduction", async ({ page }) => {
  await page.goto("/");
  await expect(page).toHaveURL(/\/borrow\/ordinals\?process=instant$/);
  await expect(page.getByText("Pledge what you own")).toBeVisible();
  await expect(page).toHaveTitle("Borrow against Ordinals · Lienbook");
  await expect(collections(page).first()).toBeVisible();
  await expectLive(page);
});

test("a slash focuses the search, which the URL stores", async ({ page, isMobile }) => {
  await openMarket(page);
  const search = page.getByPlaceholder("Search...");
  await page.keyboard.press("/");
  if (!isMobile) await expect(search).toBeFocused();
  const name = await nameOf(collections(page).first());
  await search.fill(name.toUpperCase());
  await expect(collections(page)).toHaveCount(1);
  await expect(page).toHaveURL(/q=/);
  await page.reload();
  await expect(search).toHaveValue(name.toUpperCase());
  await expect(collections(page)).toHaveCount(1);

  await search.fill("no collection is called this");
  await expect(page.getByText("No results found")).toBeVisible();
  await page.getByRole("button", { name: "Clear search and filters" }).click();
  await expect(search).toHaveValue("");
  await expect(collections(page).first()).toBeVisible();
});

// Phones sort by a menu.
test("a column sorts both ways and shows its direction", { tag: "@desktop" }, async ({ page }) => {
  await openMarket(page);
  const head = page.getByRole("columnheader", { name: "Collection" });
  await head.getByRole("button").click();
  await expect(head).toHaveAttribute("aria-sort", "ascending");
  const upwards = await shownNames(page);
  expect(upwards).toEqual([...upwards].sort(byText));

  await head.getByRole("button").click();
  await expect(head).toHaveAttribute("aria-sort", "descending");
  await expect(page).toHaveURL(/sort=-name/);
  const downwards = await shownNames(page);
  expect(downwards).toEqual([...downwards].sort(byText).reverse());
});

// Tables sort by their headings.
test("a strip above the table summarizes the market", async ({ page }) => {
  await openMarket(page, "/borrow/ordinals?process=instant");
  const strip = page.getByLabel("Market", { exact: true });
  for (const label of ["Liquidity", "Lent in 24 h", "Loans", "Best interest"]) {
    await expect(strip.getByRole("term").filter({ hasText: label })).toBeVisible();
  }
  await expect(strip).toContainText(/\d\.\d{3} ₿/);
  await expect(strip).toContainText(/\d\.\d{2}%/);
});

test("a phone shows four collections at once", { tag: "@phone" }, async ({ page }) => {
  await openMarket(page);
  const bottom = await page.getByRole("navigation", { name: "Main" }).last().boundingBox();
  await expect
    .poll(async () => {
      const boxes = await Promise.all(
        [0, 1, 2, 3].map((index) => collections(page).nth(index).boundingBox()),
      );
      return boxes.every((box) => box !== null && box.y + box.height <= (bottom?.y ?? 0));
    })
    .toBe(true);
});

test("a phone sorts by a menu", { tag: "@phone" }, async ({ page }) => {
  await openMarket(page);
  await page.getByRole("button", { name: "Sort" }).click();
  await page.getByRole("menuitemradio", { name: "Collection, A to Z" }).click();
  await expect(page).toHaveURL(/sort=name/);
  const names = await shownNames(page);
  expect(names.map(lower)).toEqual([...names].map(lower).sort());
});

test("a star stays with its collection", async ({ page }) => {
  await openMarket(page);
  const first = collections(page).first();
  const star = first.getByRole("button", { name: /^Favorite / });
  const label = (await star.getAttribute("aria-label")) ?? "";
  await star.click();
  await page.reload();
  await page.getByRole("button", { name: "Filters" }).click();
  await page.getByRole("checkbox", { name: "Favorites" }).click();
  await page.keyboard.press("Escape");
  await expect(collections(page)).toHaveCount(1);
  await expect(page.getByRole("button", { name: label, exact: true })).toHaveAttribute(
    "aria-pressed",
    "true",
  );
  await page.getByRole("button", { name: "Remove filter Favorites" }).click();
  await expect(collections(page).nth(1)).toBeVisible();
});

test("without offers there is nothing to borrow", async ({ page }) => {
  await openMarket(page);
  for (const [filter, enabled] of [
    ["has-offers", true],
    ["no-offers", false],
  ] as const) {
    await page.goto(`/borrow/ordinals?filters=${filter}`);
    await expect(collections(page).first().or(page.getByText("No results found"))).toBeVisible();
    // All at the same moment: rows come and go with their offers.
    const others = () =>
      page
        .getByRole("button", { name: "Borrow", exact: true })
        .evaluateAll(
          (all, enabled) => all.filter((button) => button.matches(":disabled") === enabled).length,
          enabled,
        );
    await expect.poll(others).toBe(0);
  }
});

// Cards have no columns.
test("each category and process type has the columns that fit it", { tag: "@desktop" }, async ({ page }) => {
  await openMarket(page, "/lend/runes");
  await expect(page.getByRole("columnheader", { name: "APY" })).toBeVisible();
  await expect(page.getByRole("columnheader", { name: "Unit price" })).toBeVisible();
  await expect(page.getByRole("button", { name: /^Price Changes/ })).toHaveCount(0);

  await page.getByRole("radio", { name: "Instant" }).click();
  await expect(page).toHaveURL(/process=instant/);
  await expect(page.getByRole("button", { name: /^Price Changes/ })).toBeVisible();

  await page.getByRole("link", { name: "BRC-20" }).click();
  await expect(page).toHaveTitle("Lend against BRC-20 · Lienbook");
  await page.goto("/borrow/ordinals");
  await expect(page.getByRole("columnheader", { name: "Interest" })).toBeVisible();
  await expect(page.getByRole("columnheader", { name: "Floor" })).toBeVisible();

  await page.getByRole("button", { name: /^Volumes/ }).click();
  await page.getByRole("menuitemradio", { name: "None" }).click();
  await expect(page.getByRole("columnheader", { name: /volume/ })).toHaveCount(0);
});

// Phones do not resize.
test("a window of any width shows volumes and price changes, and lets them be chosen", {
  tag: "@desktop",
}, async ({ page }) => {
  await page.setViewportSize({ width: 1024, height: 800 });
  await openMarket(page);
  await expect(page.getByRole("columnheader", { name: "1d volume" })).toBeVisible();
  await expect(page.getByRole("columnheader", { name: "24h change" })).toBeVisible();
  for (const width of [1023, 769, 600]) {
    await page.setViewportSize({ width, height: 800 });
    await expect(collections(page).first().getByText(/^Vol/)).toBeVisible();
    await expect(page.getByRole("button", { name: /^Volumes/ })).toBeVisible();
    await expect(page.getByRole("button", { name: /^Price Changes/ })).toBeVisible();
    await expect(page.getByRole("button", { name: "Sort" })).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  }
});

test("filters are selected by keyboard, counted and removed one by one", { tag: "@desktop" }, async ({
  page,
}) => {
  await openMarket(page);
  const filters = page.getByRole("button", { name: /^Filters/ });
  await filters.focus();
  await page.keyboard.press("Enter");
  const box = page.getByRole("checkbox", { name: "Has offers" });
  await box.focus();
  await page.keyboard.press("Space");
  await expect(box).toBeChecked();
  await page.keyboard.press("Escape");
  await expect(filters).toHaveAccessibleName("Filters, 1 selected");
  await expect(filters).toBeFocused();
  await expect(page).toHaveURL(/filters=has-offers/);
  await page.getByRole("button", { name: "Remove filter Has offers" }).click();
  await expect(filters).toHaveAccessibleName("Filters");
});

test("For you keeps the collections whose collateral the wallet holds", { tag: "@desktop" }, async ({
  page,
}) => {
  test.setTimeout(90_000);
  await page.goto("/borrow/ordinals?sort=name");
  await expect(collections(page).first()).toBeVisible();
  await page.getByRole("button", { name: /^Filters/ }).click();
  await expect(page.getByRole("checkbox", { name: "Favorites" })).toBeVisible();
  await expect(page.getByRole("checkbox", { name: "For you" })).toHaveCount(0);
  await page.keyboard.press("Escape");

  await signInAs(page, "Borrower 2");
  await page.goto("/borrow/ordinals?sort=name&filters=for-you");
  await expect(page.getByText("Your wallet holds no collateral")).toBeVisible({ timeout: 30_000 });
  await page.getByRole("button", { name: "Clear search and filters" }).click();
  const name = await nameOf(collections(page).first());
  await takeFromFaucet(page, "Ordinals", name);
  await page.goto("/borrow/ordinals?filters=for-you");
  await expect(collections(page)).toHaveCount(1, { timeout: 30_000 });
  expect(await nameOf(collections(page).first())).toBe(name);
});

test("a long name is cut at nineteen characters and shown in full on demand", async ({ page }) => {
  await showMarketOf(page, extremeRows);
  await openMarket(page, "/borrow/ordinals?sort=name");
  const name = collectionName(collections(page).first());
  await expect(name).toHaveText("The Honourable Soci…");
  await expect(name).toHaveAttribute("title", /^The Honourable Society of/);
  await expect(name).toHaveAccessibleName(/^The Honourable Society of/);
});

test("of two thousand collections only visible ones are rendered", async ({ page }) => {
  await showMarketOf(page, manyRows(2_000));
  await page.goto("/borrow/ordinals");
  await expect(collections(page).first()).toBeVisible({ timeout: 25_000 });
  expect(await collections(page).count()).toBeLessThan(60);
  await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
  const last = collections(page).last();
  await expect(last).toBeInViewport();
  expect(await collections(page).count()).toBeLessThan(60);
});

test("a market that cannot be loaded is reported and retried", async ({ page }) => {
  await page.routeWebSocket("**/api/v1/feed", (socket) => socket.close());
  await page.route("**/api/v1/collections?*", (route) => route.abort());
  await page.goto("/borrow/ordinals");
  await expect(page.getByText("The market could not be loaded")).toBeVisible();
  await page.unroute("**/api/v1/collections?*");
  await tryAgain(page, collections(page).first());
});

// Phones have no arrow keys.
test("arrow keys move between rows and Enter opens one", { tag: "@desktop" }, async ({ page }) => {
  await openMarket(page, "/borrow/ordinals?sort=name");
  await collectionName(collections(page).first()).focus();
  await page.keyboard.press("ArrowDown");
  await expect(collectionName(collections(page).nth(1))).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog")).toBeVisible();
});

test("an unknown URL is reported", async ({ page }) => {
  await page.goto("/borrow/nothing");
  await expect(page.getByRole("heading", { name: "Page not found" })).toBeVisible();
  await page.getByRole("link", { name: "Go to the market" }).click();
  await expect(collections(page).first()).toBeVisible();
});

for (const theme of ["dark", "light"] as const) {
  test(`the market is accessible in the ${theme} theme`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    await openMarket(page);
    await expectAccessible(page);
  });
}

test("a chosen theme survives a reload", async ({ page }) => {
  await openMarket(page);
  await page.getByRole("button", { name: "Theme" }).click();
  await page.getByRole("menuitemradio", { name: "Light" }).click();
  await page.reload();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
});

function shownNames(page: Page): Promise<string[]> {
  return page
    .locator("[data-row-open]")
    .evaluateAll((names) => names.map((name) => name.getAttribute("title") ?? ""));
}

function byText(a: string, b: string): number {
  return lower(a) < lower(b) ? -1 : lower(a) > lower(b) ? 1 : 0;
}

function lower(text: string): string {
  return text.toLocaleLowerCase("en");
}
