import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { AxeBuilder } from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";
import { slugWithOffers } from "./book-steps";
import { test } from "./market-test";

const LINK = "Borrow against this frog";

/** A site of its own origin, with one page; `port` 0 is any free one. */
async function openSite(port: number, html: string): Promise<{ url: string; server: Server }> {
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end(html);
  });
  await new Promise<void>((resolved, rejected) => {
    server.once("error", rejected).listen(port, "127.0.0.1", resolved);
  });
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** A page with the snippet for marketplaces, and a frame of the app beside it. */
function marketplace(market: string, slug: string): string {
  return `<!doctype html><html lang="en"><title>Frogs</title><main><h1>Frog 1</h1>
    <a href="${market}/borrow/ordinals?collection=${slug}" data-lienbook-collection="${slug}" data-lienbook-theme="light">${LINK}</a>
    <script src="${market}/embed.js"></script>
    <iframe id="app" title="App" src="${market}/borrow/ordinals"></iframe></main></html>`;
}

/** Collects the policies by which a frame is refused. */
function refusals(page: Page): string[] {
  const seen: string[] = [];
  page.on("console", (message) => {
    if (message.text().includes("frame-ancestors")) seen.push(message.text());
  });
  return seen;
}

test("a listed site frames the quote and nothing else, another site keeps its link", {
  tag: "@desktop",
}, async ({ page, baseURL }) => {
  const slug = await slugWithOffers(page);
  const html = marketplace(baseURL ?? "", slug);
  const sites = await Promise.all(
    [Number(process.env.LIENBOOK_FRAMING_PORT), 0].map((port) => openSite(port, html)),
  );
  try {
    const [listed = "", foreign = ""] = sites.map(({ url }) => url);
    const refused = refusals(page);
    const link = page.getByRole("link", { name: LINK });
    const frame = page.locator("iframe[title='Borrow against this frog']");

    await page.setViewportSize({ width: 375, height: 800 });
    await page.goto(listed);
    await expect(frame.contentFrame().locator("[data-state=quote]")).toContainText("No price liquidates");
    await expect(link).toBeHidden();
    const height = async () => (await frame.boundingBox())?.height ?? 0;
    const inside = frame.contentFrame().locator("main");
    const isFitting = async () => (await height()) - ((await inside.boundingBox())?.height ?? 0);
    await expect.poll(isFitting).toBeCloseTo(0, 0);
    const narrow = await height();
    // The page around the frame, or another one that has its window, cannot resize it by a message of its own.
    await page.evaluate(() => window.postMessage({ lienbook: "height", height: 1 }, "*"));
    await page.setViewportSize({ width: 768, height: 800 });
    await expect.poll(isFitting).toBeCloseTo(0, 0);
    expect(await height()).toBeLessThan(narrow);
    const { violations } = await new AxeBuilder({ page }).exclude("#app").analyze();
    expect(violations.map(({ id }) => id)).toEqual([]);
    await expect.poll(() => refused.length).toBe(1);
    expect(refused[0]).toContain("frame-ancestors 'none'");

    const [app] = await Promise.all([
      page.waitForEvent("popup"),
      frame
        .contentFrame()
        .getByRole("link", { name: /^Borrow [\d.]+ BTC$/ })
        .click(),
    ]);
    await expect(app).toHaveURL(new RegExp(`/borrow/ordinals\\?collection=${slug}`));
    await expect(app.getByRole("dialog")).toContainText("You receive");
    expect(await app.evaluate(() => window.opener)).toBeNull();

    await page.goto(foreign);
    await expect.poll(() => refused.some((text) => text.includes(`frame-ancestors ${listed}`))).toBe(true);
    await expect(link).toBeVisible();
    expect(await height()).toBe(0);
  } finally {
    for (const { server } of sites) {
      server.close();
      server.closeAllConnections();
    }
  }
});

test("without scripts the page of a collection is its text", { tag: "@desktop" }, async ({
  browser,
  page,
}) => {
  const slug = await slugWithOffers(page);
  const context = await browser.newContext({ javaScriptEnabled: false });
  const plain = await context.newPage();
  await plain.goto(`/borrow/ordinals?collection=${slug}`);
  await expect(plain.getByRole("heading", { level: 1 })).toContainText("Borrow against");
  await expect(plain.getByRole("table", { name: "Best offers" })).toContainText("BTC");
  await context.close();

  await page.goto(`/borrow/ordinals?collection=${slug}`);
  await expect(page.getByRole("dialog")).toBeVisible();
  await expect(page.locator(".public-page")).toHaveCount(0);
});
