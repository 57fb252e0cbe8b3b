// Phone numbers: the ones you have, their agents, and quotes for new ones.
import { Button, NativeSelect } from '@mantine/core';
import type { NumberOffer, PhoneNumber, Verification } from '@parley/sdk';
import { useState } from 'react';
import { PlainBadge, StatusBadge } from '../../parts/badge.tsx';
import { ConfirmButton, DialogButton } from '../../parts/dialog.tsx';
import { FillCommand } from '../../parts/fill-command.tsx';
import { Form } from '../../parts/form.tsx';
import { PageLink } from '../../parts/link.tsx';
import { Empty, Page, Read } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { type Column, RecordTable } from '../../parts/record-table.tsx';
import { parley } from '../../session/client.ts';
import { useAgents } from '../../state/reads.ts';
import { useAction } from '../../state/use-action.tsx';
import { useForm } from '../../state/use-form.ts';
import { useList } from '../../state/use-list.ts';
import { useVerification, VerificationChecklist } from '../verifications/verification-checklist.tsx';
import { NewVerification } from '../verifications/verification-new.tsx';

const countries = [
  ['US', 'United States'],
  ['CA', 'Canada'],
  ['GB', 'United Kingdom'],
  ['DE', 'Germany'],
  ['FR', 'France'],
] as const;

const price = (cents: number | null, currency: string) =>
  cents === null
    ? 'on request'
    : new Intl.NumberFormat('en', { style: 'currency', currency }).format(cents / 100);

/** Whether the organization has an approval for this kind of number; otherwise the verification that is open. */
function useOpenVerification(offer: NumberOffer) {
  const verifications = useList(
    ['verifications', 'number'],
    (query) => parley.verifications.list({ ...query, kind: 'number' }),
    { refetch_ms: 3000 },
  );
  const fitting = verifications.items.filter(
    ({ country_code, number_type, state }) =>
      country_code === offer.country_code && number_type === offer.number_type && state !== 'canceled',
  );
  return fitting.find(({ state }) => state === 'approved') ?? fitting[0] ?? null;
}

function OpenVerification({ id }: { id: string }) {
  const verification = useVerification(id);
  return <Read query={verification}>{(found) => <VerificationChecklist verification={found} />}</Read>;
}

/** The verification of an offer, from the first question to the approval, without leaving the page. */
function VerifyFirst({ offer, open }: { offer: NumberOffer; open: Verification | null }) {
  const [made, setMade] = useState<string | null>(null);
  const id = made ?? open?.id ?? null;
  if (id !== null) return <OpenVerification id={id} />;
  const { country_code, number_type } = offer;
  return <NewVerification prefill={{ country_code, number_type }} onMade={(record) => setMade(record.id)} />;
}

function Offer({ offer, onBought }: { offer: NumberOffer; onBought(): void }) {
  const verification = useOpenVerification(offer);
  const [is_verifying, setVerifying] = useState(false);
  const is_ready = offer.readiness === 'ready' || verification?.state === 'approved';
  const buy = useAction(
    () =>
      parley.numbers.create(
        { country_code: offer.country_code, quote_id: offer.quote_id },
        // A quote buys one number, even if the button is pressed twice.
        { idempotency_key: `quote-${offer.quote_id}` },
      ),
    { changes: ['numbers'], message: ({ e164 }) => `You bought ${e164}.`, done: onBought },
  );
  return (
    <li className="stack tight card">
      <div className="row spread">
        <span>
          <strong className="mono">{offer.e164 ?? offer.pattern}</strong>
          <span className="small muted"> {offer.capabilities.join(' and ')}</span>
        </span>
        {is_ready ? (
          <Button size="xs" loading={buy.busy} onClick={() => buy.run(undefined)}>
            Buy
          </Button>
        ) : (
          <Button size="xs" variant="default" onClick={() => setVerifying(!is_verifying)}>
            {verification ? 'Continue verification' : 'Verify first'}
          </Button>
        )}
      </div>
      <span className="small muted">
        {price(offer.monthly_cents, offer.currency)} per month, {price(offer.setup_cents, offer.currency)}{' '}
        setup
        {is_ready ? '' : ' · needs an approved verification first'}
      </span>
      {is_verifying && !is_ready && <VerifyFirst offer={offer} open={verification} />}
      {buy.error && <Problem error={buy.error} />}
    </li>
  );
}

