import { type ReactNode, useRef } from "react";
import { Button } from "./button";

/** A button that lets the user choose a file. */
export function FileButton({
  accept,
  disabled,
  onFile,
  children,
}: {
  /** The kinds of files, as in the attribute of an input. */
  accept: string;
  disabled: boolean;
  onFile: (file: File) => void;
  children: ReactNode;
}) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button size="small" disabled={disabled} onClick={() => input.current?.click()}>
        {children}
      </Button>
      <input
        ref={input}
        type="file"
        accept={accept}
        hidden
        onChange={(event) => {
          const file = event.target.files?.[0];
          // The same file can be chosen again after a change.
          event.target.value = "";
          if (file) onFile(file);
        }}
      />
    </>
  );
}
