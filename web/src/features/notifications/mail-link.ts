import type { MailTask } from "./notification-requests";

/** The task of a link from a mail. */
export interface MailLink {
  task: MailTask;
  token: string;
}

/** Parses the fragment of the URL; null when it is not from a mail. */
export function mailLinkOf(hash: string): MailLink | null {
  const match = /^#(verify|unsubscribe)=([\w-]{1,200})$/.exec(hash);
  return match ? { task: match[1] as MailTask, token: match[2] ?? "" } : null;
}
