import type { MailTask } from "./notification-requests";

/** What a link out of a mail asks this page for. */
export interface MailLink {
  task: MailTask;
  token: string;
}

/** Reads what stands behind the `#` of the address; null when that is nothing of a mail's. */
export function mailLinkOf(hash: string): MailLink | null {
  const match = /^#(verify|unsubscribe)=([\w-]{1,200})$/.exec(hash);
  return match ? { task: match[1] as MailTask, token: match[2] ?? "" } : null;
}
