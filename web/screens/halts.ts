import type { Page } from "@playwright/test";
import type { components } from "../src/shared/api/schema.gen";

const HALT: components["schemas"]["HaltView"] = {
  scope: "new_loans",
  since: Date.UTC(2026, 10, 5, 9, 30),
  reason: "Two indexers disagree about the inscriptions of a block. We look into it.",
};

/** Shows new loans as halted, at a market whose loans go on. */
export async function showHalt(page: Page): Promise<void> {
  await page.routeWebSocket("**/api/v1/feed", (socket) => {
    const server = socket.connectToServer();
    server.onMessage((message) => {
      const frame = JSON.parse(String(message));
      if (frame.channel === "halts" && frame.type === "snapshot") frame.data.halts = [HALT];
      socket.send(JSON.stringify(frame));
    });
  });
}
