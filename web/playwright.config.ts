import { existsSync } from "node:fs";
import { defineConfig, devices } from "@playwright/test";

// The server is started beforehand; the tests only need its address.
export const baseURL = process.env.LIENBOOK_URL ?? "http://127.0.0.1:8080";
/**
 * The source of blocks and gifts: the demo's own endpoint, or a service that controls the chain of another
 * market.
 */
export const devnetURL = process.env.LIENBOOK_DEVNET ?? "/api/v1/devnet";

/** Chromium without the parts of a desktop browser, which takes a third less processor time. */
const shell = "/usr/bin/chromium-headless-shell";

export const launchOptions = {
  executablePath: process.env.LIENBOOK_CHROMIUM ?? (existsSync(shell) ? shell : "/usr/bin/chromium"),
  args: [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
};
/** The whole browser, for what the shell lacks: notifications. */
export const wholeBrowser = {
  ...launchOptions,
  executablePath: process.env.LIENBOOK_CHROMIUM ?? "/usr/bin/chromium",
};

/** What runs elsewhere than on desktop: in the project `phone`, or in the market on Bitcoin Core and ord. */
const notOnDesktop = /@phone|@core-and-ord/;
/**
 * What runs on a phone in every test run: the flows in which money moves, and whatever a phone lays out in another way. The
 * project `phone-rest` has the other tests, which run each night.
 */
const onPhoneEachRun = /@phone|accessible|\b(borrow-ordinals|instant|lend|loans|modal|sign-in|vault)\.spec/;
/**
 * What runs on desktop each night only (`desktop-rest`): screens in which no money moves, except that they are accessible. The
 * live numbers of these screens have a file of their own, `feed.spec.ts`.
 */
const onDesktopEachNight =
  /^(?!.*accessible).*\b(collection|embed|guide|keyboard|loan-history|market|notifications|privacy|push|shell)\.spec/;
const desktop = {
  ...devices["Desktop Chrome"],
  viewport: { width: 1280, height: 800 },
  launchOptions,
  // Drawing animations takes a third of the processor time of a test. The tests on a phone have them.
  contextOptions: { reducedMotion: "reduce" as const },
};
const phone = {
  ...devices["Pixel 7"],
  viewport: { width: 375, height: 812 },
  launchOptions,
};

export default defineConfig({
  testDir: "./e2e",
  fullyParallel: false,
  workers: 1,
  retries: 0,
  // Generous, because a loaded machine is slow and a passing test does not wait.
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: [["list"]],
  // An element that never appears fails its own step, not minutes later the whole test.
  // Recording a trace takes a quarter of the time of a run, so a test that fails is run again with --trace=on.
  use: {
    baseURL,
    launchOptions,
    trace: "off",
    screenshot: "only-on-failure",
    actionTimeout: 30_000,
  },
  projects: [
    {
      name: "desktop",
      grepInvert: [notOnDesktop, onDesktopEachNight],
      use: desktop,
    },
    {
      name: "desktop-rest",
      grep: onDesktopEachNight,
      grepInvert: notOnDesktop,
      use: desktop,
    },
    {
      name: "phone",
      grep: onPhoneEachRun,
      grepInvert: /@desktop|@core-and-ord/,
      use: phone,
    },
    {
      name: "phone-rest",
      grepInvert: [/@desktop|@core-and-ord/, onPhoneEachRun],
      use: phone,
    },
  ],
});
