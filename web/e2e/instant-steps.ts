import { expect, type Locator, type Page } from "@playwright/test";
import { walletWindow } from "./wallet-steps";

/** The dialog in which instant offers for a collection are created. */
export async function openInstantDialog(
  page: Page,
  category: "ordinals" | "runes",
  slug: string,
): Promise<Locator> {
  await page.goto(`/lend/${category}?process=instant&collection=${slug}&view=lend`);
  const dialog = page.getByRole("dialog").first();
  await expect(dialog.getByLabel("Principal", { exact: true })).toBeVisible({ timeout: 30_000 });
  return dialog;
}

export async function refuseToSign(page: Page): Promise<void> {
  await walletWindow(page, "Sign message").getByRole("button", { name: "Cancel" }).click();
}

const SCRIPT = "https://challenges.cloudflare.com/turnstile/v0/api.js*";

/** The verification's script, which accepts every press of its button. */
export async function serveVerification(page: Page): Promise<void> {
  await page.route(SCRIPT, (route) =>
    route.fulfill({
      contentType: "text/javascript",
      body: `window.turnstile = {
        render(container, options) {
          const button = document.createElement("button");
          button.textContent = "I am a person";
          button.onclick = () => options.callback("token-for-" + options.sitekey + "-" + options.action);
          container.append(button);
          return "widget";
        },
        remove() {},
      };`,
    }),
  );
}

export async function withoutVerification(page: Page): Promise<void> {
  await page.route(SCRIPT, (route) => route.abort());
}
