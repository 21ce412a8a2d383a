import { create } from "zustand";

/** A message that is shown for a while. */
export interface Toast {
  kind: "success" | "warning" | "error";
  title: string;
  description: string | undefined;
  /** In milliseconds. */
  duration: number;
}

/** The largest number of toasts that wait for their container. */
const WAITING_MAX = 20;

/** Toasts that wait for the code of their container, which takes them in order. */
export const useToasts = create<{ waiting: readonly Toast[] }>(() => ({ waiting: [] }));

export function showToast(toast: Toast): void {
  useToasts.setState(({ waiting }) => ({ waiting: [...waiting, toast].slice(-WAITING_MAX) }));
}

/** Removes and returns the toasts that wait. */
export function takeToasts(): readonly Toast[] {
  const { waiting } = useToasts.getState();
  if (waiting.length > 0) useToasts.setState({ waiting: [] });
  return waiting;
}
