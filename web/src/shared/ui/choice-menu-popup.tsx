import { Menu } from "@base-ui/react/menu";
import { Check } from "lucide-react";
import { type ChoiceMenuProps, ChoiceTriggerContent, choiceTriggerClass } from "./choice-menu";
import { ITEM_CLASS, POPUP_CLASS } from "./popup-class";

/** The choice menu's button with its popup. */
export function ChoiceMenuPopup({
  defaultOpen,
  ...props
}: ChoiceMenuProps<string> & { defaultOpen?: boolean }) {
  const { label, value, choices, onChange, className } = props;
  return (
    <Menu.Root modal={false} defaultOpen={defaultOpen}>
      <Menu.Trigger className={choiceTriggerClass(className)}>
        <ChoiceTriggerContent {...props} />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={6} align="end" className="z-50">
          <Menu.Popup className={POPUP_CLASS}>
            <Menu.RadioGroup value={value} onValueChange={onChange} aria-label={label}>
              {choices.map((choice) => (
                <Menu.RadioItem
                  key={choice.value}
                  value={choice.value}
                  disabled={choice.disabled}
                  closeOnClick
                  className={ITEM_CLASS}
                >
                  <span className="flex size-4 items-center">
                    <Menu.RadioItemIndicator>
                      <Check size={16} aria-hidden />
                    </Menu.RadioItemIndicator>
                  </span>
                  {choice.label}
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
