import { expect } from "@playwright/test";
import { cancelOffers, manualTerm, offerHalfTheFloor, offerOfTheFloor, quoteManually } from "./loan-steps";
import type { Row } from "./market-of";
import { changedNumbers, expectLive, openMarket } from "./market-steps";
import { test } from "./market-test";
import { Party } from "./party";

test("numbers change without a reload", async ({ page }) => {
  const lender = await Party.join();
  const { groupSlug } = await manualTerm(lender);
  const { collectionName: name } = await lender.call<Row>("GET", `/api/v1/collections/${groupSlug}`);
  await openMarket(page, `/borrow/ordinals?process=manual&q=${encodeURIComponent(name)}`);
  await expectLive(page);
  const { offerIds } = await offerOfTheFloor(lender, 97);
  await expect(changedNumbers(page).first()).toBeAttached({ timeout: 25_000 });
  await cancelOffers(lender, offerIds);
});

test("a lost connection is shown, and the market is polled instead", async ({ page }) => {
  await page.routeWebSocket("**/api/v1/feed", (socket) => socket.close());
  await openMarket(page);
  await expect(page.getByTestId("connection")).toHaveAttribute("data-status", "offline");
  await expect(page.getByRole("status").filter({ hasText: "Offline" })).toBeAttached();
});

test("a gap in the feed is closed by a fresh snapshot", async ({ page }) => {
  let subscriptions = 0;
  let deltas = 0;
  await page.routeWebSocket("**/api/v1/feed", (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((message) => {
      if (String(message).includes('"subscribe"') && String(message).includes('"market"')) subscriptions += 1;
      server.send(message);
    });
    server.onMessage((message) => {
      const text = String(message);
      if (text.includes('"delta"') && text.includes('"market"')) {
        deltas += 1;
        if (deltas === 3) return;
      }
      socket.send(message);
    });
  });
  await openMarket(page);
  await expectLive(page);
  const lender = await Party.join();
  const { slug, offerIds } = await offerHalfTheFloor(lender);
  await cancelOffers(lender, offerIds);
  // Each quote and each cancellation is a delta of the market.
  await expect
    .poll(
      async () => {
        await cancelOffers(lender, await quoteManually(lender, slug, 60_000));
        return subscriptions;
      },
      { timeout: 25_000 },
    )
    .toBeGreaterThan(1);
  await expectLive(page);
});
