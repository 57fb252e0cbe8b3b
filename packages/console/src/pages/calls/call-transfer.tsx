// The transfer of a call to a colleague: how far it is, and the form that asks for one.
import { NativeSelect, TextInput } from '@mantine/core';
import type { Call, CallTransferRequest } from '@parley/sdk';
import { humanize, StatusBadge } from '../../parts/badge.tsx';
import { Consent } from '../../parts/consent.tsx';
import { Form } from '../../parts/form.tsx';
import { PageLink } from '../../parts/link.tsx';
import { Card, Facts } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { parley } from '../../session/client.ts';
import { useAgents } from '../../state/reads.ts';
import { useForm } from '../../state/use-form.ts';

const failure_text: Record<string, string> = {
  no_answer: 'Nobody answered.',
  busy: 'The line was busy.',
  declined: 'The colleague declined the call.',
  machine: 'A voicemail box answered.',
  not_accepted: 'The colleague did not accept the call.',
  unreachable: 'The number cannot be reached.',
  not_allowed: 'A rule did not allow the call to the colleague.',
  person_left: 'The person hung up before.',
  carrier_error: 'The carrier failed.',
  timeout: 'It took too long.',
  call_ended: 'The call was ended before.',
  process_lost: 'The server that ran the call stopped.',
};

export function CallTransfer({ call: { transfer } }: { call: Call }) {
  if (!transfer) return null;
  const { destination, to, failure, leg_call_id } = transfer;
  return (
    <Card title="Transfer">
      <Facts
        of={[
          ['Status', <StatusBadge key="status" status={transfer.status} />],
          ...(failure
            ? [['Why it failed', failure_text[failure] ?? humanize(failure)] as [string, string]]
            : []),
          [
            'To',
            <span key="to">
              {destination && <strong>{destination} </strong>}
              <span className="mono">{to}</span>
            </span>,
          ],
          ['Mode', transfer.mode],
          ['Reason', transfer.reason],
          ['Asked for by', transfer.requested_by === 'agent' ? 'the agent' : 'the API'],
          ['Connected', <Time key="connected" at={transfer.connected_at} />],
          [
            'Colleague',
            leg_call_id && (
              <PageLink key="leg" to={`/calls/${leg_call_id}`}>
                Open the call to the colleague
              </PageLink>
            ),
          ],
        ]}
      />
    </Card>
  );
}

const no_transfer = { destination: '', to: '', mode: 'warm', reason: '', recipient_consent: false };
type Fields = typeof no_transfer;

const requestOf = ({ destination, to, mode, reason, recipient_consent }: Fields): CallTransferRequest => ({
  ...(destination
    ? { destination }
    : {
        to,
        mode: mode as NonNullable<CallTransferRequest['mode']>,
        recipient_consent: recipient_consent as true,
      }),
  ...(reason.trim() === '' ? {} : { reason }),
});

export function TransferForm({ call, close }: { call: Call; close(): void }) {
  const agent = useAgents().data?.find(({ id }) => id === call.agent_id);
  const names = (agent?.destinations ?? []).filter(({ phone }) => phone).map(({ name }) => name);
  const form = useForm(
    { ...no_transfer, destination: names[0] ?? '' },
    (fields, options) => parley.calls.transfer(call.id, requestOf(fields), options),
    { changes: ['calls'], message: 'The agent calls the colleague.', done: close },
  );
  return (
    <Form action={form} submit="Transfer the call">
      {names.length > 0 && (
        <NativeSelect
          label="To"
          {...form.field('destination')}
          data={[...names, { value: '', label: 'A number' }]}
        />
      )}
      {form.fields.destination === '' && (
        <>
          <TextInput label="Number" placeholder="+14155550123" {...form.field('to')} required />
          <NativeSelect
            label="Mode"
            {...form.field('mode')}
            data={[
              { value: 'warm', label: 'Warm: the colleague is briefed first' },
              { value: 'blind', label: 'Blind: connected at once' },
            ]}
          />
          <Consent {...form.checkbox('recipient_consent')} />
        </>
      )}
      <TextInput label="Reason, for the colleague" maxLength={300} {...form.field('reason')} />
    </Form>
  );
}
