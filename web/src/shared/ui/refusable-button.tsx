import type { ComponentProps } from "react";
import { Button } from "./button";
import { Hint } from "./hint";

interface RefusableButtonProps extends ComponentProps<typeof Button> {
  /** The reason why it cannot be pressed now; null when it can. */
  refusal: string | null;
}

/** A button that stays focusable while it cannot be pressed, and shows the reason. */
export function RefusableButton({ refusal, onClick, ...rest }: RefusableButtonProps) {
  const isRefused = refusal !== null;
  return (
    <Hint text={refusal}>
      <Button aria-disabled={isRefused || undefined} onClick={isRefused ? undefined : onClick} {...rest} />
    </Hint>
  );
}
