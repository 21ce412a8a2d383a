import { Menu } from "@base-ui/react/menu";
import { Check, Monitor, Moon, Sun } from "lucide-react";
import { type ThemeChoice, useTheme } from "@/shared/theme/theme-store";
import { IconButton } from "@/shared/ui/button";
import { ITEM_CLASS, POPUP_CLASS } from "@/shared/ui/choice-menu";

const THEMES = [
  { choice: "dark", label: "Dark", icon: Moon },
  { choice: "light", label: "Light", icon: Sun },
  { choice: "system", label: "System", icon: Monitor },
] as const;

export function ThemeMenu() {
  const { choice, choose } = useTheme();
  const Current = THEMES.find((theme) => theme.choice === choice)?.icon ?? Monitor;
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger
        render={
          <IconButton label="Theme">
            <Current size={18} aria-hidden />
          </IconButton>
        }
      />
      <Menu.Portal>
        <Menu.Positioner sideOffset={6} align="end" className="z-50">
          <Menu.Popup className={POPUP_CLASS}>
            <Menu.RadioGroup
              value={choice}
              onValueChange={(next) => choose(next as ThemeChoice)}
              aria-label="Theme"
            >
              {THEMES.map(({ choice: value, label, icon: Icon }) => (
                <Menu.RadioItem key={value} value={value} closeOnClick className={ITEM_CLASS}>
                  <Icon size={16} aria-hidden className="text-muted" />
                  <span className="flex-1">{label}</span>
                  <Menu.RadioItemIndicator>
                    <Check size={16} aria-hidden />
                  </Menu.RadioItemIndicator>
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
