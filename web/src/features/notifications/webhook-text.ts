import type { BadgeTone } from "@/shared/ui/badge";
import type { Delivery, Webhook } from "./webhook-requests";

/** Why a URL cannot be a webhook, before the server is asked; null if it may be one. */
export function urlProblem(url: string): string | null {
  const trimmed = url.trim();
  if (trimmed === "") return "Enter the URL that your server answers at";
  if (!URL.canParse(trimmed)) return "This is not a URL such as https://example.org/hook";
  const { protocol, hostname, username, password, hash } = new URL(trimmed);
  if (protocol !== "https:" && !(protocol === "http:" && hostname === "127.0.0.1"))
    return "The URL must begin with https://";
  if (username !== "" || password !== "" || hash !== "")
    return "The URL must have no user name, password or fragment";
  return null;
}

/** The state of a webhook, and what its user can do. */
export function webhookState({ pauseReason }: Pick<Webhook, "pauseReason">): {
  label: string;
  tone: BadgeTone;
  why: string | null;
} {
  switch (pauseReason) {
    case null:
      return { label: "On", tone: "up", why: null };
    case "by_user":
      return { label: "Paused", tone: "neutral", why: null };
    case "failing":
      return {
        label: "Paused",
        tone: "down",
        why: "It accepted no events for three days. Resume it once its server works again.",
      };
    case "gone":
      return {
        label: "Paused",
        tone: "down",
        why: "It answered that it is gone (410). Resume it once its server works again.",
      };
  }
}

const FAILURE: Record<NonNullable<Delivery["failure"]>, string> = {
  address_refused: "Its host has no address in the public Internet",
  unreachable: "No connection, or no valid certificate",
  timed_out: "No answer in time",
  no_answer: "The connection was lost before an answer",
};

/** The result of the last attempt; null before the first. */
export function lastResult({ status, failure, durationMs }: Delivery): string | null {
  if (failure !== null) return FAILURE[failure];
  if (status === null) return null;
  return durationMs === null ? `Status ${status}` : `Status ${status} after ${durationMs} ms`;
}

/** The state of a delivery as a badge. */
export function deliveryBadge({ state }: Pick<Delivery, "state">): { label: string; tone: BadgeTone } {
  switch (state) {
    case "waiting":
      return { label: "Waiting", tone: "warn" };
    case "in_flight":
      return { label: "Sending", tone: "warn" };
    case "delivered":
      return { label: "Delivered", tone: "up" };
    case "failed":
      return { label: "Failed", tone: "down" };
    case "dropped":
      return { label: "Not sent", tone: "neutral" };
  }
}
