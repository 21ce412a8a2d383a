import { Link } from "react-router";
import { buttonClass } from "@/shared/ui/button";

/** The two buttons to a first loan, for an empty list. */
export function StartActions() {
  return (
    <span className="flex flex-wrap justify-center gap-2">
      <Link to="/borrow" className={buttonClass({ variant: "primary" })}>
        Borrow
      </Link>
      <Link to="/lend" className={buttonClass()}>
        Lend
      </Link>
    </span>
  );
}
