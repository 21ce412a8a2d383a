import { useQuery } from "@tanstack/react-query";
import { Search } from "lucide-react";
import { useCallback, useEffect, useRef, useState } from "react";
import { useNavigate } from "react-router";
import { openFaucet, openVault } from "@/features/wallet/wallet-dialogs";
import { requestConnect, signOut } from "@/features/wallet/wallet-session";
import { configQuery } from "@/shared/api/config";
import { isFaucetOffered } from "@/shared/funding/faucet";
import { useSession } from "@/shared/session/session-store";
import { useTheme } from "@/shared/theme/theme-store";
import { copyToClipboard } from "@/shared/ui/copy-to-clipboard";
import { lazyDialog } from "@/shared/ui/lazy-dialog";
import { notify } from "@/shared/ui/notify";
import type { Action, ActionContext } from "./action";
import { chordOf, isApple, PALETTE_KEYS, readKey, SEQUENCE_MS } from "./shortcut";

const CommandPalette = lazyDialog(() => import("./command-palette").then((module) => module.CommandPalette));
const ShortcutHelp = lazyDialog(() => import("./shortcut-help").then((module) => module.ShortcutHelp));

/** The palette's button, its dialogs, and the global shortcuts. Rendered once on every page. */
export function Actions() {
  const [shown, setShown] = useState<"palette" | "help" | null>(null);
  // A dialog closes before its action starts, so that the focus ends up in the right place.
  const close = useCallback(() => setShown(null), []);
  const [search, setSearch] = useState("");
  const show = useCallback((dialog: "palette" | "help") => {
    setSearch("");
    setShown(dialog);
  }, []);
  const context = useActionContext(show);
  const actions = useActionList();
  useShortcuts(actions, context);
  useTypedAhead(shown === "palette", setSearch, close);
  return (
    <>
      <button
        type="button"
        aria-label="Search commands and collections"
        title="Search commands and collections"
        aria-keyshortcuts="Control+K Meta+K"
        onPointerEnter={CommandPalette.preload}
        onFocus={CommandPalette.preload}
        onClick={context.openPalette}
        className={SEARCH_CLASS}
      >
        <Search size={18} aria-hidden className="shrink-0" />
        <span aria-hidden className="flex-1 text-left text-sm max-lg:hidden">
          Search
        </span>
        <kbd aria-hidden className="font-sans text-xs max-lg:hidden">
          {isApple() ? "⌘K" : "Ctrl K"}
        </kbd>
      </button>
      {shown === "palette" && (
        <CommandPalette
          actions={actions}
          context={context}
          search={search}
          onSearch={setSearch}
          onClose={close}
        />
      )}
      {shown === "help" && <ShortcutHelp actions={actions} onClose={close} />}
    </>
  );
}

/** All actions, loaded after the first page is rendered. */
function useActionList(): readonly Action[] {
  const [actions, setActions] = useState<readonly Action[]>([]);
  useEffect(() => {
    import("./action-list").then(
      (module) => setActions(module.ACTIONS),
      () => console.error("The list of actions could not be loaded."),
    );
  }, []);
  return actions;
}

/** A field with a label where there is space, otherwise an icon. */
const SEARCH_CLASS =
  "flex h-10 shrink-0 items-center justify-center gap-2 rounded-control text-muted transition-colors hover:text-text max-lg:w-10 max-lg:hover:bg-raised lg:w-44 lg:border lg:border-line lg:bg-surface lg:px-3 lg:hover:border-line-strong";

/**
 * Keeps the text typed between opening the palette and the focus of its field: it goes into the field, and
 * neither into the page below nor into shortcuts.
 */
function useTypedAhead(
  isOpen: boolean,
  setSearch: (change: (search: string) => string) => void,
  close: () => void,
): void {
  useEffect(() => {
    if (!isOpen) return;
    const onKey = (event: KeyboardEvent) => {
      if ((event.target as HTMLElement | null)?.closest("[role=dialog]")) return;
      if (event.key === "Escape") close();
      else if (event.key === "Backspace") setSearch((search) => search.slice(0, -1));
      else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey) {
        setSearch((search) => search + event.key);
      } else return;
      event.preventDefault();
      event.stopPropagation();
    };
    document.addEventListener("keydown", onKey, { capture: true });
    return () => document.removeEventListener("keydown", onKey, { capture: true });
  }, [isOpen, setSearch, close]);
}

function useActionContext(show: (dialog: "palette" | "help") => void): ActionContext {
  const navigate = useNavigate();
  const session = useSession((state) => state.session);
  const { choice, choose } = useTheme();
  const { data: config } = useQuery(configQuery);
  return {
    session,
    theme: choice,
    choose,
    goTo: (address) => void navigate(address),
    openPalette: () => show("palette"),
    openHelp: () => show("help"),
    connect: requestConnect,
    signOut: () => {
      signOut().catch(() =>
        notify.error(
          "You are signed out in this browser",
          "The server could not be reached. Other devices stay signed in until their sessions expire.",
        ),
      );
    },
    openVault,
    hasFaucet: isFaucetOffered(config, session),
    openFaucet,
    copy: (text, what) => void copyToClipboard(text, what),
  };
}

/**
 * Runs the action of the pressed shortcut. Inside a field keys are letters, and an open dialog has keys of
 * its own. A key pressed before the actions are loaded takes effect once they are, except that the palette opens
 * at once, as what is typed next is for its field.
 */
function useShortcuts(actions: readonly Action[], context: ActionContext): void {
  const latest = useRef(context);
  useEffect(() => {
    latest.current = context;
  });
  const early = useRef<Array<{ chord: string; at: number }>>([]);
  useEffect(() => {
    let pressed: readonly string[] = [];
    let pressedAt = 0;
    /** Returns whether an action ran. */
    const press = (chord: string, at: number): boolean => {
      const reading = readKey(actions, at - pressedAt < SEQUENCE_MS ? pressed : [], chord);
      pressed = reading.pressed;
      pressedAt = at;
      if (!reading.action || !isOffered(reading.action, latest.current)) return false;
      reading.action.run(latest.current);
      return true;
    };
    const onKey = (event: KeyboardEvent) => {
      const chord = chordOf(event);
      if (chord === null || event.defaultPrevented || isTaken(event, chord)) return;
      if (actions.length > 0) {
        if (press(chord, event.timeStamp)) event.preventDefault();
      } else if (chord === PALETTE_KEYS) {
        early.current = [];
        latest.current.openPalette();
        event.preventDefault();
      } else {
        early.current = [...early.current, { chord, at: event.timeStamp }].slice(-EARLY_MAX);
      }
    };
    if (actions.length > 0) {
      for (const { chord, at } of early.current.splice(0)) {
        if (performance.now() - at < EARLY_MS) press(chord, at);
      }
    }
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [actions]);
}

/** The number of keys kept until the actions are loaded, and the time after which one is out of date. */
const EARLY_MAX = 8;
const EARLY_MS = 3_000;

function isTaken(event: KeyboardEvent, chord: string): boolean {
  if (document.querySelector("[role=dialog], [role=menu]")) return true;
  const target = event.target as HTMLElement | null;
  const isTyping = target?.closest("input, textarea, select, [contenteditable]") ?? null;
  return isTyping !== null && !chord.startsWith("mod+");
}

function isOffered(action: Action, context: ActionContext): boolean {
  return action.isOffered?.(context) ?? true;
}
