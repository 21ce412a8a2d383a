import { expect } from "@playwright/test";
import { openAs } from "./browser-session";
import { expectAccessible } from "./market-steps";
import { test } from "./market-test";
import { walletWindow } from "./wallet-steps";

test("a key is signed, shown once, used by a program, and revoked", async ({ page, playwright, baseURL }) => {
  await openAs(page, "/settings/sessions", "Lender 2");
  const keys = page.getByRole("region", { name: "API keys" });
  await expect(keys).toContainText("You have no API keys.");
  await keys.getByRole("button", { name: "Create a key" }).click();
  const form = page.getByRole("dialog", { name: "Create an API key" });
  await form.getByRole("button", { name: "Sign and create" }).click();
  await expect(form.getByText("1 to 32 letters, digits or signs, without spaces")).toBeVisible();
  await form.getByLabel("Name").fill("quoting-bot");
  await form.getByRole("checkbox", { name: "Create and edit offers" }).click();
  await form.getByLabel("Largest offer").fill("0.01");
  await form.getByLabel("Open at a time").fill("0.5");
  await form.getByLabel("Quoted in a day").fill("1");
  await form.getByLabel("Collections").fill("quiet-moons");
  await expectAccessible(page);
  await form.getByRole("button", { name: "Sign and create" }).click();
  const signing = walletWindow(page, "Sign message");
  for (const line of [
    "Lienbook: create api key",
    "Name: quoting-bot",
    "Scope: quote",
    "Collection: quiet-moons",
  ]) {
    await expect(signing).toContainText(line);
  }
  await signing.getByRole("button", { name: "Sign", exact: true }).click();
  const shown = page.getByRole("dialog", { name: "Your API key" });
  const secret = await shown.getByLabel("Secret").inputValue();
  expect(secret).toMatch(/^lbk_[0-9a-f]+_[\w-]{43}$/);
  await expectAccessible(page);
  await shown.getByRole("button", { name: "I have stored it" }).click();
  await expect(keys).toContainText("quoting-bot");
  await expect(keys).toContainText("Only in quiet-moons");
  await expect(page.locator("body")).not.toContainText(secret);

  // A program has no cookies and no page, only the secret.
  const program = await playwright.request.newContext({ baseURL });
  const headers = { authorization: `Bearer ${secret}` };
  expect((await program.get("/api/v1/offers", { headers })).status()).toBe(200);
  expect((await program.get("/api/v1/sessions", { headers })).status()).toBe(403);

  await keys.getByRole("button", { name: "Revoke quoting-bot" }).click();
  await page
    .getByRole("dialog", { name: "Revoke quoting-bot?" })
    .getByRole("button", { name: "Revoke" })
    .click();
  await expect(keys).toContainText("Revoked");
  expect((await program.get("/api/v1/offers", { headers })).status()).toBe(401);
  await expectAccessible(page);
  await program.dispose();
});
