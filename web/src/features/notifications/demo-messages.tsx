import { queryOptions, useQuery } from "@tanstack/react-query";
import { Mail, Send } from "lucide-react";
import * as v from "valibot";
import { request } from "@/shared/api/request";
import { text, timeMs } from "@/shared/api/wire";
import { formatAge, formatMoment } from "@/shared/format/age";
import { useNow } from "@/shared/ui/use-now";
import { linkedText } from "./linked-text";

const RENEWED_MS = 4_000;
const SECOND_MS = 1_000;

const body = v.pipe(v.string(), v.maxLength(20_000));
const mails = v.object({ data: v.array(v.object({ at: timeMs, to: text, subject: text, text: body })) });
const chat = v.object({ data: v.array(v.object({ at: timeMs, text: body })) });

interface Message {
  at: number;
  channel: "mail" | "chat";
  /** The beginning of its text. */
  subject: string;
  text: string;
}

/** All messages that the demo sent to the user, the latest first. */
function demoMessagesQuery(userId: string) {
  return queryOptions({
    queryKey: ["demo-post", userId],
    queryFn: async ({ signal }): Promise<Message[]> => {
      const [mail, telegram] = await Promise.all([
        request("GET", "/api/v1/devnet/mail", mails, { signal }),
        request("GET", "/api/v1/devnet/telegram", chat, { signal }),
      ]);
      const letters = mail.data.map(({ at, to, subject, text }): Message => {
        return { at, channel: "mail", subject: subject, text: `To ${to}\n\n${text}` };
      });
      const messages = telegram.data.map(({ at, text }): Message => {
        return { at, channel: "chat", subject: text.split("\n", 1)[0] ?? "", text };
      });
      return [...letters, ...messages].sort((one, other) => other.at - one.at);
    },
    refetchInterval: RENEWED_MS,
  });
}

/** The mailbox and the chat of a demo, where no message leaves the machine. */
export function DemoMessages({ userId }: { userId: string }) {
  const { data: messages } = useQuery(demoMessagesQuery(userId));
  const now = useNow(SECOND_MS);
  return (
    <section className="mt-5 rounded-card border border-line bg-surface px-5 py-4">
      <h2 className="text-base">Messages of this demo</h2>
      {messages === undefined || messages.length === 0 ? (
        <p className="mt-2 text-sm text-pretty text-muted">
          Nothing yet. Emails and messages of a demo never leave the machine it runs on: enter any address and
          read them here.
        </p>
      ) : (
        <ul className="mt-2">
          {messages.map((message) => (
            <li
              key={`${message.channel}/${message.at}/${message.subject}`}
              className="border-t border-line first:border-t-0"
            >
              <details className="text-sm">
                <summary className="flex cursor-pointer items-center gap-3 py-3">
                  {message.channel === "mail" ? (
                    <Mail size={16} role="img" aria-label="Mail" className="shrink-0 text-muted" />
                  ) : (
                    <Send size={16} role="img" aria-label="Telegram" className="shrink-0 text-muted" />
                  )}
                  <span className="min-w-0 flex-1 truncate">{message.subject}</span>
                  <time
                    dateTime={new Date(message.at).toISOString()}
                    title={formatMoment(message.at)}
                    className="shrink-0 text-xs text-muted"
                  >
                    {formatAge(message.at, now)}
                  </time>
                </summary>
                <p className="pb-3 text-xs break-words whitespace-pre-wrap text-soft">
                  {linkedText(message.text).map(({ at, text, href }) =>
                    href === null ? (
                      text
                    ) : (
                      <a key={at} href={href} className="break-all text-text underline underline-offset-2">
                        {text}
                      </a>
                    ),
                  )}
                </p>
              </details>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
