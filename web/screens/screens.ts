import type { Page } from "@playwright/test";
import { openBook, slugWithOffers } from "../e2e/book-steps";
import { openInstantDialog } from "../e2e/instant-steps";
import { openLendDialog } from "../e2e/lend-steps";
import { extremeRows, manyRows, showMarketOf } from "../e2e/market-of";
import { openMarket } from "../e2e/market-steps";
import { startOutage } from "../e2e/outages";
import { openVaultDialog } from "../e2e/vault-steps";
import { chooseDevWallet } from "../e2e/wallet-steps";
import { showDepth } from "./book-depth";
import { showDifferentBuild } from "./builds";
import {
  cancelAllOffers,
  cancelOffer,
  counterSignLoan,
  decideLoan,
  deleteOffers,
  editOffer,
  passVerification,
  showMissingCoin,
  signLoan,
  signSeveralOffers,
} from "./decisions";
import { showHalt } from "./halts";
import { showLenderDay } from "./lender-day";
import {
  acceptCounterOffer,
  acceptExtension,
  bookWithNegotiations,
  extendAsAgreed,
  makeCounterOffer,
  proposeExtension,
  showNegotiations,
} from "./negotiations";
import {
  openNotices,
  openOwnLoan,
  viewOffer,
  viewOfferHistory,
  viewOfferOfHeldPrice,
  viewOfferWithoutCoin,
  withLimitedOffers,
  withOffers,
  withRunningLoan,
  withWaitingLoan,
} from "./own-loans";
import {
  bookWithPeg,
  fillInInstantPeg,
  fillInPeg,
  fillInTokenPeg,
  viewPeggedOffer,
  withPeggedOffers,
} from "./pegs";
import { bookWithOwnOffer, viewUnlistedOffer } from "./private-offers";
import { chooseInstantOffer, fillInOrder, listCheaperOffer } from "./refinances";
import { fillFirstRequest, fillInRequest, showOwnRequest } from "./requests";
import { type Screen, screen } from "./screen";
import {
  borrowWithSeveral,
  fillInRequestForSeveral,
  fillRequestForSeveral,
  openLoanOfSeveral,
  reviewLoanOfSeveral,
} from "./several-inscriptions";
import {
  addRefusedAddress,
  chooseInscription,
  chooseRunes,
  fillInstantOffers,
  funded,
  openFaucet,
  openWalletMenu,
  refuseReview,
  reviewLoan,
  signedIn,
} from "./signed-in";
import {
  openFundedVault,
  openNewVault,
  openUncheckedVault,
  openVaultOfOtherKeys,
  openVaultToMove,
} from "./vaults";

