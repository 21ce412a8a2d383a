import type { Page } from "@playwright/test";
import { openBook } from "../e2e/book-steps";
import { openLendDialog } from "../e2e/lend-steps";
import { extremeRows, manyRows, showMarketOf } from "../e2e/market-of";
import { openMarket } from "../e2e/market-steps";
import { chooseDevWallet, signInAs } from "../e2e/wallet-steps";
import { type Screen, screen } from "./screen";

/** Every screen, and every state of one that looks different. A line adds another. */
export const SCREENS: Screen[] = [
  screen("market", (page) => openMarket(page, "/lend/ordinals")),
  screen("market-borrow", (page) => openMarket(page, "/borrow/ordinals")),
  screen("market-instant", (page) => openMarket(page, "/borrow/ordinals?process=instant")),
  screen("market-runes", (page) => openMarket(page, "/borrow/runes")),
  screen("market-runes-instant", (page) => openMarket(page, "/lend/runes?process=instant&volume=total")),
  screen("market-brc-20", (page) => openMarket(page, "/borrow/brc-20")),
  screen("market-filtered", (page) => openMarket(page, "/borrow/ordinals?filters=has-offers&q=o&sort=-ltv")),
  screen("market-filters", (page) => openMarket(page).then(() => press(page, /^Filters/))),
  screen("market-volumes", (page) => openMarket(page).then(() => press(page, /^Volumes/))),
  screen("market-nothing-found", (page) => page.goto("/borrow/ordinals?q=there+is+none")),
  screen("market-empty", (page) => showMarketOf(page, () => []).then(() => page.goto("/lend/brc-20"))),
  screen("market-one", (page) => showMarketOf(page, (rows) => rows.slice(0, 1)).then(() => openMarket(page))),
  screen("market-extremes", (page) => showMarketOf(page, extremeRows).then(() => openMarket(page))),
  screen("market-2000", (page) => showMarketOf(page, manyRows(2_000)).then(() => openMarket(page))),
  screen("market-loading", (page) => withoutAnswers(page).then(() => page.goto("/borrow/ordinals"))),
  screen("market-offline", (page) => withoutSocket(page).then(() => openMarket(page))),
  screen("market-trouble", (page) => withoutServer(page).then(() => page.goto("/borrow/ordinals"))),
  screen("not-found", (page) => page.goto("/borrow/nothing")),
  screen("book", (page) => openBook(page)),
  screen("book-instant", (page) => openBook(page, "ordinals", "instant")),
  screen("book-runes", (page) => openBook(page, "runes", "instant")),
  screen("book-brc-20", (page) => openBook(page, "brc-20")),
  screen("book-unlisted", (page) => page.goto("/borrow/ordinals?collection=never-was&view=book")),
  screen("connect", (page) => page.goto("/portfolio").then(() => press(page.getByRole("banner"), "Connect"))),
  screen("connect-account", (page) => page.goto("/portfolio").then(() => chooseDevWallet(page))),
  screen("lend-signed-out", (page) => openLendDialog(page)),
  screen("lend", (page) => signedIn(page, "Lender 1").then(() => openLendDialog(page))),
  screen("portfolio-signed-out", (page) => page.goto("/portfolio")),
  screen("portfolio-empty", (page) => signedIn(page, "Lender 1").then(() => page.goto("/portfolio"))),
];

async function signedIn(page: Page, account: string): Promise<void> {
  await page.goto("/portfolio");
  await signInAs(page, account);
}

async function press(within: Pick<Page, "getByRole">, name: string | RegExp): Promise<void> {
  await within.getByRole("button", { name }).first().click();
}

/** The socket opens and says nothing. */
async function withoutAnswers(page: Page): Promise<void> {
  await page.routeWebSocket("**/api/v1/feed", () => undefined);
}

async function withoutSocket(page: Page): Promise<void> {
  await page.routeWebSocket("**/api/v1/feed", (socket) => socket.close());
}

async function withoutServer(page: Page): Promise<void> {
  await withoutSocket(page);
  await page.route("**/api/v1/collections*", (route) => route.fulfill({ status: 404, json: {} }));
}
