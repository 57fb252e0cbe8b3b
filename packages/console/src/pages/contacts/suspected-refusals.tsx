// Messages that resemble a refusal: agents do not answer there until a person decides.
import type { SuspectedRevocation } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { DialogButton } from '../../parts/dialog.tsx';
import { Form } from '../../parts/form.tsx';
import { PageLink } from '../../parts/link.tsx';
import { OperatorKeyField } from '../../parts/operator-key.tsx';
import { Card } from '../../parts/page.tsx';
import type { Column } from '../../parts/record-table.tsx';
import { SmallTable } from '../../parts/small-table.tsx';
import { Time } from '../../parts/time.tsx';
import { parley, parleyAsPerson } from '../../session/client.ts';
import { useAction } from '../../state/use-action.tsx';

type Decision = NonNullable<SuspectedRevocation['decision']>;
const texts: Record<Decision, { label: string; meaning: string }> = {
  revoked: { label: 'It was a refusal', meaning: 'This person is not contacted any more.' },
  dismissed: { label: 'It was not', meaning: 'Agents answer this person again.' },
};

function Decide({
  suspicion: { id, recipient },
  decision,
  close,
}: {
  suspicion: SuspectedRevocation;
  decision: Decision;
  close(): void;
}) {
  const { label, meaning } = texts[decision];
  const action = useAction(() => parleyAsPerson.consents.decide(id, { decision }), {
    changes: ['consents', 'suppressions'],
    message: `Decided about ${recipient}.`,
    done: close,
  });
  return (
    <Form action={action} submit={label}>
      <p style={{ margin: 0 }}>{meaning}</p>
      <OperatorKeyField error={action.error} />
    </Form>
  );
}

const columns: Column<SuspectedRevocation>[] = [
  { title: 'Person', width: 'auto', cell: ({ recipient }) => recipient },
  {
    title: 'Message',
    width: 'auto',
    cell: ({ channel, item_id }) => (
      <PageLink to={channel === 'email' ? `/emails/${item_id}` : '/sms'}>{channel}</PageLink>
    ),
  },
  { title: 'Received', width: 'auto', cell: ({ suspected_at }) => <Time at={suspected_at} /> },
  {
    title: 'Decision',
    width: 'auto',
    cell: (suspicion) => (
      <div className="row">
        {(['revoked', 'dismissed'] as const).map((decision) => (
          <DialogButton
            key={decision}
            label={texts[decision].label}
            title={`${texts[decision].label}: ${suspicion.recipient}`}
            variant="default"
          >
            {(close) => <Decide suspicion={suspicion} decision={decision} close={close} />}
          </DialogButton>
        ))}
      </div>
    ),
  },
];

/** Nothing while there are none. */
export function SuspectedRefusals() {
  const open = useQuery({
    queryKey: ['consents', 'suspected'],
    queryFn: async () => (await parley.consents.suspected({ limit: 50 })).items,
  });
  if (!open.data || open.data.length === 0) return null;
  return (
    <Card title="Messages that resemble a refusal">
      <SmallTable
        label="Messages that resemble a refusal"
        items={open.data}
        keyOf={({ id }) => id}
        columns={columns}
      />
    </Card>
  );
}
