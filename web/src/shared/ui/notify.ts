import { showToast } from "./toasts";

/** Errors stay twice as long as successes: they are longer and need a reaction. */
const SUCCESS_MS = 4_000;
const ERROR_MS = 8_000;

/** Toasts with their standard durations. */
export const notify = {
  success: (title: string, description?: string) =>
    showToast({ kind: "success", title, description, duration: SUCCESS_MS }),
  warning: (title: string, description?: string) =>
    showToast({ kind: "warning", title, description, duration: ERROR_MS }),
  error: (title: string, description?: string) =>
    showToast({ kind: "error", title, description, duration: ERROR_MS }),
};
