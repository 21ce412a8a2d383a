import { type ComponentType, useEffect, useState } from "react";
import { Button } from "./button";
import { takeToasts, useToasts } from "./toasts";
import { whenIdle } from "./when-idle";

/** The container of toasts, whose code is loaded when the page is idle, or for the first toast. */
export function LazyToaster() {
  const isNeeded = useToasts((state) => state.waiting.length > 0);
  const [Toaster, setToaster] = useState<ComponentType | null>(null);
  const [isFailed, setIsFailed] = useState(false);
  useEffect(() => {
    if (Toaster) return;
    const load = () =>
      import("./toaster").then(
        (module) => {
          setToaster(() => module.Toaster);
          setIsFailed(false);
        },
        () => setIsFailed(true),
      );
    if (!isNeeded) return whenIdle(load);
    load();
  }, [isNeeded, Toaster]);
  if (Toaster) return <Toaster />;
  return isFailed && isNeeded ? <PlainToasts /> : null;
}

/** The messages without their container, which could not be loaded: without a connection, or after an update. */
function PlainToasts() {
  const waiting = useToasts((state) => state.waiting);
  return (
    <div
      role="alert"
      className="fixed inset-x-4 bottom-20 z-60 mx-auto max-w-md rounded-card border border-line-strong bg-surface p-4 text-sm shadow-[var(--shade)]"
    >
      {waiting.map(({ title, description }) => (
        <p key={`${title} ${description}`} className="mb-2">
          <span className="font-strong">{title}</span> {description}
        </p>
      ))}
      <div className="flex gap-2">
        <Button variant="primary" onClick={() => location.reload()}>
          Reload the page
        </Button>
        <Button onClick={() => takeToasts()}>Close</Button>
      </div>
    </div>
  );
}
