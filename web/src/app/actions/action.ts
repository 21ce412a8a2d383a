import type { ComponentType } from "react";
import type { Session } from "@/shared/session/session-store";
import type { ThemeChoice } from "@/shared/theme/theme-store";

export type ActionGroup = "Go to" | "Actions" | "Appearance";

/** The context of an action. */
export interface ActionContext {
  session: Session | null;
  theme: ThemeChoice;
  goTo: (address: string) => void;
  choose: (theme: ThemeChoice) => void;
  openPalette: () => void;
  openHelp: () => void;
  connect: () => void;
  signOut: () => void;
  openVault: (tab: "fund" | "withdraw" | "history") => void;
  /** Whether there is a faucet for test coins. */
  hasFaucet: boolean;
  openFaucet: () => void;
  copy: (text: string, what: string) => void;
}

/** A user action as data: the source of buttons, shortcuts, the palette and the list of keys. */
export interface Action {
  id: string;
  label: string;
  group: ActionGroup;
  icon: ComponentType<{ size?: number; "aria-hidden"?: boolean; className?: string }>;
  /** Other words that the search finds it by. */
  keywords?: string;
  /** Keys in sequence, `g b`, or pressed together, `mod+k`, where `mod` is Command or Control. */
  keys?: string;
  /** Whether it is currently possible. */
  isOffered?: (context: ActionContext) => boolean;
  run: (context: ActionContext) => void;
}
