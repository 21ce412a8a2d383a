import type { Page } from "@playwright/test";

interface Listed {
  webFiles: Array<{ path: string; sha256: string }>;
}

/** Has the server list another hash of the app's first script and none of its styles, as another build would. */
export async function listAnotherBuild(page: Page): Promise<void> {
  await page.route("**/api/v1/build", async (route) => {
    const response = await route.fetch();
    const build = (await response.json()) as Listed;
    build.webFiles = build.webFiles
      .filter(({ path }) => !path.endsWith(".css"))
      .map((file) => (/^assets\/index-.*\.js$/.test(file.path) ? { ...file, sha256: "0".repeat(64) } : file));
    await route.fulfill({ response, json: build });
  });
}
