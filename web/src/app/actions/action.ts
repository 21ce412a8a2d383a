import type { ComponentType } from "react";
import type { Session } from "@/shared/session/session-store";
import type { ThemeChoice } from "@/shared/theme/theme-store";

export type ActionGroup = "Go to" | "Do" | "Look";

/** What an action can reach. */
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
  /** Test coins are given out here. */
  hasFaucet: boolean;
  openFaucet: () => void;
  copy: (text: string, what: string) => void;
}

/** Something a person can do, as data: buttons, shortcuts, the palette and the list of keys are all made of it. */
export interface Action {
  id: string;
  label: string;
  group: ActionGroup;
  icon: ComponentType<{ size?: number; "aria-hidden"?: boolean; className?: string }>;
  /** Other words a person may look for it by. */
  words?: string;
  /** Keys in their order, `g b`, or pressed together, `mod+k`, where `mod` is Command or Control. */
  keys?: string;
  /** Whether it can be done now. */
  isOffered?: (context: ActionContext) => boolean;
  run: (context: ActionContext) => void;
}
