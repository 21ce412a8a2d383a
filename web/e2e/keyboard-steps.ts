import { expect, type Locator, type Page } from "@playwright/test";

const PRESSES_MAX = 120;

/** What can be pressed, chosen or typed into. */
const CONTROLS =
  "a[href], button, input, select, textarea, summary, [role=button], [role=tab], [role=radio], [role=checkbox], [role=slider]";

/** One press of Tab leads to one of these, and the arrow keys to the others beside it. */
const GROUPS = "[role=radiogroup], [role=tablist], [role=listbox], fieldset";

interface Walk {
  /** Controls that no key leads to. */
  missed: string[];
  /** Controls that got the focus and did not show it. */
  unseen: string[];
  stops: number;
}

/** Goes round by Tab, and proves that every control there is gets the focus and shows it. */
export async function expectKeyboardReachesAll(page: Page, scope: Locator): Promise<void> {
  // What arrived while a walk was under way may have come behind it.
  await expect(() => walkAll(page, scope)).toPass({ timeout: 40_000 });
}

async function walkAll(page: Page, scope: Locator): Promise<void> {
  await scope.evaluate((root) => {
    Object.assign(window, { walked: new Set<Element>(), unseen: [] as string[] });
    root.setAttribute("data-walk", "");
  });
  for (let press = 0; press < PRESSES_MAX; press += 1) {
    await page.keyboard.press("Tab");
    if (!(await page.evaluate(takeStop, CONTROLS))) break;
  }
  const walk = await page.evaluate(summary, { controls: CONTROLS, groups: GROUPS });
  await scope.evaluate((root) => root.removeAttribute("data-walk"));
  expect(walk.missed, "controls that no key leads to").toEqual([]);
  expect(walk.unseen, "controls that do not show the focus").toEqual([]);
  expect(walk.stops).toBeGreaterThan(0);
}

/** Opens something by the keyboard, goes round in it, and closes it by Escape: the focus is back where it was. */
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

/** Waits until an opened dialog has the focus, and goes round in it. */
export async function expectKeyboardWalk(page: Page, dialog: Locator): Promise<void> {
  await expectFocusIn(dialog);
  await expectKeyboardReachesAll(page, dialog);
}

/** Notes what has the focus now. False once it has been there before, or has left the page. */
function takeStop(controls: string): boolean {
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
  const isThere = (element: Element) =>
    element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
    !element.closest("[inert], [aria-hidden=true]") &&
    !element.matches(":disabled, [aria-disabled=true], [data-disabled], [tabindex='-1'][type=file]");
  const isReached = (element: Element): boolean => {
    if (walked.has(element)) return true;
    // A box that only carries the value of the control beside it, or a control in a group.
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
      .filter((element) => isThere(element) && !isReached(element))
      .map((element) => element.outerHTML.slice(0, 160)),
    unseen,
    stops: walked.size,
  };
}
