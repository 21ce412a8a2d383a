import { toast } from "sonner";

/** Errors stay twice as long as successes: they are longer and need a reaction. */
const SUCCESS_MS = 4_000;
const ERROR_MS = 8_000;

/** Toasts with their standard durations. Each function returns the toast's id. */
export const notify = {
  success: (title: string, description?: string) =>
    toast.success(title, { description, duration: SUCCESS_MS }),
  warning: (title: string, description?: string) => toast.warning(title, { description, duration: ERROR_MS }),
  error: (title: string, description?: string) => toast.error(title, { description, duration: ERROR_MS }),
};
