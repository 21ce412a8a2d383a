import { acceptSockets } from "./socket-server.mjs";

const TICK_MS = 4;

/** Speaks the feed's protocol for one market. `sent` counts the deltas of the latest subscription. */
export function feedMarket(server, market, deltasPerSecond) {
  const feed = { sent: 0 };
  acceptSockets(server, (socket) => {
    let timer;
    socket.onText = (text) => {
      const { op, channel } = JSON.parse(text);
      if (op === "ping") socket.send(JSON.stringify({ type: "pong" }));
      if (op !== "subscribe" || channel !== "market") return;
      socket.send(market.snapshot());
      const started = performance.now();
      feed.sent = 0;
      clearInterval(timer);
      timer = setInterval(() => {
        const due = Math.floor(((performance.now() - started) / 1_000) * deltasPerSecond);
        for (; feed.sent < due; feed.sent += 1) socket.send(market.delta());
      }, TICK_MS);
    };
    socket.onClose = () => clearInterval(timer);
  });
  return feed;
}
