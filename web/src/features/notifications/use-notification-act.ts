import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Notifications } from "./notification-requests";
import { notificationsQuery } from "./notification-requests";

interface NotificationAct {
  isBusy: boolean;
  /** Why the last one failed; null when it did not. */
  problem: string | null;
  /** Does one thing at a time, and shows what the server then says. */
  run: (act: () => Promise<Notifications | null>) => Promise<boolean>;
}

/** Changes how a person is told. */
export function useNotificationAct(userId: string): NotificationAct {
  const queries = useQueryClient();
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);

  async function run(act: () => Promise<Notifications | null>): Promise<boolean> {
    if (isBusy) return false;
    setIsBusy(true);
    setProblem(null);
    try {
      const { queryKey } = notificationsQuery(userId);
      // An answer to an earlier question would undo this one.
      await queries.cancelQueries({ queryKey });
      const answer = await act();
      if (answer) queries.setQueryData(queryKey, answer);
      return true;
    } catch (error) {
      setProblem(error instanceof Error ? error.message : "The server could not be reached");
      return false;
    } finally {
      setIsBusy(false);
    }
  }

  return { isBusy, problem, run };
}
