import { useEffect, useState } from "react";

type GiveBack = () => Promise<unknown>;

/** Give-backs the server has not answered yet, of all dialogs. */
const pending = new Set<Promise<unknown>>();

function start(giveBack: GiveBack): Promise<void> {
  // What the server could not be asked to free lapses by itself.
  const done = giveBack().catch(() => undefined);
  pending.add(done);
  return done.then(() => void pending.delete(done));
}

/**
 * Resolves once everything that was left is given back. To be awaited before the server is asked to prepare: the same wish
 * would be answered with the very loan that is being given up.
 */
export async function givenBack(): Promise<void> {
  await Promise.all(pending);
}

/** What the server holds for a dialog until it is signed. It is given back on every way out. */
export class PreparedHold {
  private held: GiveBack | null = null;
  private isLeft = false;

  /** Replaces what is held; null once it is signed, or when nothing is held. */
  set(giveBack: GiveBack | null): void {
    if (this.isLeft && giveBack !== null) void start(giveBack);
    else this.held = giveBack;
  }

  /** Gives back what is held. */
  async giveBack(): Promise<void> {
    const { held } = this;
    this.held = null;
    if (held !== null) await start(held);
  }

  /** The dialog is shown. */
  enter(): void {
    this.isLeft = false;
  }

  /** The dialog is gone, and so is what comes back later from a request that was under way. */
  leave(): void {
    this.isLeft = true;
    void this.giveBack();
  }
}

/** The hold of a dialog, given back when the dialog goes, in whichever way that happens. */
export function usePreparedHold(): PreparedHold {
  const [hold] = useState(() => new PreparedHold());
  useEffect(() => {
    hold.enter();
    return () => hold.leave();
  }, [hold]);
  return hold;
}
