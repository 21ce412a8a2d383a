import AxeBuilder from "@axe-core/playwright";
import { expect, type Locator, type Page } from "@playwright/test";

/** Where the collections are: rows of the table, or cards on a phone. */
export function collections(page: Page): Locator {
  return page.locator("[data-row-index], main li:has(article)");
}

export function collectionName(row: Locator): Locator {
  return row.locator("[data-row-open]");
}

/** The whole name of a collection, however much of it is shown. */
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

/** Nothing that a person who uses a keyboard or a screen reader would stumble over. */
export async function expectAccessible(page: Page): Promise<void> {
  // Colours are judged once nothing is dimmed or half faded in. In a busy market a number always flashes somewhere.
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
    // They stand at both ends of an open popup and pass on the focus they get.
    .exclude("[data-base-ui-focus-guard]")
    .analyze();
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" | ")}`);
  expect(found).toEqual([]);
}

/** Every number of the page that changes by itself has counted its changes. */
export function changedNumbers(page: Page): Locator {
  return page.locator('[data-changes]:not([data-changes="0"])');
}
