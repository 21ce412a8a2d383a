import type { Page } from "@playwright/test";

/** A state of the app to capture: the steps from a fresh browser to it. */
export interface Screen {
  /** Names the pictures, `NAME-WIDTH-THEME.png`. */
  name: string;
  show: (page: Page) => Promise<unknown>;
}

export function screen(name: string, show: Screen["show"]): Screen {
  return { name, show };
}
