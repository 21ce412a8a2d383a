import AxeBuilder from "@axe-core/playwright";
import { expect, type Page, test } from "@playwright/test";
import { SCREENS } from "./screens";

const FOLDER = "screenshots/taken";
const THEMES = ["dark", "light"] as const;

for (const { name, show } of SCREENS) {
  test(name, async ({ page }, info) => {
    await page.emulateMedia({ colorScheme: THEMES[0], reducedMotion: "reduce" });
    await show(page);
    for (const theme of THEMES) {
      await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
      await settle(page);
      await page.screenshot({ path: `${FOLDER}/${name}-${info.project.name}-${theme}.png` });
      expect.soft(await widthBeyondWindow(page), `${theme}: nothing reaches out of the window`).toBe(0);
      expect.soft(await accessibilityViolations(page), `${theme}: axe finds nothing`).toEqual([]);
    }
  });
}

/** Fonts and images are loaded, and fades have finished. */
async function settle(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await document.fonts.ready;
    const shown = [...document.images].filter((image) => image.loading !== "lazy" || image.complete);
    await Promise.all(shown.map((image) => image.decode().catch(() => undefined)));
  });
  await page.waitForTimeout(400);
}

function widthBeyondWindow(page: Page): Promise<number> {
  return page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - window.innerWidth));
}

async function accessibilityViolations(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page })
    .withTags(["wcag2a", "wcag2aa", "wcag21aa"])
    // They are at both ends of an open popup and pass on the focus they get.
    .exclude("[data-base-ui-focus-guard]")
    .analyze();
  return violations.map(
    ({ id, nodes }) =>
      `${id}, ${nodes.length} times: ${nodes.map((node) => node.target.join(" ")).slice(0, 3)}`,
  );
}
