import { useEffect, useState } from "react";

type Release = () => Promise<unknown>;

/** Releases that the server has not answered yet, of all dialogs. */
const pending = new Set<Promise<unknown>>();

function start(release: Release): Promise<void> {
  // A hold that the server could not be asked to release lapses by itself.
  const done = release().catch(() => undefined);
  pending.add(done);
  return done.then(() => void pending.delete(done));
}

/**
 * Resolves once every hold is released. To be awaited before the server is asked to prepare: the same request
 * would otherwise return the very loan that is being released.
 */
export async function pendingReleasesDone(): Promise<void> {
  await Promise.all(pending);
}

/** The server's hold of a dialog until it is signed. It is released however the dialog is closed. */
export class PreparedHold {
  private heldRelease: Release | null = null;
  private isClosed = false;

  /** Replaces the hold; null once it is signed, or when nothing is held. */
  set(release: Release | null): void {
    if (this.isClosed && release !== null) void start(release);
    else this.heldRelease = release;
  }

  /** Releases the hold. */
  async release(): Promise<void> {
    const { heldRelease } = this;
    this.heldRelease = null;
    if (heldRelease !== null) await start(heldRelease);
  }

  /** Called when the dialog is shown. */
  enter(): void {
    this.isClosed = false;
  }

  /** Called when the dialog is closed; also releases the result of a request under way. */
  leave(): void {
    this.isClosed = true;
    void this.release();
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
