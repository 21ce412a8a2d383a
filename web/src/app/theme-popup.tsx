import { Menu } from "@base-ui/react/menu";
import { Check } from "lucide-react";
import { type ThemeChoice, useTheme } from "@/shared/theme/theme-store";
import { IconButton } from "@/shared/ui/button";
import { ITEM_CLASS, POPUP_CLASS } from "@/shared/ui/popup-class";
import { THEMES, ThemeIcon } from "./theme-menu";

/** The theme's button with its menu. */
export function ThemePopup({ defaultOpen }: { defaultOpen?: boolean }) {
  const { choice, choose } = useTheme();
  return (
    <Menu.Root modal={false} defaultOpen={defaultOpen}>
      <Menu.Trigger
        render={
          <IconButton label="Theme">
            <ThemeIcon />
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
