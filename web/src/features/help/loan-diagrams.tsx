import { Arrow, Box, Diagram, Fork, Note } from "./diagram";

/** The movements of collateral and bitcoin, from the start of a loan to either ending. */
export function LoanDiagram() {
  return (
    <Diagram
      height={272}
      label="The borrower's collateral goes into an escrow on Bitcoin while the lender's bitcoin goes to the borrower. If it is repaid, the collateral returns to the borrower, and the bitcoin with interest goes to the lender. If not, the lender claims the collateral."
    >
      <Box x={4} y={6} width={140} title="Borrower" detail="pledges collateral" />
      <Box x={196} y={6} width={140} title="Lender" detail="pays the principal" />
      <Arrow from={[194, 28]} to={[146, 28]} />
      <Arrow from={[74, 52]} to={[130, 96]} />
      <Box x={80} y={100} width={180} title="Escrow on Bitcoin" detail="two ways out, no third" isMain />
      <Fork
        y={144}
        length={52}
        left={{ note: "repaid", title: "Collateral returns", detail: "lender gets interest" }}
        right={{ note: "not repaid", title: "Lender may claim", detail: "after the claim time" }}
      />
      <Note x={170} y={264}>
        The platform has no key to either way.
      </Note>
    </Diagram>
  );
}

/** The possible actions over time, on one line. */
export function TermDiagram() {
  return (
    <Diagram
      height={128}
      label="From the start until the due date you repay. From then until the claim time is a grace period. From the claim time on the lender may claim, and a repayment counts only if it is confirmed first."
    >
      <line
        x1="12"
        y1="56"
        x2="328"
        y2="56"
        stroke="var(--line-strong)"
        strokeWidth="6"
        strokeLinecap="round"
      />
      <line x1="12" y1="56" x2="196" y2="56" stroke="var(--up)" strokeWidth="6" strokeLinecap="round" />
      <line x1="196" y1="56" x2="258" y2="56" stroke="var(--warn)" strokeWidth="6" />
      <line x1="258" y1="56" x2="328" y2="56" stroke="var(--down)" strokeWidth="6" strokeLinecap="round" />
      <Note x={100} y={38}>
        repay
      </Note>
      <Note x={227} y={38}>
        reserve
      </Note>
      <Note x={294} y={38}>
        claim
      </Note>
      {[12, 196, 258].map((x) => (
        <circle key={x} cx={x} cy="56" r="5" fill="var(--surface)" stroke="currentColor" strokeWidth="1.5" />
      ))}
      <Note x={20} y={82}>
        start
      </Note>
      <Note x={190} y={82}>
        due
      </Note>
      <Note x={262} y={82}>
        claim time
      </Note>
      <Note x={170} y={116}>
        A repayment must be confirmed before the claim time.
      </Note>
    </Diagram>
  );
}

/** The parties that can spend from a vault. */
export function VaultDiagram() {
  return (
    <Diagram
      height={196}
      label="From the vault the signer pays into loans that match an offer the lender signed. The lender can withdraw alone after 144 blocks, about a day."
    >
      <Box x={90} y={6} width={160} title="Your vault" detail="bitcoin for instant offers" isMain />
      <Fork
        y={50}
        length={54}
        left={{ note: "the signer", title: "Into a loan", detail: "by an offer you signed" }}
        right={{ note: "you alone", title: "Out to your wallet", detail: "after 144 blocks" }}
      />
      <Note x={170} y={182}>
        The signer's key could spend all of it.
      </Note>
    </Diagram>
  );
}

/** The way of a borrow request to a loan. */
export function RequestDiagram() {
  return (
    <Diagram
      height={222}
      label="A borrower signs a request. A lender fills it with an offer that only this borrower can take, until a time. The borrower signs the loan, or the request is open again."
    >
      <Box x={80} y={6} width={180} title="Request" detail="signed, nothing reserved" />
      <Arrow from={[170, 52]} to={[170, 82]} />
      <Note x={236} y={72}>
        a lender fills it
      </Note>
      <Box x={80} y={86} width={180} title="Offer for one borrower" detail="good until a time" isMain />
      <Fork
        y={130}
        length={32}
        left={{ note: "signed", title: "Loan", detail: "as any other" }}
        right={{ note: "not signed", title: "Open again", detail: "until it expires" }}
      />
    </Diagram>
  );
}

/** Several inscriptions in one loan, from the wallet into one escrow and back. */
export function TogetherDiagram() {
  const columns = [4, 120, 236];
  return (
    <Diagram
      height={222}
      label="Several inscriptions go together into one escrow. One repayment returns each of them in an output of its own, and a claim takes all of them."
    >
      {columns.map((x) => (
        <Box key={x} x={x} y={6} width={100} title="Inscription" />
      ))}
      <Arrow from={[54, 38]} to={[120, 78]} />
      <Arrow from={[170, 38]} to={[170, 78]} />
      <Arrow from={[286, 38]} to={[220, 78]} />
      <Box x={80} y={82} width={180} title="One escrow" detail="one loan, one repayment" isMain />
      <Arrow from={[120, 128]} to={[58, 162]} />
      <Arrow from={[170, 128]} to={[170, 162]} />
      <Arrow from={[220, 128]} to={[282, 162]} />
      {columns.map((x) => (
        <Box key={x} x={x} y={166} width={100} title="Own output" />
      ))}
      <Note x={170} y={214}>
        Repaid or claimed: all of them, never some.
      </Note>
    </Diagram>
  );
}

/** A running loan that another lender's offer repays, and the loan that follows. */
export function MovingDiagram() {
  return (
    <Diagram
      height={240}
      label="A running loan moves on by an instant offer, which a vault signs at once, or by a manual offer, which its lender signs within 12 hours. The next loan repays the old lender and takes over the collateral, in one transaction."
    >
      <Box x={80} y={6} width={180} title="Running loan" detail="you sign the move" />
      <Arrow from={[130, 52]} to={[84, 82]} />
      <Arrow from={[210, 52]} to={[256, 82]} />
      <Box x={4} y={86} width={152} title="Instant offer" detail="a vault signs at once" />
      <Box x={184} y={86} width={152} title="Manual offer" detail="signed in 12 hours" />
      <Arrow from={[84, 132]} to={[130, 162]} />
      <Arrow from={[256, 132]} to={[210, 162]} />
      <Box x={80} y={166} width={180} title="Next loan" detail="repays the old lender" isMain />
      <Note x={170} y={232}>
        One transaction, from escrow to escrow.
      </Note>
    </Diagram>
  );
}
