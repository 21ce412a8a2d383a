import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Notifications } from "./notification-requests";
import { notificationsQuery } from "./notification-requests";

interface NotificationAction {
  isBusy: boolean;
  /** The error of the last action; null without one. */
  problem: string | null;
  /** Runs one action at a time, and shows the state that the server returns. */
  run: (action: () => Promise<Notifications | null>) => Promise<boolean>;
}

/** Changes the user's notification settings. */
export function useNotificationAction(userId: string): NotificationAction {
  const queries = useQueryClient();
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);

  async function run(action: () => Promise<Notifications | null>): Promise<boolean> {
    if (isBusy) return false;
    setIsBusy(true);
    setProblem(null);
    try {
      const { queryKey } = notificationsQuery(userId);
      // A response to an earlier query would revert this one.
      await queries.cancelQueries({ queryKey });
      const answer = await action();
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
