import type { Page } from "@playwright/test";
import { baseURL } from "../playwright.config";

/** The parts of the demo that can fail for one visitor. */
type Part = "node" | "indexer" | "signer" | "bot-check";

const COOKIE = "lienbook_outage";

/** Makes a part of the demo fail for this page's visitor only. */
export async function startOutage(page: Page, part: Part): Promise<void> {
  // The URL of the test's market, which may be one of its own.
  const url = page.url().startsWith("http") ? new URL(page.url()).origin : baseURL;
  await page.context().addCookies([{ name: COOKIE, value: part, url }]);
}

export async function endOutage(page: Page): Promise<void> {
  await page.context().clearCookies({ name: COOKIE });
}
