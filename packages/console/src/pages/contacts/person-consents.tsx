// The consents of one number or address: whether it may be contacted now, and the ledger with the proof of each entry.
import { NativeSelect } from '@mantine/core';
import type { Consent, ConsentCheck } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { humanize, PlainBadge, StatusBadge } from '../../parts/badge.tsx';
import { CopyText } from '../../parts/copy.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { Card, Empty, Facts, Read } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import type { Column } from '../../parts/record-table.tsx';
import { RowButton } from '../../parts/row-button.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { SmallTable } from '../../parts/small-table.tsx';
import { exactTime, Time } from '../../parts/time.tsx';
import { parley } from '../../session/client.ts';
import { useAction } from '../../state/use-action.tsx';
import { useList } from '../../state/use-list.ts';
import { type ConsentChannel, channelsFor, purposes, RecordConsent, RevokeConsent } from './consent-form.tsx';

const reasons: Record<ConsentCheck['reason'], string> = {
  consent: 'There is an active consent.',
  warrant: 'The contact rules ask only for recipient_consent in the request.',
  suppressed: 'The person must not be contacted on this channel.',
  not_recorded: 'The contact rules ask for a recorded consent, and there is none.',
};
const channel_names: Record<ConsentChannel, string> = { call: 'Calls', email: 'Emails', sms: 'Texts' };

function CheckResult({
  recipient,
  channel,
  purpose,
}: {
  recipient: string;
  channel: ConsentChannel;
  purpose: Consent['purposes'][number];
}) {
  const check = useQuery({
    queryKey: ['consents', 'check', recipient, channel, purpose],
    queryFn: () => parley.consents.check({ recipient, channel, purpose }),
  });
  return (
    <Read query={check}>
      {({ allowed, reason }) => (
        <>
          <PlainBadge tone={allowed ? 'good' : 'bad'}>{allowed ? 'allowed' : 'not allowed'}</PlainBadge>{' '}
          <span className="muted">{reasons[reason]}</span>
        </>
      )}
    </Read>
  );
}

function Check({ recipient }: { recipient: string }) {
  const [purpose, setPurpose] = useState<Consent['purposes'][number]>('conversational');
  return (
    <div className="stack tight" role="status" aria-label={`Whether ${recipient} may be contacted`}>
      <NativeSelect
        label="Purpose"
        value={purpose}
        onChange={(event) => setPurpose(event.currentTarget.value as typeof purpose)}
        data={purposes}
        style={{ maxWidth: '14rem' }}
      />
      <Facts
        of={channelsFor(recipient).map((channel) => [
          channel_names[channel],
          <CheckResult key={channel} recipient={recipient} channel={channel} purpose={purpose} />,
        ])}
      />
    </div>
  );
}

/** Where people find the message or call in which the consent was revoked. */
const revocationText = ({ revoked_by, revoked_channels, revoked_at }: Consent) =>
  revoked_at &&
  `${revoked_channels.join(', ')} by ${humanize(revoked_by?.kind ?? 'unknown')}, ${exactTime(revoked_at)}`;

function ProofFile({ consent }: { consent: Consent }) {
  const save = useAction(() => saveFile(`/v1/consents/${consent.id}/proof`, consent.proof_attachment_id!), {
    toast_error: true,
  });
  return (
    <RowButton loading={save.busy} onClick={() => save.run(undefined)}>
      Save the file
    </RowButton>
  );
}

export const ConsentFacts = ({ consent }: { consent: Consent }) => {
  const { kind, url, ip, text_shown, captured_at } = consent.source;
  return (
    <Facts
      of={[
        ['Status', <StatusBadge key="status" status={consent.status} />],
        ['Channels', consent.channels.join(', ')],
        ['Purposes', consent.purposes.join(', ')],
        ['Basis', humanize(consent.basis)],
        ['Source', humanize(kind)],
        ['Page', url && <span className="break">{url}</span>],
        ['Sent from', ip],
        ['Read or heard', text_shown && <span className="break">{text_shown}</span>],
        ['Agreed', captured_at && exactTime(captured_at)],
        ['Proof', consent.proof_attachment_id && <ProofFile key="proof" consent={consent} />],
        ['Recorded', exactTime(consent.created_at)],
        [
          'Recorded by',
          <span key="by" className="break">
            {consent.recorded_by ?? 'the service'}
          </span>,
        ],
        ['Expires', consent.expires_at && exactTime(consent.expires_at)],
        ['Revoked', revocationText(consent)],
        [
          'Revoked in',
          consent.revoked_by?.item_id && (
            <CopyText key="item" text={consent.revoked_by.item_id} label="the id of the message or call" />
          ),
        ],
        [
          'Their words',
          consent.revoked_by?.quote && (
            <span key="quote" className="break">
              {consent.revoked_by.quote}
            </span>
          ),
        ],
      ]}
    />
  );
};

const nameOf = ({ basis, channels, recipient }: Consent) =>
  `${humanize(basis)} consent of ${recipient} for ${channels.join(' and ')}`;

export const ConsentActions = ({ consent }: { consent: Consent }) => (
  <span className="row" style={{ flexWrap: 'nowrap' }}>
    <DialogButton size="row" label="Show" title={`Show ${nameOf(consent)}`}>
      {() => <ConsentFacts consent={consent} />}
    </DialogButton>
    {consent.status === 'active' && (
      <DialogButton size="row" label="Revoke" title={`Revoke ${nameOf(consent)}`}>
        {(close) => <RevokeConsent consent={consent} close={close} />}
      </DialogButton>
    )}
  </span>
);

const columns: Column<Consent>[] = [
  { title: 'Status', width: '7rem', cell: ({ status }) => <StatusBadge status={status} /> },
  { title: 'Channels', width: '15%', cell: ({ channels }) => channels.join(', ') },
  { title: 'Purposes', width: '20%', cell: (consent) => consent.purposes.join(', ') },
  { title: 'Basis', width: '18%', cell: ({ basis }) => humanize(basis) },
  { title: 'Source', width: '15%', cell: ({ source }) => humanize(source.kind) },
  { title: 'Recorded', width: '7rem', cell: ({ created_at }) => <Time at={created_at} /> },
  { title: 'Actions', width: '9rem', cell: (consent) => <ConsentActions consent={consent} /> },
];

export function PersonConsents({ recipient }: { recipient: string }) {
  const ledger = useList(['consents', recipient], (query) => parley.consents.list({ ...query, recipient }));
  return (
    <Card
      flush
      title={recipient}
      actions={
        <DialogButton label="Record a consent" title={`Record a consent of ${recipient}`} variant="default">
          {(close) => <RecordConsent recipient={recipient} close={close} />}
        </DialogButton>
      }
    >
      <div className="padded">
        <Check recipient={recipient} />
      </div>
      {ledger.error ? (
        <Problem error={ledger.error} />
      ) : (
        <SmallTable
          label={`Consents of ${recipient}`}
          items={ledger.items}
          keyOf={({ id }) => id}
          columns={columns}
          empty={ledger.isPending ? undefined : <Empty title="No consent is recorded" />}
        />
      )}
      {ledger.hasNextPage && (
        <div className="padded">
          <RowButton loading={ledger.isFetchingNextPage} onClick={() => void ledger.fetchNextPage()}>
            Older entries
          </RowButton>
        </div>
      )}
    </Card>
  );
}
