import { RequestProblem } from "@/shared/api/problem";

const SCRIPT = "https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit";
const LOAD_TIMEOUT_MS = 15_000;

/** The codes by which the server demands a verification or rejects one. */
const VERIFICATION_CODES: Record<string, string> = {
  turnstile_required: "TURNSTILE_REQUIRED",
  turnstile_rate_limited: "TURNSTILE_RATE_LIMITED",
  turnstile_bot_detection: "TURNSTILE_BOT_DETECTION",
  turnstile_validation_failed: "TURNSTILE_VALIDATION_FAILED",
};

/** The name of the demand in a refusal; null for none. */
export function verificationCodeOf(error: unknown): string | null {
  return error instanceof RequestProblem ? (VERIFICATION_CODES[error.code] ?? null) : null;
}

/** The API that the provider's script puts on `window`. */
export interface Turnstile {
  render: (
    container: HTMLElement,
    options: {
      sitekey: string;
      action: string;
      theme: "auto" | "light" | "dark";
      callback: (token: string) => void;
      "error-callback": (code?: string) => void;
      "expired-callback": () => void;
    },
  ) => string | undefined;
  remove: (widgetId: string) => void;
}

declare global {
  interface Window {
    turnstile?: Turnstile;
  }
}

let loading: Promise<Turnstile> | null = null;

/**
 * Loads the provider's widget. Its script is requested only when a verification is demanded, and once; a
 * failure may be retried.
 */
export function loadTurnstile(): Promise<Turnstile> {
  if (window.turnstile) return Promise.resolve(window.turnstile);
  loading ??= fetchScript().catch((error: unknown) => {
    loading = null;
    throw error;
  });
  return loading;
}

function fetchScript(): Promise<Turnstile> {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = SCRIPT;
    script.async = true;
    const fail = () => {
      clearTimeout(timer);
      script.remove();
      reject(new Error("challenges.cloudflare.com could not be reached"));
    };
    const timer = setTimeout(fail, LOAD_TIMEOUT_MS);
    script.addEventListener("error", fail);
    script.addEventListener("load", () => {
      clearTimeout(timer);
      if (window.turnstile) resolve(window.turnstile);
      else fail();
    });
    document.head.append(script);
  });
}
