import { createRequire } from "node:module";
import os from "node:os";

const { chromium } = createRequire(new URL("../../web/package.json", import.meta.url))("@playwright/test");

export function openBrowser() {
  return chromium.launch({
    executablePath: process.env.LIENBOOK_CHROMIUM ?? "/usr/bin/chromium",
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
}

/** The machine and the command of a measurement, as text. */
export function machineText(command, browser) {
  const time = new Date().toISOString().slice(0, 16).replace("T", " ");
  return `- \`${command}\` at ${time} UTC on ${os.cpus()[0].model.trim()}, ${os.cpus().length} cores, Chromium ${browser.version()}.`;
}

/** Whether the machine had other work, as text; `before` is the load when the measurement began. */
export function disturbanceText(before) {
  const after = os.loadavg()[0];
  return before > 1
    ? `- Disturbed: the machine's load was ${before.toFixed(1)} on ${os.cpus().length} cores before this measurement and ${after.toFixed(1)} at its end. Figures by the wall clock, frames a second among them, suffer from that.`
    : `- Undisturbed: the machine's load was ${before.toFixed(1)} before this measurement.`;
}
