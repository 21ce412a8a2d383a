import { useEffect, useState } from "react";

type GiveBack = () => Promise<unknown>;

/** Releases that the server has not answered yet, of all dialogs. */
const pending = new Set<Promise<unknown>>();

function start(giveBack: GiveBack): Promise<void> {
  // A hold that the server could not be asked to release lapses by itself.
  const done = giveBack().catch(() => undefined);
  pending.add(done);
  return done.then(() => void pending.delete(done));
}

/**
 * Resolves once every hold is released. To be awaited before the server is asked to prepare: the same request
 * would otherwise return the very loan that is being released.
 */
export async function givenBack(): Promise<void> {
  await Promise.all(pending);
}

/** The server's hold of a dialog until it is signed. It is released on every way out. */
export class PreparedHold {
  private held: GiveBack | null = null;
  private isLeft = false;

  /** Replaces the hold; null once it is signed, or when nothing is held. */
  set(giveBack: GiveBack | null): void {
    if (this.isLeft && giveBack !== null) void start(giveBack);
    else this.held = giveBack;
  }

  /** Releases the hold. */
  async giveBack(): Promise<void> {
    const { held } = this;
    this.held = null;
    if (held !== null) await start(held);
  }

  /** Called when the dialog is shown. */
  enter(): void {
    this.isLeft = false;
  }

  /** Called when the dialog is closed; also releases the result of a request under way. */
  leave(): void {
    this.isLeft = true;
    void this.giveBack();
  }
}

/** Returns the hold of a dialog, released when the dialog closes in any way. */
export function usePreparedHold(): PreparedHold {
  const [hold] = useState(() => new PreparedHold());
  useEffect(() => {
    hold.enter();
    return () => hold.leave();
  }, [hold]);
  return hold;
}
