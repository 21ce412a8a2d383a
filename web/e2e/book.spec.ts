import { expect } from "@playwright/test";
import { openBook, slugWithOffers } from "./book-steps";
import { createSeed, openAs } from "./browser-session";
import { cancelOffers, offerManually, offerOfTheFloor, quoteManually } from "./loan-steps";
import { collections, expectAccessible, nameOf, openMarket, tryAgain } from "./market-steps";
import { test } from "./market-test";
import { Party } from "./party";
import { RETRIES } from "./retries";
import { breakWallet, openWalletChoice } from "./wallet-faults";
import { signInWith } from "./wallet-steps";

test("Orders opens a collection's book, and the back button closes it", async ({ page }) => {
  await openMarket(page);
  const name = await nameOf(collections(page).first());
  await page.getByRole("button", { name: `Orders of ${name}` }).click();
  await expect(page).toHaveURL(/collection=.*view=book/);
  await expect(page.getByRole("dialog")).toContainText(name.replace(/\s*[[(]\d+[\])]$/, ""));
  await page.goBack();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page).not.toHaveURL(/collection=/);
});

test("a link opens the book, and Escape returns to the market", async ({ page }) => {
  await openBook(page);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(collections(page).first()).toBeVisible();
});

test("offers and loans are side by side, or in tabs where there is no space", async ({ page, isMobile }) => {
  await openBook(page);
  const dialog = page.getByRole("dialog");
  const offers = dialog.getByRole("table", { name: "Active offers" });
  const loans = dialog.getByRole("table", { name: "Active loans" });
  await expect(offers).toBeVisible();
  for (const head of ["Principal", "LTV", "Date", "Rating", "Action"]) {
    await expect(offers.getByRole("columnheader", { name: head })).toBeVisible();
  }
  if (isMobile) {
    await expect(loans).toHaveCount(0);
    await dialog.getByRole("tab", { name: "Active" }).click();
    await expect(offers).toHaveCount(0);
  }
  await expect(loans).toBeVisible();
});

test("offers are sorted from the best to the worst, and the best is marked", async ({ page }) => {
  await openBook(page);
  const rows = page
    .getByRole("dialog")
    .getByRole("table", { name: "Active offers" })
    .locator("tbody tr[data-line]");
  await expect(rows.locator("visible=true").first()).toBeVisible();
  const principals = (await rows.locator("td:first-child").allTextContents()).map((text) =>
    Number.parseFloat(text),
  );
  expect(principals).toEqual([...principals].sort((a, b) => b - a));
  await expect(page.locator("tr[data-best]")).toHaveCount(1);
});

test("the head of the book summarizes it", async ({ page }) => {
  await openBook(page);
  for (const label of ["Spread", "Instant liquidity", "Lenders"]) {
    await expect(page.getByRole("dialog").getByText(label, { exact: true })).toBeVisible();
  }
});

test("manual and instant offers are kept apart", async ({ page }) => {
  await openBook(page);
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("radio", { name: "Instant" }).click();
  await expect(dialog.getByRole("radio", { name: "Instant" })).toBeChecked();
  // Lines of loans exist regardless of the offers.
  await expect(
    dialog.locator("tr[data-line^='of_']").first().or(dialog.getByText("No active offers.")),
  ).toBeVisible();
});

test("the depth adds up both sides by LTV, and is read by keyboard step by step", async ({
  page,
  isMobile,
}) => {
  await openBook(page);
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("tab", { name: "Depth" }).click();
  const depth = dialog.getByRole("slider", { name: "Depth of the book by LTV" });
  await expect(depth).toHaveAttribute(
    "aria-valuetext",
    /^LTV [\d.]+%: [\d.]+ BTC offered at this LTV or more/,
  );
  await expect(dialog.getByText("Offers at this LTV or more", { exact: true })).toBeVisible();
  await expect(dialog.getByText("Requests at this LTV or less", { exact: true })).toBeVisible();
  const last = Number(await depth.getAttribute("aria-valuemax"));
  expect(last).toBeGreaterThan(0);

  /** The LTV and the sums of both sides at the cursor. */
  const read = async () =>
    ((await depth.getAttribute("aria-valuetext")) ?? "").match(/\d+\.\d+/g)?.map(Number) ?? [];
  await depth.press("Home");
  await expect(depth).toHaveAttribute("aria-valuenow", "0");
  const lowest = await read();
  await expect(dialog.getByTestId("depth-ltv")).toHaveText(`${lowest[0]?.toFixed(2)}%`);
  await depth.press("ArrowRight");
  await expect(depth).toHaveAttribute("aria-valuenow", "1");
  await depth.press("End");
  await expect(depth).toHaveAttribute("aria-valuenow", String(last));
  const highest = await read();
  expect(lowest[0]).toBeLessThan(highest[0] ?? 0);
  expect(lowest[1]).toBeGreaterThanOrEqual(highest[1] ?? 0);
  expect(lowest[2]).toBeLessThanOrEqual(highest[2] ?? 0);
  const table = dialog.getByRole("table", { name: "Depth of the book by LTV" });
  await expect(table.getByRole("row")).toHaveCount(Math.min(last + 1, 40) + 1);
  await expectAccessible(page);

  // Touch has no hover.
  if (!isMobile) await depth.hover({ position: { x: 66, y: 100 } });
  else await depth.press("Home");
  await expect(depth).toHaveAttribute("aria-valuenow", "0");
});

