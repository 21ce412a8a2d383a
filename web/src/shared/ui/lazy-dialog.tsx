import type { ComponentType } from "react";
import { DialogBoundary } from "./dialog-boundary";
import { lazyPart } from "./lazy-part";

/** A dialog whose code is loaded when it is first shown, or earlier by `preload`. */
export function lazyDialog<Props extends { onClose: () => void }>(load: () => Promise<ComponentType<Props>>) {
  const Dialog = lazyPart(load);
  return Object.assign(
    (props: Props) => (
      <DialogBoundary onClose={props.onClose}>
        <Dialog {...props} />
      </DialogBoundary>
    ),
    { preload: Dialog.preload },
  );
}
