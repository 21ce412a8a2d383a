import { Toaster } from "@/shared/ui/toaster";

export function App() {
  return (
    <>
      <main className="p-6">Lienbook</main>
      <Toaster />
    </>
  );
}