function BuyForm({ close }: { close(): void }) {
  const form = useForm(
    { country_code: 'US', number_type: 'local' as NumberOffer['number_type'], uses: 'voice sms' },
    ({ uses, ...rest }) =>
      parley.numbers.quote({ ...rest, capabilities: uses.split(' ') as NumberOffer['capabilities'] }),
  );
  return (
    <div className="stack">
      <Form action={form} submit="Find numbers">
        <NativeSelect
          label="Country"
          {...form.field('country_code')}
          data={countries.map(([value, label]) => ({ value, label }))}
        />
        <NativeSelect
          label="Kind"
          {...form.field('number_type')}
          data={[
            { value: 'local', label: 'Local' },
            { value: 'mobile', label: 'Mobile' },
            { value: 'toll_free', label: 'Toll free' },
            { value: 'national', label: 'National' },
          ]}
        />
        <NativeSelect
          label="For"
          {...form.field('uses')}
          data={[
            { value: 'voice sms', label: 'Calls and texts' },
            { value: 'voice', label: 'Calls' },
            { value: 'sms', label: 'Texts' },
          ]}
        />
      </Form>
      {form.result && (
        <ul className="stack tight" style={{ listStyle: 'none', margin: 0, padding: 0 }} aria-label="Offers">
          {form.result.offers.map((offer) => (
            <Offer key={offer.quote_id} offer={offer} onBought={close} />
          ))}
        </ul>
      )}
    </div>
  );
}

function AgentPick({ number, field }: { number: PhoneNumber; field: 'voice_agent_id' | 'sms_agent_id' }) {
  const agents = useAgents();
  const choose = useAction(
    (agent_id: string) => parley.numbers.update(number.id, { [field]: agent_id || null }),
    {
      changes: ['numbers'],
      message: 'Saved.',
      toast_error: true,
    },
  );
  const capable = number.capabilities.includes(field === 'voice_agent_id' ? 'voice' : 'sms');
  return (
    <NativeSelect
      size="xs"
      className="above"
      aria-label={`Agent for ${field === 'voice_agent_id' ? 'calls' : 'texts'} to ${number.e164}`}
      value={number[field] ?? ''}
      disabled={!capable || number.provisioning_state !== 'active' || choose.busy}
      onChange={(event) => choose.run(event.currentTarget.value)}
      data={[
        { value: '', label: capable ? 'None' : 'Not supported' },
        ...(agents.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
      ]}
    />
  );
}

function Release({ number }: { number: PhoneNumber }) {
  const release = useAction(() => parley.numbers.release(number.id), {
    changes: ['numbers'],
    message: `${number.e164} was released.`,
    toast_error: true,
  });
  if (number.provisioning_state === 'released') return null;
  return (
    <ConfirmButton
      size="row"
      label="Release"
      question={`Release ${number.e164} to the carrier? Another customer may get it.`}
      busy={release.busy}
      onConfirm={() => release.run(undefined)}
    />
  );
}

/** Whether the number is registered for texts, with a link to the fix. */
function SmsRegistration({ state, reason }: PhoneNumber['sms_registration']) {
  if (state === 'not_required' || state === 'unknown') return null;
  const to_fix = state === 'missing' || state === 'failed';
  return (
    <span title={reason ?? undefined} className="small">
      Texts: <StatusBadge status={state} />
      {to_fix && (
        <PageLink to="/verifications" className="above small">
          {' '}
          Register
        </PageLink>
      )}
    </span>
  );
}

const columns: Column<PhoneNumber>[] = [
  {
    title: 'Number',
    width: 'minmax(9rem, 1fr)',
    cell: ({ e164 }) => <strong className="mono">{e164}</strong>,
  },
  {
    title: 'Status',
    width: '7.5rem',
    wide: true,
    cell: ({ provisioning_state, provisioning_detail, capabilities, sms_registration }) => (
      <>
        <StatusBadge status={provisioning_state} />
        {capabilities.includes('sms') && <SmsRegistration {...sms_registration} />}
        {provisioning_detail && <div className="small muted">{provisioning_detail}</div>}
      </>
    ),
  },
  { title: 'Capabilities', width: '7rem', wide: true, cell: ({ capabilities }) => capabilities.join(', ') },
  {
    title: 'Calls go to',
    width: 'minmax(8rem, 1fr)',
    cell: (number) => <AgentPick number={number} field="voice_agent_id" />,
  },
  {
    title: 'Texts go to',
    width: 'minmax(8rem, 1fr)',
    cell: (number) => <AgentPick number={number} field="sms_agent_id" />,
  },
  {
    title: 'Kind',
    width: '6rem',
    wide: true,
    cell: ({ number_type }) => <PlainBadge>{number_type.replace('_', ' ')}</PlainBadge>,
  },
  { title: 'Actions', width: '6rem', wide: true, cell: (number) => <Release number={number} /> },
];

export function NumbersPage() {
  const numbers = useList(['numbers'], (query) => parley.numbers.list(query));
  return (
    <Page
      title="Numbers"
      about="Your own numbers, and the agents that answer them."
      actions={<DialogButton label="Buy a number">{(close) => <BuyForm close={close} />}</DialogButton>}
    >
      <RecordTable
        label="Numbers"
        query={numbers}
        columns={columns}
        empty={
          <Empty
            title="No numbers yet"
            command={<FillCommand path="/v1/numbers" body={{ country_code: 'US' }} />}
          >
            Calls use shared numbers until you have one. This buys the first match:
          </Empty>
        }
      />
    </Page>
  );
}
