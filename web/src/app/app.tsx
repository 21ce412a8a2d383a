import { QueryClientProvider } from "@tanstack/react-query";
import { useState } from "react";
import { RouterProvider } from "react-router";
import { createQueryClient } from "@/shared/api/query-client";
import { FeedConnection } from "@/shared/feed/feed-connection";
import { Toaster } from "@/shared/ui/toaster";
import { createRouter } from "./router";

/** Everything a page needs around it. */
export function App() {
  const [client] = useState(createQueryClient);
  const [router] = useState(createRouter);
  return (
    <QueryClientProvider client={client}>
      <FeedConnection />
      <RouterProvider router={router} />
      <Toaster />
    </QueryClientProvider>
  );
}
