import type { Page } from "@playwright/test";
import { baseURL } from "../playwright.config";

/** What the demo can be without, for one visitor. */
type Part = "node" | "indexer" | "signer" | "bot-check";

const COOKIE = "lienbook_outage";

/** Takes a part of the demo's world away from this page's visitor, and from nobody else. */
export async function takeAway(page: Page, part: Part): Promise<void> {
  // The address that the test is at, which may be a market of its own.
  const url = page.url().startsWith("http") ? new URL(page.url()).origin : baseURL;
  await page.context().addCookies([{ name: COOKIE, value: part, url }]);
}

export async function giveBack(page: Page): Promise<void> {
  await page.context().clearCookies({ name: COOKIE });
}
