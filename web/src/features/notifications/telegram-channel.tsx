import { useState } from "react";
import { Badge } from "@/shared/ui/badge";
import { Button, buttonClass } from "@/shared/ui/button";
import { useNow } from "@/shared/ui/use-now";
import { Channel } from "./channel";
import { linkTelegram, type Notifications, type TelegramLink, unlinkTelegram } from "./notification-requests";
import { useNotificationAction } from "./use-notification-action";

const SECOND_MS = 1_000;

/** The Telegram channel: a chat with the server's bot. */
export function TelegramChannel({
  userId,
  telegram,
}: {
  userId: string;
  telegram: Notifications["telegram"];
}) {
  const action = useNotificationAction(userId);
  const [link, setLink] = useState<TelegramLink | null>(null);
  const now = useNow(SECOND_MS);
  const isOpen = link !== null && link.expiresAt > now;

  async function requestLink() {
    await action.run(async () => {
      setLink(await linkTelegram());
      return null;
    });
  }

  if (!telegram.isAvailable) {
    return (
      <Channel name="Telegram" badge={<Badge>Not available</Badge>}>
        This server has no Telegram bot.
      </Channel>
    );
  }
  if (telegram.isLinked) {
    return (
      <Channel
        name="Telegram"
        badge={<Badge tone="up">Linked</Badge>}
        problem={action.problem}
        actions={
          <Button
            size="small"
            disabled={action.isBusy}
            onClick={() => {
              setLink(null);
              void action.run(unlinkTelegram);
            }}
          >
            Unlink
          </Button>
        }
      >
        Messages come in your chat with {telegram.botName === null ? "the bot" : `@${telegram.botName}`}.
      </Channel>
    );
  }
  return (
    <Channel
      name="Telegram"
      badge={isOpen ? <Badge tone="warn">Waiting for you</Badge> : <Badge>Off</Badge>}
      problem={action.problem}
      actions={
        isOpen ? (
          <a
            href={link.url}
            target="_blank"
            rel="noreferrer noopener"
            className={buttonClass({ size: "small" })}
          >
            Open the chat
          </a>
        ) : (
          <Button size="small" disabled={action.isBusy} onClick={() => void requestLink()}>
            Link a chat
          </Button>
        )
      }
    >
      {isOpen
        ? "Open the chat with the bot and press Start there. The link is personal, works once and expires after 15 minutes."
        : "A chat with this server's bot. It sees only the messages you send to it."}
    </Channel>
  );
}
