import { expect, type Page } from "@playwright/test";
import { createSeed, openAs } from "./browser-session";
import { cancelOffers, offerHalfTheFloor } from "./loan-steps";
import {
  collectionName,
  collections,
  expectAccessible,
  expectLive,
  nameOf,
  openMarket,
} from "./market-steps";
import { test } from "./market-test";
import { LENDER_1, Party } from "./party";
import { signInAs } from "./wallet-steps";

const PAGES = [
  ["/borrow/ordinals", "Borrow against Ordinals"],
  ["/borrow/runes", "Borrow against Runes"],
  ["/borrow/brc-20", "Borrow against BRC-20"],
  ["/lend/ordinals", "Lend against Ordinals"],
  ["/lend/runes", "Lend against Runes"],
  ["/lend/brc-20", "Lend against BRC-20"],
  ["/portfolio", "Portfolio"],
  ["/portfolio/pending", "Portfolio"],
  ["/settings/notifications", "Notification settings"],
  ["/settings/sessions", "Sessions & keys"],
  ["/guide", "How it works"],
  ["/guide/borrowing", "How to borrow"],
  ["/guide/lending", "How to lend"],
  ["/guide/recovery", "When this site is down"],
  ["/build", "This build"],
] as const;

test("every page has its own title, in the tab and on the page", async ({ page }) => {
  for (const [address, title] of PAGES) {
    await page.goto(address);
    await expect(page).toHaveTitle(`${title} · Lienbook`);
    await expect(page.getByRole("heading", { level: 1, name: title })).toBeVisible();
  }
});

async function openPalette(page: Page) {
  await page.getByRole("banner").getByRole("button", { name: "Search commands and collections" }).click();
  const palette = page.getByRole("dialog", { name: "Search commands and collections" });
  await expect(palette.getByRole("combobox")).toBeFocused();
  return palette;
}

test("the palette finds a page, and a collection", async ({ page }) => {
  await openMarket(page);
  const name = await nameOf(collections(page).first());

  const palette = await openPalette(page);
  await palette.getByRole("combobox").fill("lend runes");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/lend\/runes$/);
  await expect(palette).toHaveCount(0);

  await openPalette(page);
  await palette.getByRole("combobox").fill(name);
  await palette.getByRole("option", { name }).first().click();
  await expect(page.getByRole("dialog", { name })).toBeVisible();
  await expect(page).toHaveURL(/view=detail/);

  // No other page requests the market, so the palette does.
  await page.goto("/portfolio");
  await openPalette(page);
  await palette.getByRole("combobox").fill(name);
  await expect(palette.getByRole("option").first()).toContainText(name);
});

// Phones have no keyboard.
test("text typed while the palette loads is in its field", { tag: "@desktop" }, async ({ page }) => {
  let load: () => void = () => undefined;
  const requested = new Promise<void>((resolve) => {
    load = resolve;
  });
  for (const file of ["command-palette", "action-list"]) {
    await page.route(`**/assets/${file}-*.js`, async (route) => {
      await requested;
      await route.continue();
    });
  }
  // The page counts as loaded only with the file that is held back.
  await page.goto("/borrow/ordinals", { waitUntil: "domcontentloaded" });
  await expect(collections(page).first()).toBeVisible();
  await page.keyboard.press("/");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("g lend rux");
  await page.keyboard.press("Backspace");
  load();
  const field = page.getByRole("dialog", { name: "Search commands and collections" }).getByRole("combobox");
  await expect(field).toHaveValue("g lend ru");
  await expect(field).toBeFocused();
  await page.keyboard.type("n");
  await expect(field).toHaveValue("g lend run");
  await expect(page.getByPlaceholder("Search...")).toHaveValue("");
  await expect(page).toHaveURL(/\/borrow\/ordinals/);
});

test("the palette opens the vault and the faucet of the signed-in user", async ({ page }) => {
  await openMarket(page);
  const palette = await openPalette(page);
  for (const name of ["Fund vault", "Get test coins"]) {
    await expect(palette.getByRole("option", { name })).toHaveCount(0);
  }
  await page.keyboard.press("Escape");
  await expect(palette).toHaveCount(0);
  await signInAs(page, "Lender 1");
  for (const [search, name, title] of [
    ["vault", "Fund vault", /vault/i],
    ["faucet", "Get test coins", /faucet/i],
  ] as const) {
    await openPalette(page);
    await palette.getByRole("combobox").fill(search);
    await palette.getByRole("option", { name }).click();
    await expect(page.getByRole("dialog", { name: title })).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toHaveCount(0);
  }
});

test("the palette shows when it finds nothing", async ({ page }) => {
  await openMarket(page);
  const palette = await openPalette(page);
  await palette.getByRole("combobox").fill("nothing is called this");
  await expect(palette.getByText("No results found")).toBeVisible();
});

