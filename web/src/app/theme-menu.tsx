import { Monitor, Moon, Sun } from "lucide-react";
import { useTheme } from "@/shared/theme/theme-store";
import { IconButton } from "@/shared/ui/button";
import { lazyPopup } from "@/shared/ui/lazy-popup";

export const THEMES = [
  { choice: "dark", label: "Dark", icon: Moon },
  { choice: "light", label: "Light", icon: Sun },
  { choice: "system", label: "System", icon: Monitor },
] as const;

/** The theme menu, loaded on demand. */
export const ThemeMenu = lazyPopup(
  "menu",
  () => import("./theme-popup").then((module) => module.ThemePopup),
  ({ trigger }) => (
    <IconButton label="Theme" {...trigger}>
      <ThemeIcon />
    </IconButton>
  ),
);

export function ThemeIcon() {
  const choice = useTheme((state) => state.choice);
  const Current = THEMES.find((theme) => theme.choice === choice)?.icon ?? Monitor;
  return <Current size={18} aria-hidden />;
}