// Phones do not resize.
test("the book keeps its state when the window crosses the breakpoint", { tag: "@desktop" }, async ({
  page,
}) => {
  await openBook(page);
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("radio", { name: "Instant" }).click();
  await page.setViewportSize({ width: 600, height: 800 });
  await expect(dialog.getByRole("tab", { name: "Liquidity" })).toBeVisible();
  await expect(dialog.getByRole("radio", { name: "Instant" })).toBeChecked();
});

test("Create offer opens the lend dialog over the book", async ({ page }) => {
  await openBook(page);
  await page.getByRole("button", { name: "Create offer", exact: true }).click();
  // The book below has no roles while another dialog has the focus.
  const dialogs = page.locator("[role=dialog]");
  await expect(dialogs).toHaveCount(2);
  await page.keyboard.press("Escape");
  await expect(dialogs).toHaveCount(1);
  await expect(page.getByRole("table", { name: "Active offers" })).toBeVisible();
});

test("Borrow opens the borrow dialog over the book", async ({ page }) => {
  await openBook(page);
  const dialogs = page.locator("[role=dialog]");
  // The offer under the pointer may be taken at the same moment.
  await expect(async () => {
    if ((await dialogs.count()) < 2) {
      const free = dialogs.first().locator("tr[data-state=live]").first();
      await free.getByRole("button", { name: "Borrow" }).click({ timeout: 2_000 });
    }
    await expect(dialogs).toHaveCount(2, { timeout: 2_000 });
  }).toPass();
  await page.keyboard.press("Escape");
  await expect(dialogs).toHaveCount(1);
});

test("own offers are marked, and edited from the book", async ({ page }) => {
  const seed = await createSeed(page);
  const lender = await Party.join(seed);
  await lender.fund();
  await lender.mine();
  const slug = await slugWithOffers(page);
  const { floor, subCollections } = await (
    await page.request.get(`/api/v1/collections/${slug}`, { maxRetries: RETRIES })
  ).json();
  const { payment, ordinals } = lender.keys;
  const { offers } = await lender.call<{ offers: Array<{ offerId: string }> }>(
    "POST",
    "/api/v1/offers/manual",
    {
      offers: [
        {
          collection_slug: subCollections.find((sub: { manual: boolean }) => sub.manual).slug,
          principal_amount: Math.floor(floor / 2_000) * 1_000,
          quantity: 1,
          wallet: "DevWallet",
          payment_address: payment.address,
          payment_pubkey: payment.pubKey,
          ordinal_address: ordinals.address,
          ordinal_pubkey: ordinals.pubKey,
          hardware_wallet: false,
        },
      ],
    },
  );
  await openAs(page, "/borrow/ordinals", "Lender 1");
  await page.goto(`/borrow/ordinals?collection=${slug}&view=book`);
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("button", { name: "Create offer" })).toBeVisible();
  // The book opens at its best offer, which may be in another sub-collection.
  const choose = dialog.getByRole("button", { name: /^Term|^Bundle/ });
  await choose.click();
  await page.getByRole("menuitemradio").first().click();
  const own = dialog.locator(`tr[data-line="${offers[0]?.offerId}"]`);
  await expect(own).toContainText("Yours");
  await dialog.getByRole("tab", { name: "Depth" }).click();
  await expect(dialog.getByText("Yours", { exact: true })).toBeVisible();
  await dialog.getByRole("tab", { name: /^(Active offers|Liquidity)/ }).click();
  await own.getByRole("button", { name: "Edit offer" }).click();
  await expect(page.getByRole("dialog").getByRole("button", { name: "Edit Offer" })).toBeVisible();
  await cancelOffers(
    lender,
    offers.map(({ offerId }) => offerId),
  );
});

