import { useEffect } from "react";
import { useWebSocket } from "react-use-websocket/dist/lib/use-websocket";
import { useSession } from "@/shared/session/session-store";
import { feed } from "./feed";
import { forgetOpenedOffers } from "./opened-offers";
import { reconnectDelayMs } from "./reconnect";
import { usePollingFallback } from "./use-polling-fallback";

const PING_INTERVAL_MS = 20_000;
const SILENCE_MAX_MS = 45_000;
/** A socket that takes longer than this to open counts as down, so that the polling fallback starts. */
const OPEN_WAIT_MS = 3_000;

/** Holds the one socket open while it is mounted. Renders nothing. */
export function FeedConnection() {
  const userId = useSession((state) => state.session?.userId ?? null);

  const { sendJsonMessage } = useWebSocket(socketUrl, {
    onOpen: () => feed.opened((frame) => sendJsonMessage(frame, false)),
    onClose: () => feed.closed(),
    onMessage: (event) => {
      if (typeof event.data === "string") feed.received(event.data);
    },
    // Messages go to the store, never through this component's state.
    filter: () => false,
    shouldReconnect: () => true,
    reconnectAttempts: Number.POSITIVE_INFINITY,
    reconnectInterval: (attempt) => reconnectDelayMs(attempt, Math.random()),
    retryOnError: true,
    heartbeat: {
      message: JSON.stringify({ op: "ping" }),
      interval: PING_INTERVAL_MS,
      timeout: SILENCE_MAX_MS,
    },
  });

  useEffect(() => {
    const timer = setTimeout(() => feed.unreachable(), OPEN_WAIT_MS);
    return () => clearTimeout(timer);
  }, []);

  useEffect(() => {
    if (userId === null) return;
    feed.read("me");
    return () => {
      feed.dropMe();
      forgetOpenedOffers();
    };
  }, [userId]);

  usePollingFallback(userId);
  return null;
}

function socketUrl(): string {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  return `${scheme}://${location.host}/api/v1/feed`;
}
