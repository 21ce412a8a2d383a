import { Button } from "./button";

/** The two buttons of a dialog that sends something: one that leaves it, one that goes on. */
export function DialogActions({
  leave,
  go,
  variant,
  isBusy,
  isReady = true,
  onLeave,
  onGo,
}: {
  /** The labels. */
  leave: string;
  go: string;
  variant: "primary" | "danger";
  isBusy: boolean;
  isReady?: boolean;
  onLeave: () => void;
  onGo: () => void;
}) {
  return (
    <div className="flex items-center justify-end gap-2">
      <Button onClick={onLeave} disabled={isBusy}>
        {leave}
      </Button>
      <Button variant={variant} disabled={isBusy || !isReady} onClick={onGo}>
        {go}
      </Button>
    </div>
  );
}