/** Every screen, and every state of one that looks different. */
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
  screen("market-node-away", (page) =>
    startOutage(page, "node").then(() => openMarket(page, "/borrow/ordinals")),
  ),
  screen("market-halted", (page) => showHalt(page).then(() => openMarket(page))),
  screen("portfolio-indexer-away", (page) =>
    startOutage(page, "indexer").then(() => signedIn(page, "Borrower 1")),
  ),
  screen("not-found", (page) => page.goto("/borrow/nothing")),
  screen("book", (page) => openBook(page)),
  screen("book-instant", (page) => openBook(page, "ordinals", "instant")),
  screen("book-runes", (page) => openBook(page, "runes", "instant")),
  screen("book-brc-20", (page) => openBook(page, "brc-20")),
  screen("book-depth", (page) => showDepth(page)),
  screen("book-linked", (page) => openLink(page, "book", "&offer=of_10000000001")),
  screen("book-unlisted", (page) => page.goto("/borrow/ordinals?collection=never-was&view=book")),
  screen("book-loading", (page) => withoutBook(page).then(() => openLink(page, "book"))),
  screen("book-trouble", (page) => withRefusedBook(page).then(() => openLink(page, "book"))),
  screen("connect", (page) =>
    page.goto("/portfolio?tab=offers").then(() => press(page.getByRole("banner"), "Connect")),
  ),
  screen("connect-account", (page) => page.goto("/portfolio?tab=offers").then(() => chooseDevWallet(page))),
  screen("lend-signed-out", (page) => openLendDialog(page)),
  screen("lend", (page) => funded(page, "Lender 1").then(() => openLendDialog(page))),
  screen("lend-conditions", (page) =>
    funded(page, "Lender 1")
      .then(() => openLendDialog(page))
      .then(({ dialog }) => dialog.getByRole("radio", { name: "Conditions" }).click()),
  ),
  screen("lend-pegged", (page) => fillInPeg(page)),
  screen("lend-pegged-wrong", (page) => fillInPeg(page, true)),
  screen("lend-pegged-tokens", (page) => fillInTokenPeg(page)),
  screen("lend-pegged-instant", (page) => fillInInstantPeg(page)),
  screen("portfolio-pegged-offers", (page) => withPeggedOffers(page)),
  screen("portfolio-pegged-offer", (page) => viewPeggedOffer(page)),
  screen("book-pegged", (page) => bookWithPeg(page)),
  screen("book-for-you", (page) => bookWithOwnOffer(page)),
  screen("portfolio-offer-unlisted", (page) => viewUnlistedOffer(page)),
  screen("requests", (page) => page.goto("/requests")),
  screen("requests-own", (page) => showOwnRequest(page)),
  screen("request-form", (page) => fillInRequest(page)),
  screen("request-fill", (page) => fillFirstRequest(page)),
  screen("request-form-several", (page) => fillInRequestForSeveral(page)),
  screen("request-fill-several", (page) => fillRequestForSeveral(page)),
  screen("borrow-several", (page) => borrowWithSeveral(page)),
  screen("borrow-several-review", (page) => reviewLoanOfSeveral(page)),
  screen("portfolio-loan-several", (page) => openLoanOfSeveral(page)),
  screen("portfolio-negotiation", (page) => showNegotiations(page)),
  screen("counter-offer", (page) => makeCounterOffer(page)),
  screen("counter-offer-accept", (page) => acceptCounterOffer(page)),
  screen("extension-proposal", (page) => proposeExtension(page)),
  screen("extension-accept", (page) => acceptExtension(page)),
  screen("extension-agreed", (page) => extendAsAgreed(page)),
  screen("book-negotiated", (page) => bookWithNegotiations(page)),
  screen("lend-unfunded", (page) => signedIn(page, "Lender 1").then(() => openLendDialog(page))),
  screen("lend-several", (page) => funded(page, "Lender 1").then(() => openSeveralBundles(page))),
  screen("lend-instant-signed-out", (page) => openInstantDialog(page, "ordinals", "quiet-moons")),
  screen("lend-instant", (page) => fillInstantOffers(page, "one")),
  screen("lend-instant-several", (page) => fillInstantOffers(page, "several")),
  screen("lend-instant-signing", (page) => signSeveralOffers(page)),
  screen("lend-instant-verification", (page) => passVerification(page)),
  screen("lend-edit", (page) => editOffer(page)),
  screen("detail", (page) => openDetail(page, "ordinals")),
  screen("detail-volume", (page) =>
    openDetail(page, "ordinals").then(() => page.getByRole("tab", { name: "Volume" }).click()),
  ),
  screen("detail-no-prices", (page) => withoutPrices(page).then(() => openLink(page, "detail"))),
  screen("detail-failed", (page) =>
    withoutCode(page, "collection-dialog").then(() => openLink(page, "detail")),
  ),
  screen("detail-runes", (page) => openDetail(page, "runes")),
  screen("borrow-instant", (page) => chooseInscription(page, "instant")),
  screen("borrow-instant-review", (page) => reviewLoan(page, "instant")),
  screen("borrow-instant-halted", (page) => showHalt(page).then(() => chooseInscription(page, "instant"))),
  screen("borrow-instant-refused", (page) => refuseReview(page, "instant")),
  screen("borrow-instant-signing", (page) => signLoan(page)),
  screen("borrow-manual", (page) => chooseInscription(page, "manual")),
  screen("borrow-manual-review", (page) => reviewLoan(page, "manual")),
  screen("borrow-runes", (page) => chooseRunes(page)),
  screen("borrow-brc-20", (page) => signedIn(page, "Borrower 1").then(() => openBrc20(page))),
  screen("vault", (page) => signedIn(page, "Lender 1").then(() => openVaultDialog(page))),
  screen("vault-new", (page) => openNewVault(page)),
  screen("vault-other-keys", (page) => openVaultOfOtherKeys(page)),
  screen("vault-unchecked", (page) => openUncheckedVault(page)),
  screen("vault-funded", (page) => openFundedVault(page)),
  screen("vault-to-move", (page) => openVaultToMove(page)),
  screen("vault-halted", (page) => showHalt(page).then(() => openFundedVault(page))),
  screen("portfolio-offers", (page) => withOffers(page)),
  screen("portfolio-offer", (page) => viewOffer(page)),
  screen("portfolio-offer-held-price", (page) => viewOfferOfHeldPrice(page)),
  screen("portfolio-offer-missing-coin", (page) => viewOfferWithoutCoin(page)),
  screen("portfolio-offer-history", (page) => viewOfferHistory(page)),
  screen("portfolio-loans", (page) => withRunningLoan(page, "/portfolio?tab=loans")),
  screen("portfolio-loan", (page) => openOwnLoan(page)),
  screen("portfolio-offer-cancel", (page) => cancelOffer(page)),
  screen("portfolio-offers-delete", (page) => deleteOffers(page)),
  screen("portfolio-offers-cancel-all", (page) => cancelAllOffers(page)),
  screen("portfolio-loan-repay", (page) => decideLoan(page, "Repay")),
  screen("portfolio-loan-extend", (page) => decideLoan(page, "Extend")),
  screen("portfolio-loan-refinance", (page) => decideLoan(page, "Refinance")),
  screen("refinance-instant", (page) => chooseInstantOffer(page)),
  screen("refinance-order", (page) => fillInOrder(page)),
  screen("refinance-cheaper", (page) => listCheaperOffer(page)),
  screen("portfolio-counter-sign", (page) => counterSignLoan(page)),
  screen("portfolio-exact-coin", (page) => showMissingCoin(page)),
  screen("portfolio-pending", (page) => withWaitingLoan(page)),
  screen("portfolio-pending-request", (page) =>
    showOwnRequest(page).then(() => page.goto("/portfolio/pending")),
  ),
  screen("portfolio-history", (page) =>
    signedIn(page, "Lender 1").then(() => page.goto("/portfolio?tab=history")),
  ),
  screen("portfolio-overview", (page) => withRunningLoan(page, "/portfolio?tab=overview")),
  screen("portfolio-lender-day", (page) => showLenderDay(page)),
  screen("notices", (page) => openNotices(page)),
  screen("settings", (page) => signedIn(page, "Lender 1").then(() => page.goto("/settings/notifications"))),
  screen("settings-sessions", (page) =>
    signedIn(page, "Lender 1")
      .then(() => page.goto("/settings/sessions"))
      .then(() => page.getByText("This browser").waitFor()),
  ),
  screen("settings-refused", (page) => addRefusedAddress(page)),
  screen("page-failed", (page) =>
    withoutCode(page, "notifications-page").then(() => page.goto("/settings/notifications")),
  ),
  screen("wallet-menu", (page) => openWalletMenu(page)),
  screen("faucet", (page) => openFaucet(page)),
  screen("guide", (page) => page.goto("/guide")),
  screen("guide-borrowing", (page) => page.goto("/guide/borrowing")),
  screen("guide-lending", (page) => page.goto("/guide/lending")),
  screen("guide-recovery", (page) => page.goto("/guide/recovery")),
  screen("privacy", (page) => page.goto("/privacy")),
  screen("privacy-signed-in", (page) => signedIn(page, "Lender 1").then(() => page.goto("/privacy"))),
  screen("this-build", (page) => page.goto("/build")),
  screen("this-build-different", showDifferentBuild),
  screen("palette", (page) => openMarket(page).then(() => press(page, "Search commands and collections"))),
  screen("shortcuts", (page) => openMarket(page).then(() => page.keyboard.press("?"))),
  screen("portfolio-signed-out", (page) => page.goto("/portfolio?tab=offers")),
  screen("portfolio-empty", (page) =>
    signedIn(page, "Lender 1").then(() => page.goto("/portfolio?tab=offers")),
  ),
  screen("portfolio-limited", withLimitedOffers),
  screen("portfolio-limits", (page) => withLimitedOffers(page).then(() => press(page, "Change limits"))),
];

