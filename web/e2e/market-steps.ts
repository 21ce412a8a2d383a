import AxeBuilder from "@axe-core/playwright";
import { expect, type Locator, type Page } from "@playwright/test";

/** The collections of the page: rows of the table, or cards on a phone. */
export function collections(page: Page): Locator {
  return page.locator("[data-row-index], main li:has(article)");
}

export function collectionName(row: Locator): Locator {
  return row.locator("[data-row-open]");
}

/** The full name of a collection, even when it is shown truncated. */
export async function nameOf(row: Locator): Promise<string> {
  return (await collectionName(row).getAttribute("title")) ?? "";
}

export async function openMarket(page: Page, address = "/borrow/ordinals"): Promise<void> {
  await page.goto(address);
  await expect(collections(page).first()).toBeVisible();
}

export async function expectLive(page: Page): Promise<void> {
  await expect(page.getByTestId("connection")).toHaveAttribute("data-status", "live");
}

/** Presses "Try again" until `shown` is: the page also retries by itself, and then the button is gone. */
export async function tryAgain(within: Page | Locator, shown: Locator): Promise<void> {
  const again = within.getByRole("button", { name: "Try again" });
  await expect(async () => {
    if (await again.isVisible()) await again.click({ timeout: 2_000 });
    await expect(shown).toBeVisible({ timeout: 2_000 });
  }).toPass({ timeout: 30_000 });
}

/** Checks the page for accessibility violations. */
export async function expectAccessible(page: Page): Promise<void> {
  // Colours are checked once nothing is dimmed or fading in; a number may flash at any time.
  await expectLive(page);
  await page.waitForFunction(() =>
    document.getAnimations().every((animation) => {
      const { iterations } = animation.effect?.getTiming() ?? {};
      const isFlash = animation instanceof CSSAnimation && animation.animationName.startsWith("flash-");
      return isFlash || iterations === Number.POSITIVE_INFINITY || animation.playState === "finished";
    }),
  );
  const { violations } = await new AxeBuilder({ page })
    .withTags(["wcag2a", "wcag2aa", "wcag21aa"])
    // They are at both ends of an open popup and pass on the focus they get.
    .exclude("[data-base-ui-focus-guard]")
    .analyze();
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" | ")}`);
  expect(found).toEqual([]);
}

/** The numbers of the page that change by themselves, with their change counters. */
export function changedNumbers(page: Page): Locator {
  return page.locator('[data-changes]:not([data-changes="0"])');
}
