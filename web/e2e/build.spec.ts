import { createHash } from "node:crypto";
import { expect, type Page } from "@playwright/test";
import { listAnotherBuild } from "./build-steps";
import { expectAccessible } from "./market-steps";
import { test } from "./market-test";

function result(page: Page) {
  return page.getByRole("region", { name: "What your browser has loaded" }).getByRole("status");
}

test("the files that the page has loaded are those that the server lists", async ({ page }) => {
  const loaded = new Set<string>();
  page.on("response", (response) => {
    const { pathname } = new URL(response.url());
    if (/\.(js|css)$/.test(pathname)) loaded.add(pathname);
  });
  await page.goto("/guide");
  await page.getByRole("link", { name: "This build" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "This build" })).toBeVisible();
  await expect(result(page)).toContainText("Equal");
  // Each file that came over the network is among them; later ones may have been loaded meanwhile.
  const compared = Number((await result(page).textContent())?.match(/All (\d+) files/)?.[1]);
  expect(compared).toBeGreaterThan(5);
  await page.getByRole("button", { name: "Compare again" }).click();
  await expect(result(page)).toContainText(`All ${loaded.size} files are those that the server lists.`);
  expect(compared).toBeLessThanOrEqual(loaded.size);
});

test("the page shows the hashes that the server reports", async ({ page, request }) => {
  const build = await (await request.get("/api/v1/build")).json();
  await page.goto("/build");
  const server = page.getByRole("region", { name: "What the server says it is" });
  await expect(server).toContainText(build.webSha256);
  await expect(server).toContainText(build.binarySha256);
  await expect(server).toContainText(build.version);
  // The hash of the app is that of its list, as sha256sum writes it.
  const lines = build.webFiles.map(
    (file: { sha256: string; path: string }) => `${file.sha256}  ${file.path}\n`,
  );
  expect(createHash("sha256").update(lines.join("")).digest("hex")).toBe(build.webSha256);
});

test("files that the server does not list are named as different, with what to do", async ({ page }) => {
  await listAnotherBuild(page);
  await page.goto("/build");
  await expect(result(page)).toContainText("Different");
  await expect(result(page)).toContainText(/\/assets\/index-[\w-]+\.js/);
  await expect(result(page)).toContainText(/\/assets\/[\w-]+\.css/);
  await expect(result(page)).toContainText("sign nothing here");
  await page.unroute("**/api/v1/build");
  await page.getByRole("button", { name: "Reload the page" }).click();
  await expect(result(page)).toContainText("Equal");
});

test("a file that was changed on its way is different", async ({ page }) => {
  await page.route("**/assets/build-page-*.js", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: `${await response.text()}\n;` });
  });
  await page.goto("/build");
  await expect(result(page)).toContainText("1 of ");
  await expect(result(page)).toContainText(/\/assets\/build-page-[\w-]+\.js/);
});

test("without the server's report, or without a file, nothing is claimed", async ({ page }) => {
  await page.route("**/api/v1/build", (route) => route.fulfill({ status: 404, json: {} }));
  await page.goto("/build");
  await expect(page.getByText("The server's build could not be fetched")).toBeVisible();
  await expect(page.getByText("Equal", { exact: true })).toHaveCount(0);
  await page.unroute("**/api/v1/build");
  await page.route("**/api/v1/build", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), webFiles: [] } });
  });
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(result(page)).toContainText("The files could not be compared");
});

test("the page is found by keyboard, from the command palette", { tag: "@desktop" }, async ({ page }) => {
  await page.goto("/guide");
  const palette = page.getByRole("combobox");
  // Before the app has started nothing listens to keys.
  await expect(async () => {
    await page.keyboard.press("ControlOrMeta+k");
    await expect(palette).toBeVisible({ timeout: 5_000 });
  }).toPass();
  await palette.fill("This build");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/build$/);
  await expect(result(page)).toContainText("Equal");
  await page.getByRole("button", { name: "Compare again" }).focus();
  await page.keyboard.press("Enter");
  await expect(result(page)).toContainText("Equal");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("button", { name: "Copy: Program, SHA-256" })).toBeFocused();
});

for (const theme of ["dark", "light"] as const) {
  test(`the page is accessible in the ${theme} theme, and nothing is wider than it`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    await listAnotherBuild(page);
    await page.goto("/build");
    await expect(result(page)).toContainText("Different");
    await expectAccessible(page);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
  });
}
