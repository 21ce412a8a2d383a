import * as v from "valibot";
import { request } from "@/shared/api/request";
import { FeedClient } from "./feed-client";
import { useFeedStore } from "./feed-store";

/** A hidden tab paints no frames, so frames are applied at this interval. */
const HIDDEN_FLUSH_MS = 1_000;

const ticketAnswer = v.object({ ticket: v.pipe(v.string(), v.maxLength(500)) });

/** The app's one feed client. */
export const feed = new FeedClient({
  getState: useFeedStore.getState,
  setState: useFeedStore.setState,
  onNextFrame: (callback) => {
    if (document.hidden) setTimeout(callback, HIDDEN_FLUSH_MS);
    else requestAnimationFrame(callback);
  },
  fetchTicket: async () => (await request("POST", "/api/v1/feed/ticket", ticketAnswer)).ticket,
  now: Date.now,
});