async function openDetail(page: Page, category: "ordinals" | "runes"): Promise<void> {
  await page.goto(`/borrow/${category}?collection=${await slugWithOffers(page, category)}&view=detail`);
  await page.getByTestId("price-read-out").waitFor();
}

/** A dialog of a collection with offers, in any state. */
async function openLink(page: Page, view: "book" | "detail", more = ""): Promise<void> {
  await page.goto(`/borrow/ordinals?collection=${await slugWithOffers(page)}&view=${view}${more}`);
  await page.getByRole("dialog").waitFor();
}

async function openBrc20(page: Page): Promise<void> {
  await page.goto(`/borrow/brc-20?collection=${await slugWithOffers(page, "brc-20")}`);
  await page
    .getByRole("region", { name: "BRC-20 collateral" })
    .getByText("Balance", { exact: true })
    .waitFor();
}

/** Manual lending for two sizes of one token's bundles. */
async function openSeveralBundles(page: Page): Promise<void> {
  await page.goto(`/lend/brc-20?collection=${await slugWithOffers(page, "brc-20")}`);
  await page.getByRole("group", { name: "Bundle size" }).getByRole("button").nth(1).click();
}

async function press(within: Pick<Page, "getByRole">, name: string | RegExp): Promise<void> {
  await within.getByRole("button", { name }).first().click();
}

/** The socket opens and sends nothing. */
async function withoutAnswers(page: Page): Promise<void> {
  await page.routeWebSocket("**/api/v1/feed", () => undefined);
}

/** The book of a collection is requested and never arrives. */
async function withoutBook(page: Page): Promise<void> {
  await page.routeWebSocket("**/api/v1/feed", (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((message) => {
      if (!String(message).includes('"book:')) server.send(message);
    });
  });
}

async function withRefusedBook(page: Page): Promise<void> {
  await page.routeWebSocket("**/api/v1/feed", (socket) => socket.close());
  await page.route("**/orderbook", (route) => route.fulfill({ status: 404, json: {} }));
}

async function withoutPrices(page: Page): Promise<void> {
  await page.route("**/price-history?range=*", (route) =>
    route.fulfill({ json: { data: [], priceChange: null } }),
  );
}

async function withoutCode(page: Page, part: string): Promise<void> {
  await page.route(`**/assets/${part}*`, (route) => route.abort());
}

async function withoutSocket(page: Page): Promise<void> {
  await page.routeWebSocket("**/api/v1/feed", (socket) => socket.close());
}

async function withoutServer(page: Page): Promise<void> {
  await withoutSocket(page);
  await page.route("**/api/v1/collections*", (route) => route.fulfill({ status: 404, json: {} }));
}
