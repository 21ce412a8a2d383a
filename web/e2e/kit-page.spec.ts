import { readFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { AxeBuilder } from "@axe-core/playwright";
import { expect, type Page, test } from "@playwright/test";
import { base64, hex } from "@scure/base";
import { parsePsbt } from "../src/shared/bitcoin/transaction-flow";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const ADDRESS = pathToFileURL(at("../dist/lienbook-kit.html")).href;

interface Task {
  kit: string;
  nowSeconds: number;
  step: { coins?: { outpoint: string; sats: number }[] };
}
/** The tasks of the native code with its answers. */
const golden: Record<string, { question: Task; verdict: Record<string, string> }> = JSON.parse(
  readFileSync(at("../../engine/verifier/tests/verdicts/verdicts.golden.json"), "utf8"),
);

/** The private keys of the golden kits' parties. */
const BORROWER_KEY = new Uint8Array(32).fill(1);
const LENDER_KEY = new Uint8Array(32).fill(2);

/** Opens the page from disk at the time of the golden tasks, without a network. */
async function openPage(page: Page): Promise<{ requests: string[]; refusals: string[] }> {
  const seen = { requests: [] as string[], refusals: [] as string[] };
  page.on("request", (request) => {
    if (!request.url().startsWith("blob:")) seen.requests.push(request.url());
  });
  page.on("console", (message) => {
    if (/content security policy|refused to/i.test(message.text())) seen.refusals.push(message.text());
  });
  const [task] = Object.values(golden).flatMap(({ question }) => (question.kit ? [question] : []));
  await page.clock.setFixedTime((task?.nowSeconds ?? 0) * 1_000);
  await page.context().setOffline(true);
  await page.goto(ADDRESS);
  return seen;
}

async function chooseFile(page: Page, label: string, name: string, content: string | Buffer) {
  await page.getByLabel(label).setInputFiles({ name, mimeType: "", buffer: Buffer.from(content) });
}

async function openKit(page: Page, name: string): Promise<void> {
  await chooseFile(page, "Choose a kit", "kit.json", golden[name]?.question.kit ?? "");
  await expect(page.getByRole("region", { name: "Kit: kit.json" })).toBeVisible();
}

/** Enters the coins of a golden task and the fee rate, and makes the transaction. */
async function make(page: Page, transaction: string, what: string, task: string): Promise<string> {
  for (const [index, { outpoint, sats }] of (golden[task]?.question.step.coins ?? []).entries()) {
    await page.getByLabel(`Output of ${what} ${index + 1}`).fill(outpoint);
    await page.getByLabel(`Sats of ${what} ${index + 1}`).fill(String(sats));
  }
  await page.getByLabel("Fee rate").fill("5");
  await page.getByRole("button", { name: `Make ${transaction}` }).click();
  const psbt = page.getByRole("textbox", { name: "PSBT, in base64" });
  await expect(psbt).toHaveValue(golden[task]?.verdict.psbt ?? "");
  return psbt.inputValue();
}

function sign(psbt: string, key: Uint8Array): Uint8Array {
  const transaction = parsePsbt(psbt);
  transaction.sign(key);
  return transaction.toPSBT();
}

test("a borrower repays with the kit and the page alone", { tag: "@desktop" }, async ({ page }) => {
  const seen = await openPage(page);
  await openKit(page, "borrower's kit");
  const kit = page.getByRole("region", { name: "Kit: kit.json" });
  await expect(kit).toContainText("0.02065000 BTC");
  await expect(kit).toContainText("in 3 days");
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);

  const psbt = await make(page, "the repayment", "coin", "repayment with a kit");
  const unsigned = page.getByRole("region", { name: "The repayment, unsigned" });
  await expect(unsigned).toContainText("Principal and interest, to the lender");
  await expect(unsigned).toContainText("The inscription, to your ordinals address");
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save lienbook-repayment.psbt" }).click();
  expect(base64.encode(readFileSync(await (await saved).path()))).toBe(psbt);

  await chooseFile(page, "Choose the signed PSBT", "signed.psbt", Buffer.from(sign(psbt, BORROWER_KEY)));
  await page.getByRole("button", { name: "Check and finish it" }).click();
  const finished = page.getByRole("region", { name: "The repayment, ready" });
  await expect(finished).toContainText(golden["signed repayment with a kit"]?.verdict.txid ?? "");
  await expect(finished).toContainText('bitcoin-cli sendrawtransaction "$(cat lienbook-repayment.hex)"');
  const transaction = await finished.getByRole("textbox", { name: "Transaction" }).inputValue();
  expect(hex.decode(transaction).length).toBeGreaterThan(400);
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
  expect(seen).toEqual({ requests: [ADDRESS], refusals: [] });
});

test("a lender claims, and leaves a vault", { tag: "@desktop" }, async ({ page }) => {
  await openPage(page);
  await openKit(page, "lender's kit");
  const claim = await make(page, "the claim", "coin", "claim with a kit");
  await expect(page.getByRole("region", { name: "The claim, unsigned" })).toContainText("Too early");
  await page.getByLabel("Or paste it").fill(base64.encode(sign(claim, LENDER_KEY)));
  await page.getByRole("button", { name: "Check and finish it" }).click();
  await expect(page.getByRole("region", { name: "The claim, ready" })).toContainText(
    golden["signed claim with a kit"]?.verdict.txid ?? "",
  );

  await openKit(page, "vault's kit");
  const exit = await make(page, "the exit", "output", "exit with a kit");
  await page.getByLabel("Or paste it").fill(hex.encode(sign(exit, LENDER_KEY)));
  await page.getByRole("button", { name: "Check and finish it" }).click();
  await expect(page.getByRole("region", { name: "The exit, ready" })).toContainText(
    golden["signed exit with a kit"]?.verdict.txid ?? "",
  );
});

test("what does not fit is refused in words", { tag: "@desktop" }, async ({ page }) => {
  await openPage(page);
  const alert = page.getByRole("alert").filter({ visible: true });
  await chooseFile(page, "Choose a kit", "photo.json", "x".repeat((1 << 20) + 1));
  await expect(alert).toContainText("it is another file");
  await chooseFile(page, "Choose a kit", "other.json", '{"kit": "<img src=x>"}');
  await expect(alert).toContainText('"<img src=x>", which is not supported');
  const tampered = (golden["borrower's kit"]?.question.kit ?? "").replace(/"home": "[^"]*"/, '"home": "x"');
  await chooseFile(page, "Choose a kit", "kit.json", tampered);
  await expect(alert).toContainText("home");
  await expect(page.getByRole("button", { name: "Make the repayment" })).toHaveCount(0);

  await openKit(page, "borrower's kit");
  await page.getByRole("button", { name: "Make the repayment" }).click();
  await expect(alert).toContainText("Enter a fee rate");
  await page.getByLabel("Fee rate").fill("5");
  await page.getByLabel("Output of coin 1").fill("abc");
  await page.getByRole("button", { name: "Make the repayment" }).click();
  await expect(alert).toContainText("Coin 1");
  await page.getByRole("button", { name: "Remove coin 1" }).click();
  await page.getByRole("button", { name: "Make the repayment" }).click();
  await expect(alert).toContainText("name further coins");
  const unsigned = golden["repayment with a kit"]?.verdict.psbt ?? "";
  await page.getByLabel("Or paste it").fill(unsigned);
  await page.getByRole("button", { name: "Check and finish it" }).click();
  await expect(alert.filter({ hasText: "signature" })).toContainText("is missing");
});