// Touch has no hover.
test("a press on an offer applies to that offer, whatever joins the book meanwhile", {
  tag: "@desktop",
}, async ({ page }) => {
  const quiet = { slug: "meridian-maps", term: "meridian-maps-14d" };
  // Without coins, so that no other user can take it.
  const lender = await Party.join();
  const [low = ""] = await offerManually(lender, quiet.term, 40_000);
  // The count of offers is no sign of the new one: another may leave meanwhile.
  const frames: string[] = [];
  page.on("websocket", (socket) => socket.on("framereceived", ({ payload }) => frames.push(String(payload))));
  await page.goto(`/borrow/ordinals?collection=${quiet.slug}&view=book&offer=${low}`);
  const dialog = page.getByRole("dialog");
  const line = dialog.locator(`tr[data-line="${low}"]`);
  await line.getByRole("button", { name: "Borrow" }).hover();
  await page.mouse.down();
  const before = await line.getAttribute("aria-rowindex");
  const [high = ""] = await offerManually(lender, quiet.term, 41_000);
  await expect.poll(() => frames.some((frame) => frame.includes(high))).toBe(true);
  await page.evaluate(
    () => new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted))),
  );
  expect(await line.getAttribute("aria-rowindex")).toBe(before);
  await page.mouse.up();
  await expect(page.getByRole("dialog").last()).toContainText("this offer 0.00040 BTC");
  await page.keyboard.press("Escape");
  await expect(dialog.locator(`tr[data-line="${high}"]`)).toBeVisible();
  await cancelOffers(lender, [low, high]);
});

// Touch has no hover.
test("a hardware wallet cannot borrow against ordinals, and sees why", { tag: "@desktop" }, async ({
  page,
}) => {
  await page.goto("/borrow/ordinals");
  await openWalletChoice(page);
  await breakWallet(page, "is hardware");
  await page.getByRole("button", { name: "Dev Wallet" }).click();
  await signInWith(page, "Borrower 1");
  await openBook(page);
  const borrow = page.getByRole("dialog").getByRole("button", { name: "Borrow" }).first();
  await expect(borrow).toHaveAttribute("aria-disabled", "true");
  // The book moves under a resting pointer: a line that disappears takes its hint with it.
  await expect(async () => {
    await page.mouse.move(0, 0);
    await borrow.hover();
    await expect(
      page.getByText("Hardware wallets cannot pledge ordinals here.").filter({ visible: true }),
    ).toBeVisible({
      timeout: 2_000,
    });
  }).toPass();
});

test("while the socket is down the book is polled every 30 seconds", async ({ page }) => {
  const slug = await slugWithOffers(page);
  await page.clock.install();
  await page.routeWebSocket("**/api/v1/feed", (socket) => socket.close());
  let requests = 0;
  await page.route("**/orderbook", async (route) => {
    requests += 1;
    await route.continue();
  });
  await page.goto(`/borrow/ordinals?collection=${slug}&view=book`);
  await expect
    .poll(async () => {
      await page.clock.runFor(1_000);
      return requests;
    })
    .toBeGreaterThan(0);
  // The clock advances only after the response: a pending request would run into its timeout.
  await expect(page.getByRole("dialog").getByRole("row").nth(1)).toBeVisible();
  const before = requests;
  await page.clock.runFor(31_000);
  await expect.poll(() => requests).toBeGreaterThan(before);
});

test("the book updates by itself", async ({ page }) => {
  const lender = await Party.join();
  const { groupSlug, slug, principalSats, offerIds } = await offerOfTheFloor(lender, 90);
  await page.goto(`/borrow/ordinals?process=manual&collection=${groupSlug}&view=book`);
  const row = page.getByRole("dialog").locator(`tr[data-line="${offerIds[0]}"]`);
  await expect(row).toBeVisible();
  const [higher = ""] = await quoteManually(lender, slug, principalSats + 1_000);
  await expect(page.getByRole("dialog").locator(`tr[data-line="${higher}"]`)).toBeVisible();
  await cancelOffers(lender, [...offerIds, higher]);
  await expect(row).toHaveCount(0);
});

test("an old link to a collection that is gone is reported", async ({ page }) => {
  await page.goto("/borrow/ordinals?collection=never-was&view=book");
  await expect(page.getByText("This collection is not listed")).toBeVisible();
});

test("a book that cannot be loaded offers a retry", async ({ page }) => {
  const slug = await slugWithOffers(page);
  await page.routeWebSocket("**/api/v1/feed", (socket) => socket.close());
  await page.route("**/orderbook", (route) => route.abort());
  await page.goto(`/borrow/ordinals?collection=${slug}&view=book`);
  await expect(page.getByText("Failed to fetch offer book data")).toBeVisible();
  await page.unroute("**/orderbook");
  await tryAgain(page, page.getByRole("dialog").getByRole("row").nth(1));
});

for (const theme of ["dark", "light"] as const) {
  test(`the book is accessible in the ${theme} theme`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    await openBook(page);
    await expectAccessible(page);
  });
}
