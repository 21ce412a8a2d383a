import { Arrow, Box, Diagram, Fork, Note } from "./diagram";

/** The conditions of an offer: who sees it, what it asks for, and when that is checked. */
export function ConditionsDiagram() {
  const views = [
    { x: 4, title: "One borrower", detail: "named by lender" },
    { x: 118, title: "By link", detail: "unlisted" },
    { x: 232, title: "Everyone", detail: "order book" },
  ];
  const terms = [
    { x: 4, title: "Good until", detail: "a time" },
    { x: 118, title: "Repaid loans", detail: "a least number" },
    { x: 232, title: "Inscriptions", detail: "chosen ones" },
  ];
  return (
    <Diagram
      height={250}
      label="An offer is seen by one borrower that the lender names, by those who have its link, or by everyone in the order book. It can be good until a time, ask for a least number of repaid loans, or take only chosen inscriptions. This is checked when a borrower takes it, and others are refused."
    >
      <Note x={170} y={16}>
        Who sees it
      </Note>
      {views.map((view) => (
        <Box key={view.x} y={24} width={104} {...view} />
      ))}
      <Note x={170} y={92}>
        What it can ask for
      </Note>
      {terms.map((term) => (
        <Box key={term.x} y={100} width={104} {...term} />
      ))}
      <Arrow from={[56, 146]} to={[120, 174]} />
      <Arrow from={[170, 146]} to={[170, 174]} />
      <Arrow from={[284, 146]} to={[220, 174]} />
      <Box x={70} y={178} width={200} title="Checked when it is taken" detail="others are refused" isMain />
      <Note x={170} y={242}>
        Only an offer for anyone has a rank.
      </Note>
    </Diagram>
  );
}

/** The proposals that a borrower and a lender exchange, and the two ways in which that ends. */
export function CounterOfferDiagram() {
  return (
    <Diagram
      height={240}
      label="Borrower and lender answer each other with at most 10 proposals, each good for at most 72 hours. An accepted one becomes an offer that only this borrower can take, within 12 hours. If one is declined or withdrawn, or expires, nothing is lent."
    >
      <Box x={4} y={6} width={104} title="Borrower" />
      <Box x={232} y={6} width={104} title="Lender" />
      <Arrow from={[110, 15]} to={[230, 15]} />
      <Arrow from={[230, 27]} to={[110, 27]} />
      <Note x={170} y={44}>
        other terms
      </Note>
      <Arrow from={[170, 50]} to={[170, 66]} />
      <Box
        x={70}
        y={70}
        width={200}
        title="At most 10 proposals"
        detail="each good for up to 72 hours"
        isMain
      />
      <Fork
        y={114}
        length={48}
        left={{ note: "accepted", title: "Offer for one borrower", detail: "12 hours to sign" }}
        right={{ note: "declined", title: "Over", detail: "nothing is lent" }}
      />
      <Note x={170} y={232}>
        The loan starts when both have signed it.
      </Note>
    </Diagram>
  );
}

/** The principal of an offer that follows the floor, over time. */
export function PeggedOfferDiagram() {
  return (
    <Diagram
      height={208}
      label="The principal follows a share of the floor in steps, between a least and a largest principal. While the floor is too low for the least one, the offer is paused. While a borrower signs, the principal stays."
    >
      {[70, 140].map((y) => (
        <line
          key={y}
          x1="12"
          y1={y}
          x2="328"
          y2={y}
          stroke="var(--line-strong)"
          strokeWidth="1.25"
          strokeDasharray="4 4"
        />
      ))}
      <path d="M12 128 110 40 236 172 328 96" fill="none" stroke="currentColor" strokeWidth="1.25" />
      {/* At each x the largest step that is not above the share; none while the share is below the least principal. */}
      {[
        "M12 130H21V120H32V110H43V100H54V90H65V80H77V70H139V80H148V90H158V100H167V110H177V120H186V130H196V140H205",
        "M275 140H287V130H299V120H311V110H323V100H328",
      ].map((steps) => (
        <path key={steps} d={steps} fill="none" stroke="var(--accent-text)" strokeWidth="2.5" />
      ))}
      <Note x={110} y={28}>
        share of the floor
      </Note>
      <Note x={108} y={92}>
        principal
      </Note>
      <Note x={278} y={62}>
        largest principal
      </Note>
      <Note x={62} y={158}>
        least principal
      </Note>
      <Note x={240} y={130}>
        paused
      </Note>
      <Note x={170} y={200}>
        While a borrower signs, the principal stays.
      </Note>
    </Diagram>
  );
}

/** The limits of a lender, and the offers that each of them pauses. */
export function LimitsDiagram() {
  const limits = [
    {
      title: "Total budget",
      detail: "manual loans at a time",
      paused: "Manual offers over it",
      until: "until a loan is repaid",
    },
    {
      title: "Daily limit",
      detail: "manual loans in a day",
      paused: "Manual offers over it",
      until: "until the next day",
    },
    {
      title: "Absence",
      detail: "time without the app",
      paused: "All offers, also instant",
      until: "until you are back",
    },
  ];
  return (
    <Diagram
      height={214}
      label="A total budget pauses manual offers that need more than is left of it, until a loan is repaid or claimed. A daily limit pauses them until the next day in UTC. Absence pauses all offers, also instant ones, until you are back. They open again by themselves."
    >
      <Note x={78} y={16}>
        Your limit
      </Note>
      <Note x={258} y={16}>
        What it pauses
      </Note>
      {limits.map(({ title, detail, paused, until }, index) => {
        const y = 24 + index * 58;
        return (
          <g key={title}>
            <Box x={4} y={y} width={148} title={title} detail={detail} />
            <Arrow from={[154, y + 22]} to={[176, y + 22]} />
            <Box x={180} y={y} width={156} title={paused} detail={until} />
          </g>
        );
      })}
      <Note x={170} y={206}>
        They open again by themselves.
      </Note>
    </Diagram>
  );
}
