// Everything that an approval would send, and why it waits.
import type { Approval, ApprovalPayload } from '@parley/sdk';
import { humanize } from '../../parts/badge.tsx';
import { CodeBlock, JsonView } from '../../parts/copy.tsx';
import { money } from '../../parts/money.ts';
import { Facts } from '../../parts/page.tsx';
import { exactTime, fileSize, Time } from '../../parts/time.tsx';
import { HtmlBody } from '../emails/email-message.tsx';

const nouns = { call: 'Call', email: 'Email', sms: 'Text' };
export function titleOf({ object, shown, messages }: Approval): string {
  if (object.noun === 'email_batch') return `Batch of emails (${messages.length})`;
  if (
    object.noun === 'number' ||
    object.noun === 'forward_address' ||
    object.noun === 'tool_call' ||
    object.noun === 'configuration'
  )
    return shown.subject ?? '';
  return `${nouns[object.noun]} to ${shown.to.join(', ')}`;
}

const present = (entries: [label: string, value: string | null | undefined][]) =>
  entries.filter((entry): entry is [string, string] => !!entry[1]);

/** Fields that add nothing to what the recipient gets are left out. */
const isSet = (value: unknown) =>
  value !== null && value !== false && (typeof value !== 'object' || Object.keys(value).length > 0);

/** The exact source of HTML is shown; the rendered version only where the server has one. */
function Html({ source, email_id }: { source: string; email_id: string | null }) {
  return (
    <>
      {email_id && <HtmlBody email={{ id: email_id, body_html: source }} />}
      <details open={email_id === null}>
        <summary>Source of the HTML</summary>
        <CodeBlock code={source} label="the HTML" />
      </details>
    </>
  );
}

export function Payload({
  payload,
  email_id = null,
}: {
  payload: ApprovalPayload;
  email_id?: string | null;
}) {
  const { from, to, cc, bcc, subject, scheduled_at, body_text, body_html, attachments } = payload;
  const more = Object.entries(payload.more).filter(([, value]) => isSet(value));
  return (
    <div className="stack tight">
      <Facts
        of={present([
          ['From', from],
          ['To', to.join(', ')],
          ['Cc', cc.join(', ')],
          ['Bcc', bcc.join(', ')],
          ['Subject', subject],
          ['Send at', scheduled_at && exactTime(scheduled_at)],
        ])}
      />
      {body_text && <div className="plain-text">{body_text}</div>}
      {body_html && <Html source={body_html} email_id={email_id} />}
      {attachments.length > 0 && (
        <Facts
          of={attachments.map(({ filename, size_bytes, sha256 }) => [
            filename,
            <span key={sha256} title={`SHA-256 ${sha256}`}>
              {fileSize(size_bytes)}
            </span>,
          ])}
        />
      )}
      {more.length > 0 && (
        <details open>
          <summary>Also part of it</summary>
          <JsonView value={Object.fromEntries(more)} label="the other fields" />
        </details>
      )}
    </div>
  );
}

/** A batch is shown whole. */
export function WhatIsSent({ approval, rendered }: { approval: Approval; rendered: boolean }) {
  const { object, shown, messages } = approval;
  if (messages.length === 0)
    return <Payload payload={shown} email_id={rendered && object.noun === 'email' ? object.id : null} />;
  return (
    <ol className="stack">
      {messages.map((payload, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the order of a batch is fixed, and two messages can be equal
        <li key={index}>
          <Payload payload={payload} />
        </li>
      ))}
    </ol>
  );
}

const requester = ({ kind, credential_id, agent_id }: Approval['requested_by']) =>
  [humanize(kind), credential_id !== kind && credential_id, agent_id && `agent ${agent_id}`]
    .filter(Boolean)
    .join(' · ');

export const Cause = ({ approval }: { approval: Approval }) => (
  <Facts
    of={[
      ['Rule', approval.rule],
      [
        'Cause',
        <ul key="cause" style={{ margin: 0, padding: 0, listStyle: 'none' }}>
          {approval.reasons.map(({ code, message }) => (
            <li key={code + message}>{message}</li>
          ))}
        </ul>,
      ],
      ['Price', money(approval.quoted_price_micros)],
      ['Requested by', requester(approval.requested_by)],
      ['Requested', <Time key="requested" at={approval.requested_at} />],
      ['Expires', <Time key="expires" at={approval.expires_at} />],
    ]}
  />
);
