import { toast } from "sonner";

/** Errors stay twice as long as good news: there is more to read, and something to do about it. */
const SUCCESS_MS = 4_000;
const ERROR_MS = 8_000;

/** Toasts, with the durations the product promises. Each returns the toast's id. */
export const notify = {
  success: (title: string, description?: string) =>
    toast.success(title, { description, duration: SUCCESS_MS }),
  warning: (title: string, description?: string) => toast.warning(title, { description, duration: ERROR_MS }),
  error: (title: string, description?: string) => toast.error(title, { description, duration: ERROR_MS }),
};