test("the palette offers the currently possible actions, and runs them", async ({ page }) => {
  await openMarket(page);
  const palette = await openPalette(page);
  await expect(palette.getByRole("option", { name: "Sign out" })).toHaveCount(0);
  await palette.getByRole("combobox").fill("light");
  await palette.getByRole("option", { name: "Light theme" }).click();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "light");

  await openPalette(page);
  await palette.getByRole("combobox").fill("connect");
  await palette.getByRole("option", { name: "Connect a wallet" }).click();
  await expect(page.getByRole("dialog", { name: "Connect a wallet" })).toBeVisible();
});

// Phones have no keyboard.
test("shortcuts navigate everywhere, but inside a field they are letters", { tag: "@desktop" }, async ({
  page,
}) => {
  await openMarket(page);
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("dialog", { name: "Search commands and collections" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);

  await page.keyboard.press("g");
  await page.keyboard.press("l");
  await expect(page).toHaveURL(/\/lend\/ordinals/);
  // Until then the rows may be those of the page before, whose field goes with it.
  await expect(page.getByRole("heading", { level: 1, name: "Lend against Ordinals" })).toBeVisible();
  await expect(collections(page).first()).toBeVisible();

  await page.keyboard.press("/");
  await expect(page.getByPlaceholder("Search...")).toBeFocused();
  await page.keyboard.type("gp?");
  await expect(page.getByPlaceholder("Search...")).toHaveValue("gp?");
  await expect(page).toHaveURL(/\/lend\/ordinals/);
});

test("a key pressed before the actions are loaded takes effect once they are", { tag: "@desktop" }, async ({
  page,
}) => {
  let letPass = () => {};
  const pressed = new Promise<void>((resolve) => {
    letPass = resolve;
  });
  await page.route("**/assets/action-list-*.js", async (route) => {
    await pressed;
    await route.continue();
  });
  // The page counts as loaded only with the file that is held back.
  await page.goto("/borrow/ordinals", { waitUntil: "domcontentloaded" });
  await expect(collections(page).first()).toBeVisible();
  await page.keyboard.press("?");
  letPass();
  await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible();
});

test("a question mark lists the keys", { tag: "@desktop" }, async ({ page }) => {
  await openMarket(page);
  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await expect(help.getByRole("term").filter({ hasText: "Search this page" })).toBeVisible();
  await expect(help.getByRole("term").filter({ hasText: "Raise or lower the LTV" })).toBeVisible();
  await expectAccessible(page);
});

test("the market opens at the last chosen category", async ({ page }) => {
  await openMarket(page);
  const tabs = page.getByRole("navigation", { name: "Category" });
  await tabs.getByRole("link", { name: "Runes" }).click();
  await expect(page).toHaveURL(/\/borrow\/runes/);
  await expect(tabs.getByRole("link", { name: "Runes" })).toHaveAttribute("aria-current", "page");
  await page.goto("/lend");
  await expect(page).toHaveURL(/\/lend\/runes/);
  await page.goto("/");
  await expect(page).toHaveURL(/\/borrow\/runes/);
});

test("tabs of the portfolio change the URL and nothing else", async ({ page }) => {
  await page.goto("/portfolio?tab=offers");
  const tabs = page.getByRole("navigation", { name: "Portfolio", exact: true });
  await page.evaluate(() => Object.assign(window, { isSamePage: true }));
  await tabs.getByRole("link", { name: "Pending" }).click();
  await expect(page).toHaveURL(/\/portfolio\/pending$/);
  await expect(tabs.getByRole("link", { name: "Pending" })).toHaveAttribute("aria-current", "page");
  expect(await page.evaluate(() => "isSamePage" in window)).toBe(true);
  await page.goBack();
  await expect(page).toHaveURL(/\/portfolio\?tab=offers$/);
});

test("critical notifications are prompted for until they are dismissed", async ({ page }) => {
  await page.goto("/portfolio?tab=offers");
  const prompt = page.getByText("Enable critical notifications");
  await signInAs(page, "Lender 1");
  await expect(prompt).toBeVisible();
  await page.getByRole("link", { name: "Enable", exact: true }).click();
  await expect(page).toHaveURL(/\/settings\/notifications$/);
  await expect(page.getByRole("heading", { name: "Notification channels" })).toBeVisible();

  await page.goBack();
  await page.getByRole("button", { name: "Not now" }).click();
  await expect(prompt).toHaveCount(0);
  await page.reload();
  await expect(page.getByRole("button", { name: "Wallet Lender 1" })).toBeVisible();
  await expect(page.getByRole("navigation", { name: "Portfolio", exact: true })).toBeVisible();
  await expect(prompt).toHaveCount(0);
});

test("the wallet's menu links to the portfolio and to the settings", async ({ page }) => {
  await openMarket(page);
  await signInAs(page, "Lender 1");
  await page.getByRole("button", { name: "Wallet Lender 1" }).click();
  const menu = page.getByRole("dialog");
  await expect(menu.getByRole("button", { name: "Copy payments address" })).toBeVisible();
  await menu.getByRole("link", { name: "Portfolio" }).click();
  await expect(page).toHaveURL(/\/portfolio$/);
  await expect(menu).toHaveCount(0);
});

test("the connection dot shows its meaning", async ({ page }) => {
  await openMarket(page);
  await page.getByTestId("connection").click();
  await expect(page.getByText("Prices and offers on this screen update live.")).toBeVisible();
  await expect(page.getByText(/Last update \d+s ago/)).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByText(/Last update/)).toHaveCount(0);
  await expect(page.getByTestId("connection")).toBeFocused();
});

