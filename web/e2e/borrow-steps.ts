import { expect, type Locator, type Page } from "@playwright/test";
import { originOf } from "./browser-session";
import { RETRIES } from "./retries";
import { walletWindow } from "./wallet-steps";

interface FaucetAnswer {
  inscriptionId: string | null;
  amount: string;
}

/** Sends a request with the page's own session, where the screens are not under test. */
export async function callApi<Answer>(
  page: Page,
  method: "GET" | "POST" | "DELETE",
  path: string,
  body?: unknown,
): Promise<Answer> {
  const origin = originOf(page);
  const refreshed = await page.request.post("/api/v1/session/refresh", {
    headers: { Origin: origin },
    maxRetries: RETRIES,
  });
  expect(refreshed.ok()).toBe(true);
  const { jwt } = (await refreshed.json()) as { jwt: string };
  const response = await page.request.fetch(path, {
    method,
    headers: { Authorization: `Bearer ${jwt}`, Origin: origin },
    maxRetries: RETRIES,
    ...(body === undefined ? {} : { data: body }),
  });
  expect(response.ok(), `${method} ${path}: ${response.status()}`).toBe(true);
  return response.status() === 204 ? (null as Answer) : ((await response.json()) as Answer);
}

/**
 * Gets an inscription, tokens or, without a collection, bitcoin from the demo's faucet, and waits for the
 * block.
 */
export async function takeFromFaucet(page: Page, kind: string, collection?: string): Promise<FaucetAnswer> {
  await page.getByRole("button", { name: /^Wallet / }).click();
  await page.getByRole("button", { name: "Get test coins" }).click();
  const dialog = page.getByRole("dialog", { name: "Demo faucet" });
  await dialog.getByRole("radio", { name: kind }).click();
  if (collection) await dialog.getByLabel("Collection").selectOption({ label: collection });
  const answer = page.waitForResponse((response) => response.url().endsWith("/devnet/faucet"));
  await dialog.getByRole("button", { name: "Get it" }).click();
  const received = (await (await answer).json()) as FaucetAnswer;
  await dialog.getByRole("contentinfo").getByRole("button", { name: "Close" }).click();
  await expect(dialog).toHaveCount(0);
  const headers = { Origin: originOf(page) };
  await page.request.post("/api/v1/devnet/mine", { headers, maxRetries: RETRIES });
  return received;
}

/** A collection with at least the given number of offers of a process, the one with the most first. */
export async function busyCollection(
  page: Page,
  type: "inscription" | "rune",
  process: "manual" | "instant",
): Promise<{ name: string; slug: string }> {
  const answer = await page.request.get("/api/v1/collections?limit=100", { maxRetries: RETRIES });
  const { data } = (await answer.json()) as {
    data: Array<{
      collateralType: string;
      collectionName: string;
      groupSlug: string;
      manual: { offerCount: number } | null;
      instant: { offerCount: number } | null;
    }>;
  };
  const found = data
    .filter(({ collateralType }) => collateralType === type)
    .sort((one, other) => (other[process]?.offerCount ?? 0) - (one[process]?.offerCount ?? 0))[0];
  if (!found) throw new Error("the market is empty");
  return { name: found.collectionName, slug: found.groupSlug };
}

/** Opens the borrow dialog of a collection by its URL. */
export async function openBorrowDialog(
  page: Page,
  { slug }: { slug: string },
  process: "manual" | "instant",
  category = "ordinals",
): Promise<Locator> {
  await page.goto(`/borrow/${category}?process=${process}&collection=${slug}`);
  const dialog = page.getByRole("dialog");
  const button = dialog.getByRole("button", { name: /^(Borrow|Submit)/ });
  await expect(button).toBeVisible({ timeout: 30_000 });
  // It opens with the other process where this one has no offers just then.
  const kind = dialog.getByRole("radio", { name: process === "instant" ? "Instant" : "Manual" });
  if (await kind.isVisible()) await kind.click();
  await expect(button).toBeVisible();
  return dialog;
}

/** Opens the borrow dialog of one offer from the order book, which opens at it. */
export async function openOffer(
  page: Page,
  offerId: string,
  { slug, category }: { slug: string; category: "ordinals" | "runes" | "brc-20" },
): Promise<Locator> {
  await page.goto(`/borrow/${category}?collection=${slug}&view=book&offer=${offerId}`);
  // By keyboard: a row may move before the pointer is down on it, but the focused one stays.
  await page.locator(`tr[data-line="${offerId}"]`).getByRole("button", { name: "Borrow" }).press("Enter");
  await expect(page.getByRole("region", { name: "Loan breakdown" })).toBeVisible();
  return page.getByRole("dialog").last();
}

/** Opens the summary of what will be signed, unless it is open. */
export async function openSummary(dialog: Locator, label: string | RegExp): Promise<Locator> {
  const summary = dialog.getByRole("region", { name: "What you sign" });
  if (!(await summary.isVisible())) await dialog.getByRole("button", { name: label }).click();
  await expect(summary).toBeVisible({ timeout: 30_000 });
  return summary;
}

/** Has the wallet asked to sign what is reviewed. */
export async function requestSignature(dialog: Locator, label: string | RegExp): Promise<void> {
  await openSummary(dialog, label);
  await dialog.getByRole("button", { name: /^Sign and borrow/ }).click();
}

export function inscriptionChoices(dialog: Locator): Locator {
  return dialog.getByRole("group", { name: /to pledge/ }).locator("input");
}

/** Approves a transaction in the wallet's own window. */
export async function approveTransaction(page: Page): Promise<void> {
  await walletWindow(page, "Sign transaction").getByRole("button", { name: "Sign", exact: true }).click();
}

async function stageOf(page: Page, inscriptionId: string | null): Promise<string | undefined> {
  type Loans = { data: Array<{ inscriptionId: string | null; stage: string }> };
  const { data } = await callApi<Loans>(page, "GET", "/api/v1/me/loans");
  return data.find((loan) => loan.inscriptionId === inscriptionId)?.stage;
}

/** Waits until the loan against an inscription is in one of the stages. */
export async function expectLoanStage(page: Page, inscriptionId: string | null, stages: string[]) {
  const expected = new RegExp(`^(${stages.join("|")})$`);
  await expect
    .poll(async () => (await stageOf(page, inscriptionId)) ?? "", { timeout: 60_000 })
    .toMatch(expected);
}

/** Waits until nothing is reserved for a loan against an inscription. */
export async function expectNoLoan(page: Page, inscriptionId: string | null) {
  await expect.poll(() => stageOf(page, inscriptionId), { timeout: 30_000 }).toBeUndefined();
}
