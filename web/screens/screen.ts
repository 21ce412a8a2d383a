import type { Page } from "@playwright/test";

/** A state of the app worth a look: what to do in a fresh browser until it is there. */
export interface Screen {
  /** Names the pictures, `NAME-WIDTH-THEME.png`. */
  name: string;
  show: (page: Page) => Promise<unknown>;
}

export function screen(name: string, show: Screen["show"]): Screen {
  return { name, show };
}
