import type { Page } from "@playwright/test";
import { listAnotherBuild } from "../e2e/build-steps";

/** The page about the build, after the server was updated to another one. */
export async function showDifferentBuild(page: Page): Promise<void> {
  await listAnotherBuild(page);
  await page.goto("/build");
  await page.getByText("Different", { exact: true }).waitFor();
}
