import { create } from "zustand";

export type ThemeChoice = "dark" | "light" | "system";

const STORAGE_KEY = "lienbook.theme";

interface ThemeState {
  choice: ThemeChoice;
  choose: (choice: ThemeChoice) => void;
}

function remembered(): ThemeChoice {
  try {
    const stored = localStorage.getItem(STORAGE_KEY);
    return stored === "dark" || stored === "light" ? stored : "system";
  } catch {
    return "system";
  }
}

export const useTheme = create<ThemeState>((set) => ({
  choice: remembered(),
  choose: (choice) => {
    if (choice === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = choice;
    try {
      localStorage.setItem(STORAGE_KEY, choice);
    } catch {
      // Without storage the choice lasts for this visit only.
    }
    set({ choice });
  },
}));
