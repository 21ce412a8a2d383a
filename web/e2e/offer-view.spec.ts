import { expect, type Locator, type Page, test } from "@playwright/test";
import { expectToast } from "./lend-steps";
import { offerHalfTheFloor } from "./loan-steps";
import { expectAccessible } from "./market-steps";
import { giveSeed, Party } from "./party";
import { signInAs, walletWindow } from "./wallet-steps";

const LENDER_2 = 1;

/** The drawer of the only offer there is. */
async function openOffer(page: Page): Promise<Locator> {
  await page.goto("/portfolio");
  await signInAs(page, "Lender 2");
  await page
    .locator("[data-offer]")
    .getByRole("button", { name: /^View offer/ })
    .click();
  return page.getByRole("dialog");
}

test("an offer is looked at, and one that is gone is said to be", async ({ page }) => {
  const lender = await Party.join(await giveSeed(page), LENDER_2);
  const { offerIds } = await offerHalfTheFloor(lender);
  const drawer = await openOffer(page);
  await expect(drawer).toContainText(/#\d+ of \d+/);
  await expect(drawer.getByRole("progressbar", { name: "Filled" })).toHaveAttribute("aria-valuenow", "0");
  await expect(drawer).toContainText("1 inscription");
  await expect(drawer).toContainText("Current LTV");
  await expect(page).toHaveURL(new RegExp(`offer=${offerIds[0]}`));
  await expectAccessible(page);
  await expectHistory(drawer);
  await expectAccessible(page);

  await drawer.getByRole("button", { name: "Cancel offer" }).click();
  await page
    .getByRole("dialog", { name: "Cancel this offer?" })
    .getByRole("button", { name: "Cancel offer" })
    .click();
  await expectToast(page, "Offer deleted");
  await expectToast(page, "Cannot view offer");
  await expect(page.getByText("No offers.", { exact: true })).toBeVisible();
});

test("a lender is told why the price stands still", async ({ page }) => {
  const lender = await Party.join(await giveSeed(page), LENDER_2);
  await offerHalfTheFloor(lender);
  // The demo sets its prices itself, so nobody is asked; the server's own answer to a held price is tested there.
  await page.route("**/api/v1/collections/*/price-source", (route) =>
    route.fulfill({
      json: { price: 1, sources: [], hold: { reason: "tooFewSources", found: 1, needed: 2 } },
    }),
  );
  const drawer = await openOffer(page);
  await expect(drawer).toContainText("1 of the 2 marketplaces that it takes tells one now");
  await expectAccessible(page);
});

/** Both figures are drawn, follow the keyboard, and stand in a table as well. */
async function expectHistory(drawer: Locator): Promise<void> {
  const history = drawer.getByRole("region", { name: "History" });
  const ltv = history.getByRole("slider", { name: "LTV over time" });
  await ltv.focus();
  await expect(ltv).toHaveAttribute("aria-valuetext", /^[\d.]+%, /);
  const last = Number(await ltv.getAttribute("aria-valuemax"));
  await ltv.press("Home");
  await expect(ltv).toHaveAttribute("aria-valuenow", "0");
  expect(await history.getByRole("row").count()).toBeGreaterThanOrEqual(last + 2);
  await history.getByRole("radio", { name: "Rank" }).click();
  await expect(history.getByRole("slider", { name: "Rank over time" })).toHaveAttribute(
    "aria-valuetext",
    /^#\d+, /,
  );
  await expect(history).toContainText("Seen by this page since");
}

function announceFor(offer: Record<string, unknown>): void {
  offer.loanProcessType = "Instant";
  offer.acceptsNextTerm = false;
  offer.newTermChangeRequest = {
    newTermId: "tc_1",
    previousInterestRate: offer.interest,
    newInterestRate: 4.5,
    previousDays: offer.term,
    newDays: 30,
    changeDate: Date.now() + 5 * 86_400_000,
    hasTermChangePassed: false,
  };
}

/** Shows the lender's offers as instant ones whose terms are about to change. */
async function announceTerms(page: Page): Promise<void> {
  await page.routeWebSocket("**/api/v1/feed", (socket) => {
    const server = socket.connectToServer();
    server.onMessage((message) => {
      const frame = JSON.parse(String(message));
      if (frame.channel !== "me") return socket.send(message);
      // A delta carries the whole offer, so it would take the announcement back.
      for (const offer of frame.data?.offers ?? []) announceFor(offer);
      for (const { offer } of frame.ops ?? []) if (offer) announceFor(offer);
      socket.send(JSON.stringify(frame));
    });
  });
}

test("other terms are announced, refused by the server when they are none, and accepted", async ({
  page,
}) => {
  await announceTerms(page);
  const lender = await Party.join(await giveSeed(page), LENDER_2);
  await offerHalfTheFloor(lender);
  await page.goto("/portfolio");
  await signInAs(page, "Lender 2");
  await page
    .locator("[data-offer]")
    .getByRole("button", { name: /^Update offer/ })
    .click();
  const dialog = page.getByRole("dialog", { name: "Accept new terms" });
  await expect(dialog).toContainText("the offer will be paused");
  const agreement = dialog.getByRole("checkbox");
  const accept = dialog.getByRole("button", { name: "Accept terms" });
  await expect(agreement).toBeChecked();
  await agreement.click();
  await expect(accept).toBeDisabled();
  await agreement.click();
  await expectAccessible(page);

  const sign = walletWindow(page, "Sign message");
  await accept.click();
  await sign.getByRole("button", { name: "Cancel" }).click();
  await expectToast(page, "Signature request was cancelled");
  await accept.click();
  await sign.getByRole("button", { name: "Sign", exact: true }).click();
  await expectToast(page, "Failed to accept new terms");

  // No operator announces terms during a test, so the server's yes is played.
  const offer = await lender.call<{ data: object[] }>("GET", "/api/v1/offers");
  await page.route("**/accept-term", (route) => route.fulfill({ json: { offer: offer.data[0] } }));
  await accept.click();
  await sign.getByRole("button", { name: "Sign", exact: true }).click();
  await expectToast(page, "Successfully accepted new terms");
  await expect(dialog).toHaveCount(0);
});
