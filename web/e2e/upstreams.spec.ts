import { expect, type Page } from "@playwright/test";
import { devnetURL } from "../playwright.config";
import { inscriptionChoices, openBorrowDialog } from "./borrow-steps";
import { createSeed, openAs } from "./browser-session";
import { mineUntil, quoteManually, runningLoan, signInWallet } from "./loan-steps";
import { expectAccessible } from "./market-steps";
import { test } from "./market-test";
import { BORROWER_1, Party } from "./party";
import { RETRIES } from "./retries";

test.setTimeout(400_000);

const MAPS = { slug: "meridian-maps" } as const;

/** The ways in which an upstream fails: it is stopped, or it accepts every request and never responds. */
const OUTAGES = [
  { upstream: "node", end: "stop", begin: "start" },
  { upstream: "node", end: "freeze", begin: "thaw" },
  { upstream: "ord", end: "stop", begin: "start" },
  { upstream: "ord", end: "freeze", begin: "thaw" },
] as const;

const MESSAGES = {
  node: "The Bitcoin node is not responding",
  ord: "The indexer is not responding",
} as const;

/** Every page, and a text that it only shows when it works. */
const PAGES: ReadonlyArray<readonly [path: string, sign: string | RegExp]> = [
  ["/borrow/ordinals", "Meridian Maps"],
  ["/borrow/runes?process=instant", "WINDMILL•KEEPERS"],
  ["/borrow/brc-20", "Lumenfall"],
  ["/lend/ordinals", "Quiet Moons"],
  ["/lend/runes?process=instant", "WINDMILL•KEEPERS"],
  ["/lend/brc-20", "Lumenfall"],
  ["/portfolio?tab=offers", /Offers you make appear here|0\.00\d{3}/],
  ["/portfolio?tab=loans", "Meridian Maps"],
  ["/portfolio/pending", "Nothing to do"],
  ["/portfolio?tab=history", "No loan has ended yet"],
  ["/portfolio", "LTV of running loans"],
  ["/settings/notifications", "Notification settings"],
  ["/guide", "How it works"],
];

/** Restores the stopped upstream. */
let restoreUpstream: (() => Promise<void>) | null = null;

async function control(page: Page, upstream: string, action: string): Promise<void> {
  expect(
    (await page.request.post(`${devnetURL}/upstreams/${upstream}/${action}`, { maxRetries: RETRIES })).ok(),
  ).toBe(true);
}

// The next test starts with every upstream running, however this one ended.
test.afterEach(async () => {
  await restoreUpstream?.();
  restoreUpstream = null;
});

/** Opens a page and waits until it has loaded the chain status. */
async function openOnceChainLoads(page: Page, path: string): Promise<void> {
  const response = page.waitForResponse(
    (response) => response.url().endsWith("/api/v1/chain") && response.ok(),
    { timeout: 15_000 },
  );
  await page.goto(path);
  await response;
}

for (const { upstream, end, begin } of OUTAGES) {
  const failureText = end === "stop" ? "is gone" : "does not respond";
  test(`while ${upstream} ${failureText} every screen works or reports the failure, and recovers afterwards`, {
    tag: "@core-and-ord",
  }, async ({ page }) => {
    const borrower = await Party.join(await createSeed(page), BORROWER_1);
    const lender = await Party.join();
    const { loanId } = await runningLoan(lender, borrower, 2);
    await borrower.fund(MAPS.slug);
    await openAs(page, "/borrow/ordinals", "Borrower 1");
    const notice = page.getByRole("main").getByRole("status").filter({ hasText: MESSAGES[upstream] });
    await openOnceChainLoads(page, "/borrow/ordinals");
    await expect(notice).toHaveCount(0);

    restoreUpstream = () => control(page, upstream, begin);
    await control(page, upstream, end);
    // The server caches a status for two seconds, or for ten with a slow indexer.
    await page.waitForTimeout(end === "freeze" ? 13_000 : 2_500);
    for (const [path, sign] of PAGES) {
      await page.goto(path);
      await expect(page.getByRole("main").getByText(sign).first()).toBeVisible();
      await expect(notice).toBeVisible({ timeout: 15_000 });
    }
    await page.goto("/borrow/ordinals");
    await expectAccessible(page);

    // Actions that need only the market work.
    const [offerId = ""] = await quoteManually(lender, "meridian-maps-7d", 60_000);
    await page.goto(`/borrow/ordinals?collection=${MAPS.slug}&view=book`);
    await expect(page.locator(`tr[data-line="${offerId}"]`)).toBeVisible();
    await lender.call("POST", "/api/v1/offers/manual/cancel", { offerIds: [offerId] });
    await expect(page.locator(`tr[data-line="${offerId}"]`)).toHaveCount(0);

    // Actions that need the chain report it, and nothing is signed.
    const borrowing = await openBorrowDialog(page, MAPS, "manual");
    await expect(
      borrowing.getByRole("alert").filter({ hasText: `could not be loaded: ${MESSAGES[upstream]}` }),
    ).toBeVisible({ timeout: 30_000 });
    await expect(
      borrowing.getByRole("alert").filter({ hasText: "Nothing can be sent until it is back." }),
    ).toBeVisible();
    await expect(inscriptionChoices(borrowing)).toHaveCount(0);
    await expectAccessible(page);
    await page.goto("/portfolio?tab=loans");
    await page
      .locator(`[data-loan="${loanId}"]`)
      .getByRole("button", { name: /^Repay/ })
      .click();
    const repaying = page.getByRole("dialog", { name: /^Repay/ });
    const proceed = repaying.getByRole("button", { name: "Continue" });
    await expect(repaying.getByRole("alert").filter({ hasText: MESSAGES[upstream] })).toBeVisible();
    await repaying.getByRole("radio", { name: "Custom" }).click();
    await repaying.getByLabel("Fee rate", { exact: true }).fill("40");
    await proceed.click();
    await expect(
      page
        .locator("[data-sonner-toast], [role=alert]")
        .filter({ hasText: new RegExp(`${MESSAGES[upstream]}$`) })
        .first(),
    ).toBeVisible({ timeout: 45_000 });

    await restoreUpstream();
    restoreUpstream = null;
    await expect(async () => {
      await openOnceChainLoads(page, "/portfolio?tab=loans");
      await expect(page.getByRole("main").getByText("Meridian Maps").first()).toBeVisible();
      await expect(notice).toHaveCount(0, { timeout: 3_000 });
    }).toPass({ timeout: 60_000 });
    await page
      .locator(`[data-loan="${loanId}"]`)
      .getByRole("button", { name: /^Repay/ })
      .click();
    await expect(proceed).toBeEnabled({ timeout: 30_000 });
    await proceed.click();
    await repaying.getByRole("button", { name: /^Repay \d/ }).click();
    await signInWallet(page);
    await expect(repaying.getByRole("heading", { name: "Repayment sent" })).toBeVisible();
    await mineUntil(borrower, loanId, "REPAID");
  });
}
