import type { ComponentProps, ReactNode } from "react";
import { classNames } from "./class-names";

export type ButtonVariant = "primary" | "secondary" | "quiet" | "danger";
export type ButtonSize = "small" | "medium" | "large";

interface ButtonStyle {
  /** `primary` is the accent: at most one on a screen. */
  variant?: ButtonVariant;
  size?: ButtonSize;
  /** Fills the width of its container. */
  wide?: boolean;
}

const VARIANT: Record<ButtonVariant, string> = {
  primary: "bg-accent text-on-accent hover:not-disabled:bg-accent-hover",
  secondary: "bg-raised text-text border border-line hover:not-disabled:border-line-strong",
  quiet: "text-soft hover:not-disabled:bg-raised hover:not-disabled:text-text",
  danger: "bg-down-tint text-down border border-transparent hover:not-disabled:border-current",
};

const SIZE: Record<ButtonSize, string> = {
  small: "h-8 px-3 text-xs gap-1.5",
  medium: "h-10 px-4 text-sm gap-2",
  large: "h-12 px-5 text-base gap-2",
};

/** The classes of a button, for links and triggers that must look like one. */
export function buttonClass({
  variant = "secondary",
  size = "medium",
  wide = false,
}: ButtonStyle = {}): string {
  return classNames(
    "inline-flex shrink-0 items-center rounded-control font-strong whitespace-nowrap select-none transition-colors",
    "disabled:cursor-not-allowed disabled:opacity-45 aria-disabled:cursor-not-allowed aria-disabled:opacity-45",
    VARIANT[variant],
    SIZE[size],
    wide && "w-full",
    // Stacked quiet buttons are a menu, aligned to its edge.
    variant === "quiet" && wide ? "justify-start" : "justify-center",
  );
}

interface ButtonProps extends ComponentProps<"button">, ButtonStyle {
  children?: ReactNode;
}

export function Button({ variant, size, wide, className, type = "button", ...rest }: ButtonProps) {
  return (
    <button type={type} className={classNames(buttonClass({ variant, size, wide }), className)} {...rest} />
  );
}

interface IconButtonProps extends Omit<ComponentProps<"button">, "aria-label"> {
  /** The button's action, for screen readers. */
  label: string;
  size?: "small" | "medium";
}

/** A square button that holds one icon. */
export function IconButton({ label, size = "medium", className, type = "button", ...rest }: IconButtonProps) {
  return (
    <button
      type={type}
      aria-label={label}
      title={label}
      className={classNames(
        "inline-flex shrink-0 items-center justify-center rounded-control text-soft transition-colors hover:not-disabled:bg-raised hover:not-disabled:text-text disabled:cursor-not-allowed disabled:opacity-45 aria-disabled:cursor-not-allowed aria-disabled:opacity-45",
        size === "small" ? "size-8" : "size-10",
        className,
      )}
      {...rest}
    />
  );
}
