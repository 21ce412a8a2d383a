import { Check, Copy } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Button, IconButton } from "./button";
import { copyToClipboard } from "./copy-to-clipboard";

interface Copied {
  text: string;
  /** Name of the text, for the message that shows it when copying fails. */
  what: string;
}

/** Copies a text, and shows that it did. */
export function CopyButton({ text, what, children }: Copied & { children: ReactNode }) {
  const { Icon, copy } = useCopy(text, what);
  return (
    <Button size="small" onClick={copy}>
      <Icon size={14} aria-hidden />
      {children}
    </Button>
  );
}

/** The same with an icon only. */
export function CopyIconButton({
  text,
  what,
  label,
  className,
}: Copied & { label: string; className?: string }) {
  const { Icon, copy } = useCopy(text, what);
  return (
    <IconButton size="small" label={label} className={className} onClick={copy}>
      <Icon size={14} aria-hidden />
    </IconButton>
  );
}

function useCopy(text: string, what: string) {
  const [copied, setCopied] = useState<string | null>(null);
  const copy = () =>
    void copyToClipboard(text, what).then((isCopied) => {
      if (isCopied) setCopied(text);
    });
  return { Icon: copied === text ? Check : Copy, copy };
}
