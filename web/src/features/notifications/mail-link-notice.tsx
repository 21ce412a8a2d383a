import { useQueryClient } from "@tanstack/react-query";
import { CircleAlert, CircleCheck, MailQuestion } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useLocation, useNavigate } from "react-router";
import { Button } from "@/shared/ui/button";
import { type MailLink, mailLinkOf } from "./mail-link";
import { type MailTask, runMailTask } from "./notification-requests";

type Outcome = { name: "asked" } | { name: "doing" } | { name: "done" } | { name: "failed"; why: string };

const PROGRESS_TEXT: Record<MailTask, string> = {
  verify: "Verifying your address...",
  unsubscribe: "Ending...",
};
const DONE: Record<MailTask, { title: string; text: string }> = {
  verify: {
    title: "Your address is verified",
    text: "The notifications you chose are sent there from now on.",
  },
  unsubscribe: {
    title: "This address is unsubscribed",
    text: "It was deleted from the server. You still see notifications in the app.",
  },
};
const FAILED: Record<MailTask, string> = {
  verify: "Your address could not be verified",
  unsubscribe: "The address could not be unsubscribed",
};

/** Carries out the task of a link from a mail: verifies at once, and asks before it ends anything. */
export function MailLinkNotice() {
  const { hash, pathname } = useLocation();
  const navigate = useNavigate();
  const [link, setLink] = useState<MailLink | null>(null);
  // The token is removed from the URL, where it would stay in the history and could be shared by accident.
  useEffect(() => {
    const found = mailLinkOf(hash);
    if (!found) return;
    setLink(found);
    navigate(pathname, { replace: true });
  }, [hash, pathname, navigate]);
  return link && <MailTaskNotice key={link.token} {...link} />;
}

function MailTaskNotice({ task, token }: MailLink) {
  const queries = useQueryClient();
  const [outcome, setOutcome] = useState<Outcome>({ name: "asked" });
  const isStarted = useRef(false);

  async function action() {
    setOutcome({ name: "doing" });
    try {
      await runMailTask(task, token);
      setOutcome({ name: "done" });
      await queries.invalidateQueries({ queryKey: ["notifications"] });
    } catch (error) {
      setOutcome({
        name: "failed",
        why: error instanceof Error ? error.message : "The server could not be reached",
      });
    }
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: once per link, regardless of renders.
  useEffect(() => {
    if (task !== "verify" || isStarted.current) return;
    isStarted.current = true;
    void action();
  }, []);

  switch (outcome.name) {
    case "asked":
      return task === "verify" ? null : (
        <Notice
          icon={<MailQuestion size={18} aria-hidden className="text-warn" />}
          title="Unsubscribe this address?"
          action={
            <Button size="small" onClick={() => void action()}>
              Unsubscribe
            </Button>
          }
        >
          A missed due date or counter-signature can cost you a loan: keep another channel.
        </Notice>
      );
    case "doing":
      return <Notice title={PROGRESS_TEXT[task]}>A moment, please.</Notice>;
    case "done":
      return (
        <Notice icon={<CircleCheck size={18} aria-hidden className="text-up" />} title={DONE[task].title}>
          {DONE[task].text}
        </Notice>
      );
    case "failed":
      return (
        <Notice
          icon={<CircleAlert size={18} aria-hidden className="text-down" />}
          title={FAILED[task]}
          action={
            <Button size="small" onClick={() => void action()}>
              Try again
            </Button>
          }
        >
          {outcome.why}
        </Notice>
      );
  }
}

function Notice({
  icon,
  title,
  action,
  children,
}: {
  icon?: ReactNode;
  title: string;
  action?: ReactNode;
  children: ReactNode;
}) {
  return (
    <div
      role="status"
      className="mb-5 flex min-h-14 items-center gap-3 rounded-card border border-line bg-surface px-4 py-2 text-sm"
    >
      {icon && <span className="shrink-0">{icon}</span>}
      <p className="min-w-0 flex-1">
        <span className="font-strong">{title}</span>
        <span className="block text-xs text-pretty text-muted">{children}</span>
      </p>
      {action}
    </div>
  );
}
