import { useCallback, useEffect, useRef, useState } from "react";
import { useNavigate } from "react-router";
import { askToConnect, signOut } from "@/features/wallet/wallet-session";
import { useSession } from "@/shared/session/session-store";
import { useTheme } from "@/shared/theme/theme-store";
import { IconButton } from "@/shared/ui/button";
import { copyToClipboard } from "@/shared/ui/copy-to-clipboard";
import { lazyDialog } from "@/shared/ui/lazy-dialog";
import { notify } from "@/shared/ui/notify";
import type { Action, ActionContext } from "./action";
import { ACTIONS, actionById } from "./action-list";
import { chordOf, readKey, SEQUENCE_MS } from "./shortcut";

const CommandPalette = lazyDialog(() => import("./command-palette").then((module) => module.CommandPalette));
const ShortcutHelp = lazyDialog(() => import("./shortcut-help").then((module) => module.ShortcutHelp));

/** The button that finds everything to do, its dialogs, and the keys that work everywhere. Stands once on every page. */
export function Actions() {
  const [shown, setShown] = useState<"palette" | "help" | null>(null);
  // A dialog closes before what it started begins, so that the focus goes where it belongs.
  const close = useCallback(() => setShown(null), []);
  const context = useActionContext(setShown);
  useShortcuts(context);
  const palette = actionById("palette");
  return (
    <>
      <IconButton
        label={palette.label}
        aria-keyshortcuts="Control+K Meta+K"
        onPointerEnter={CommandPalette.preload}
        onClick={() => palette.run(context)}
      >
        <palette.icon size={18} aria-hidden />
      </IconButton>
      {shown === "palette" && <CommandPalette actions={ACTIONS} context={context} onClose={close} />}
      {shown === "help" && <ShortcutHelp actions={ACTIONS} onClose={close} />}
    </>
  );
}

function useActionContext(show: (dialog: "palette" | "help") => void): ActionContext {
  const navigate = useNavigate();
  const session = useSession((state) => state.session);
  const { choice, choose } = useTheme();
  return {
    session,
    theme: choice,
    choose,
    goTo: (address) => void navigate(address),
    openPalette: () => show("palette"),
    openHelp: () => show("help"),
    connect: askToConnect,
    signOut: () => {
      signOut().catch(() =>
        notify.error(
          "You are signed out in this browser",
          "The server could not be told. Other devices stay signed in until their sessions end.",
        ),
      );
    },
    copy: (text, what) => void copyToClipboard(text, what),
  };
}

/** Runs the action whose keys are pressed. Inside a field keys are letters, and an open dialog has keys of its own. */
function useShortcuts(context: ActionContext): void {
  const latest = useRef(context);
  useEffect(() => {
    latest.current = context;
  });
  useEffect(() => {
    let pressed: readonly string[] = [];
    let pressedAt = 0;
    const onKey = (event: KeyboardEvent) => {
      const chord = chordOf(event);
      if (chord === null || event.defaultPrevented || isTaken(event, chord)) return;
      const now = event.timeStamp;
      const reading = readKey(ACTIONS, now - pressedAt < SEQUENCE_MS ? pressed : [], chord);
      pressed = reading.pressed;
      pressedAt = now;
      if (!reading.action || !isOffered(reading.action, latest.current)) return;
      event.preventDefault();
      reading.action.run(latest.current);
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}

function isTaken(event: KeyboardEvent, chord: string): boolean {
  if (document.querySelector("[role=dialog], [role=menu]")) return true;
  const target = event.target as HTMLElement | null;
  const isTyping = target?.closest("input, textarea, select, [contenteditable]") ?? null;
  return isTyping !== null && !chord.startsWith("mod+");
}

function isOffered(action: Action, context: ActionContext): boolean {
  return action.isOffered?.(context) ?? true;
}