test("a page that fails leaves the header usable", async ({ page }) => {
  await page.route("**/notifications-page*", (route) => route.abort());
  await openMarket(page);
  await page.goto("/settings/notifications");
  await expect(page.getByText("This page ran into an error")).toBeVisible();
  await expect(page).toHaveTitle("Something went wrong · Lienbook");
  await expect(page.getByRole("banner").getByRole("link", { name: "Lienbook" })).toBeVisible();
});

for (const theme of ["dark", "light"] as const) {
  test(`the palette and the settings are accessible in the ${theme} theme`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    await page.goto("/settings/notifications");
    await expect(page.getByText("Connect a wallet to choose your notifications")).toBeVisible();
    await expectAccessible(page);
    await openPalette(page);
    await expectAccessible(page);
  });
}

test("nothing that can be pressed moves while a session is restored", async ({ page }) => {
  const lender = await Party.join(await createSeed(page), LENDER_1);
  const { offerIds } = await offerHalfTheFloor(lender);
  await openAs(page, "/borrow/ordinals", "Lender 1");
  await page.addInitScript(() => {
    const places: Record<string, string[]> = {};
    Object.assign(window, { places });
    const controls = "header button:not([data-testid=connection]), main nav a, h1, tr[data-offer] button";
    const sample = () => {
      // Until a font is loaded, elements as wide as their text are not at their final position.
      const isReady = document.fonts.status === "loaded";
      for (const control of isReady ? document.querySelectorAll(controls) : []) {
        const name = control.getAttribute("aria-label") ?? control.textContent ?? "";
        const { right, top, width } = control.getBoundingClientRect();
        const place = `${Math.round(right)}, ${Math.round(top)}`;
        if (width === 0 || /^(Wallet|Connect)/.test(name)) continue;
        places[name] ??= [];
        if (!places[name].includes(place)) places[name].push(place);
      }
      requestAnimationFrame(sample);
    };
    requestAnimationFrame(sample);
  });
  for (const address of ["/borrow/ordinals", "/portfolio?tab=offers", "/portfolio/pending"]) {
    await page.goto(address);
    await expect(page.getByRole("button", { name: "Wallet Lender 1" })).toBeVisible();
    await expectLive(page);
    const reminder = page.getByRole("complementary", { name: "Notifications" });
    if (address.startsWith("/portfolio")) await expect(reminder).toBeVisible();
    if (address === "/portfolio?tab=offers") await expect(page.locator("[data-offer]")).toHaveCount(1);
    const places = await page.evaluate(
      () => (window as unknown as { places: Record<string, string[]> }).places,
    );
    expect(Object.keys(places).length).toBeGreaterThan(3);
    expect(Object.entries(places).filter(([, all]) => all.length > 1)).toEqual([]);
  }
  await cancelOffers(lender, offerIds);
});

test("an icon is centred in its button", async ({ page }) => {
  await openAs(page, "/lend/ordinals", "Lender 1");
  await collectionName(collections(page).first()).click();
  await expect(page.getByRole("dialog").getByRole("button", { name: "Close" }).first()).toBeVisible();
  const icons = await page.locator("button[aria-label]:has(> svg:only-child)").evaluateAll((buttons) => {
    const middle = (element: Element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      return [x + width / 2, y + height / 2] as const;
    };
    return buttons
      .filter((button) => button.checkVisibility() && button.textContent === "")
      .map((button) => {
        const [[x, y], [iconX, iconY]] = [middle(button), middle(button.firstElementChild as Element)];
        return { button: button.getAttribute("aria-label"), beside: Math.hypot(iconX - x, iconY - y) };
      });
  });
  expect(icons.length).toBeGreaterThan(2);
  expect(icons.filter(({ beside }) => beside > 1)).toEqual([]);
});
