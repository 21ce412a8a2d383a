import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { configQuery } from "@/shared/api/config";
import { useTheme } from "@/shared/theme/theme-store";
import { Button } from "@/shared/ui/button";
import { Modal } from "@/shared/ui/modal";
import { loadTurnstile } from "./turnstile";

/** Asks the user to prove that they are human. */
export function VerificationDialog({
  onToken,
  onCancel,
}: {
  onToken: (token: string) => void;
  onCancel: () => void;
}) {
  const { data: config } = useQuery(configQuery);
  const [attempt, setAttempt] = useState(0);
  const [problem, setProblem] = useState<string | null>(null);
  const botCheck = config?.botCheck ?? null;

  function retry() {
    setProblem(null);
    setAttempt((before) => before + 1);
  }

  return (
    <Modal
      open
      onClose={onCancel}
      title="Verification Required"
      footer={
        <div className="flex justify-end gap-2">
          <Button onClick={onCancel}>Cancel</Button>
          {problem && (
            <Button variant="primary" onClick={retry}>
              Try again
            </Button>
          )}
        </div>
      }
    >
      <div className="flex min-h-44 flex-col gap-4 px-5 py-5 text-sm">
        <p>Please complete the verification below to continue.</p>
        {problem ? (
          <p role="alert" className="rounded-control bg-down-tint px-3 py-2 text-down">
            The verification could not be shown: {problem}. Your signed offer is kept and nothing was sent. A
            network filter or a content blocker may be in the way.
          </p>
        ) : botCheck ? (
          <Widget key={attempt} {...botCheck} onToken={onToken} onProblem={setProblem} />
        ) : (
          <p role="alert" className="text-down">
            This server names no verification to complete. Please try again later.
          </p>
        )}
        <p className="text-xs text-muted">
          Cloudflare provides it and learns nothing about your offer. What you signed is submitted as soon as
          it is completed.
        </p>
      </div>
    </Modal>
  );
}

function Widget({
  siteKey,
  action,
  onToken,
  onProblem,
}: {
  siteKey: string;
  action: string;
  onToken: (token: string) => void;
  onProblem: (problem: string) => void;
}) {
  const container = useRef<HTMLDivElement>(null);
  const [isLoading, setIsLoading] = useState(true);
  const theme = useTheme((state) => state.choice);
  // The widget is rendered once, but must call the latest of these callbacks.
  const latest = useRef({ onToken, onProblem });
  latest.current = { onToken, onProblem };

  const show = useCallback(
    (isClosed: () => boolean) => {
      const fail = (reason: string) => !isClosed() && latest.current.onProblem(reason);
      let remove = () => {};
      loadTurnstile().then(
        (turnstile) => {
          if (isClosed() || !container.current) return;
          setIsLoading(false);
          const widget = turnstile.render(container.current, {
            sitekey: siteKey,
            action,
            theme: theme === "system" ? "auto" : theme,
            callback: (token) => latest.current.onToken(token),
            "error-callback": (code) => fail(code ? `the provider says ${code}` : "the provider failed"),
            "expired-callback": () => fail("it expired"),
          });
          if (widget) remove = () => turnstile.remove(widget);
        },
        (error: unknown) => fail(error instanceof Error ? error.message : "the script failed"),
      );
      return () => remove();
    },
    [siteKey, action, theme],
  );

  useEffect(() => {
    let isGone = false;
    const remove = show(() => isGone);
    return () => {
      isGone = true;
      remove();
    };
  }, [show]);

  return (
    <div className="flex min-h-18 flex-col justify-center">
      {isLoading && (
        <p role="status" className="text-muted">
          Fetching the verification from challenges.cloudflare.com
        </p>
      )}
      <div ref={container} />
    </div>
  );
}
