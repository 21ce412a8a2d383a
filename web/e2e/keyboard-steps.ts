import { expect, type Locator, type Page } from "@playwright/test";

const PRESSES_MAX = 120;

/** Elements that can be pressed, chosen or typed into. */
const CONTROLS =
  "a[href], button, input, select, textarea, summary, [role=button], [role=tab], [role=radio], [role=checkbox], [role=slider]";

/** Groups of which Tab reaches one control, and the arrow keys the others. */
const GROUPS = "[role=radiogroup], [role=tablist], [role=listbox], fieldset";

interface Walk {
  /** Controls that no key reaches. */
  missed: string[];
  /** Controls that got the focus without a visible sign. */
  unseen: string[];
  stops: number;
}

/** Tabs through everything, and verifies that every control gets the focus and shows it. */
export async function expectKeyboardReachesAll(page: Page, scope: Locator): Promise<void> {
  // A control that appeared during a walk may be behind it.
  await expect(() => walkAll(page, scope)).toPass({ timeout: 40_000 });
}

async function walkAll(page: Page, scope: Locator): Promise<void> {
  await scope.evaluate((root) => {
    Object.assign(window, { walked: new Set<Element>(), unseen: [] as string[] });
    root.setAttribute("data-walk", "");
  });
  for (let press = 0; press < PRESSES_MAX; press += 1) {
    await page.keyboard.press("Tab");
    if (!(await page.evaluate(recordFocus, CONTROLS))) break;
  }
  const walk = await page.evaluate(summary, { controls: CONTROLS, groups: GROUPS });
  await scope.evaluate((root) => root.removeAttribute("data-walk"));
  expect(walk.missed, "controls that no key leads to").toEqual([]);
  expect(walk.unseen, "controls that do not show the focus").toEqual([]);
  expect(walk.stops).toBeGreaterThan(0);
}

/** Opens a dialog by keyboard, tabs through it, and closes it by Escape: the focus returns to the opener. */
export async function expectKeyboardDialog(page: Page, opener: Locator, dialog: Locator): Promise<void> {
  await opener.focus();
  await page.keyboard.press("Enter");
  await expectKeyboardWalk(page, dialog);
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await expect(opener).toBeFocused();
}

/** Waits until an opened dialog has the focus: before that, keys go elsewhere. */
export async function expectFocusIn(dialog: Locator): Promise<void> {
  await expect(dialog).toBeVisible();
  await expect.poll(() => dialog.evaluate((node) => node.contains(document.activeElement))).toBe(true);
}

/** Waits until an opened dialog has the focus, and tabs through it. */
export async function expectKeyboardWalk(page: Page, dialog: Locator): Promise<void> {
  await expectFocusIn(dialog);
  await expectKeyboardReachesAll(page, dialog);
}

/** Records the focused element. False once it was recorded before, or the focus has left the page. */
function recordFocus(controls: string): boolean {
  const { walked, unseen } = window as unknown as { walked: Set<Element>; unseen: string[] };
  const focused = document.activeElement;
  if (focused === null || focused === document.body) return walked.size === 0;
  if (focused.hasAttribute("data-base-ui-focus-guard")) return true;
  if (walked.has(focused)) return false;
  walked.add(focused);
  if (!focused.closest("[data-walk]") || !focused.matches(controls)) return true;
  const around: Element[] = [focused];
  for (let level = 0; level < 3 && around[0]?.parentElement; level += 1)
    around.unshift(around[0].parentElement);
  const isShown = [...around, ...(focused.parentElement?.children ?? [])].some((element) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    return outlineStyle !== "none" && Number.parseFloat(outlineWidth) > 0;
  });
  if (!isShown) unseen.push(focused.outerHTML.slice(0, 160));
  return true;
}

function summary({ controls, groups }: { controls: string; groups: string }): Walk {
  const { walked, unseen } = window as unknown as { walked: Set<Element>; unseen: string[] };
  const isVisible = (element: Element) =>
    element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
    !element.closest("[inert], [aria-hidden=true]") &&
    !element.matches(":disabled, [aria-disabled=true], [data-disabled], [tabindex='-1'][type=file]");
  const isReached = (element: Element): boolean => {
    if (walked.has(element)) return true;
    // A hidden input that carries the value of its control, or a control in a group.
    const group = element.closest(groups);
    const shares = (other: Element) => group?.contains(other) || element.parentElement?.contains(other);
    const isPart = group !== null || element.matches("input[aria-hidden], input[tabindex='-1']");
    return isPart && [...walked].some(shares);
  };
  const all = [...document.querySelectorAll("[data-walk]")].flatMap((root) => [
    ...root.querySelectorAll(controls),
  ]);
  return {
    missed: all
      .filter((element) => isVisible(element) && !isReached(element))
      .map((element) => element.outerHTML.slice(0, 160)),
    unseen,
    stops: walked.size,
  };
}
