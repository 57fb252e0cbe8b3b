// One message: its body in every format, its attachments, the results of the checks, and its timeline.
import { Button, Tabs } from '@mantine/core';
import type { Email } from '@parley/sdk';
import { IconAlertTriangle, IconCheck, IconMinus, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ConsentLinks } from '../../parts/consent-links.tsx';
import { CodeBlock, CopyText } from '../../parts/copy.tsx';
import { Facts, Read } from '../../parts/page.tsx';
import { RowButton } from '../../parts/row-button.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { SmallTable } from '../../parts/small-table.tsx';
import { fileSize } from '../../parts/time.tsx';
import { Timeline } from '../../parts/timeline.tsx';
import { parley } from '../../session/client.ts';
import { useAction } from '../../state/use-action.tsx';

const shown_chars = 200_000;

/** The base URL of the server can differ from the origin of this page; only the path is used. */
const here = (url: string) => {
  const { pathname, search } = new URL(url);
  return location.origin + pathname + search;
};

export function HtmlBody({ email }: { email: Pick<Email, 'id' | 'body_html'> }) {
  const [images, setImages] = useState(false);
  const preview = useQuery({
    queryKey: ['previews', email.id, images],
    queryFn: () => parley.emails.preview(email.id, { remote_images: images ? 'true' : 'false' }),
    staleTime: 300_000,
  });
  const has_remote = /(src|background|url\()\s*=?\s*["']?\s*https?:/i.test(email.body_html ?? '');
  return (
    <div className="stack tight">
      {has_remote && !images && (
        <div className="row small">
          <span className="muted">
            Remote images are blocked: they would show the sender that you read this.
          </span>
          <Button size="compact-xs" variant="default" onClick={() => setImages(true)}>
            Load images
          </Button>
        </div>
      )}
      <Read query={preview}>
        {({ url }) => (
          <iframe
            className="mail-frame"
            title="The HTML version of the email"
            src={here(url)}
            sandbox="allow-popups allow-popups-to-escape-sandbox"
            referrerPolicy="no-referrer"
          />
        )}
      </Read>
    </div>
  );
}

const useRaw = (email: Email) =>
  useQuery({
    queryKey: ['raw', email.id],
    queryFn: async () => (await parley.request('GET', `/v1/emails/${email.id}/raw`)).text(),
    staleTime: Number.POSITIVE_INFINITY,
  });

function Headers({ email }: { email: Email }) {
  return (
    <Read query={useRaw(email)}>
      {(raw) => {
        const end = raw.search(/\r?\n\r?\n/);
        const lines = raw
          .slice(0, end < 0 ? raw.length : end)
          .replaceAll(/\r?\n[ \t]+/g, ' ')
          .split(/\r?\n/);
        return (
          <Facts
            of={lines.map((line, index) => {
              const colon = line.indexOf(':');
              const name = line.slice(0, colon);
              // The same header can occur twice.
              return [
                lines.findIndex((each) => each.startsWith(`${name}:`)) === index
                  ? name
                  : `${name} (${index})`,
                <span key={line} className="mono">
                  {line.slice(colon + 1).trim()}
                </span>,
              ];
            })}
          />
        );
      }}
    </Read>
  );
}

const Raw = ({ email }: { email: Email }) => (
  <Read query={useRaw(email)}>
    {(raw) => <CodeBlock code={raw.slice(0, shown_chars)} label="the raw message" />}
  </Read>
);

function Files({ email }: { email: Email }) {
  const save = useAction(
    ({ id, filename }: { id: string; filename: string }) =>
      saveFile(`/v1/emails/${email.id}/attachments/${id}`, filename),
    { toast_error: true },
  );
  return (
    <SmallTable
      label="Attachments"
      items={email.attachments}
      keyOf={({ id }) => id}
      columns={[
        { title: 'Name', width: '50%', cell: ({ filename }) => <span className="break">{filename}</span> },
        {
          title: 'Type',
          width: '25%',
          cell: ({ content_type }) => <span className="mono">{content_type}</span>,
        },
        { title: 'Size', width: '6rem', cell: ({ size_bytes }) => fileSize(size_bytes) },
        {
          title: '',
          width: '6rem',
          cell: ({ id, filename }) => (
            <RowButton onClick={() => save.run({ id, filename })} aria-label={`Save ${filename}`}>
              Save
            </RowButton>
          ),
        },
      ]}
    />
  );
}

const verdict_styles: Record<string, [tone: string, Icon: typeof IconCheck, text: string]> = {
  PASS: ['good', IconCheck, 'passed'],
  FAIL: ['bad', IconX, 'failed'],
  GRAY: ['warn', IconAlertTriangle, 'undecided'],
  PROCESSING_FAILED: ['warn', IconAlertTriangle, 'could not be checked'],
  DISABLED: ['still', IconMinus, 'not checked'],
};

function Verdicts({ email }: { email: Email }) {
  const verdicts: [string, string | null][] = [
    ['SPF', email.spf_verdict],
    ['DKIM', email.dkim_verdict],
    ['DMARC', email.dmarc_verdict],
    ['Spam', email.spam_verdict],
    ['Virus', email.virus_verdict],
  ];
  if (verdicts.every(([, verdict]) => verdict === null)) return null;
  return (
    <ul className="row small" style={{ listStyle: 'none', margin: 0, padding: 0 }} aria-label="Verdicts">
      {verdicts.map(([name, verdict]) => {
        const [tone, Icon, text] = verdict_styles[verdict ?? 'DISABLED'] ?? verdict_styles.DISABLED!;
        return (
          <li key={name} className={`tick ${tone}`}>
            <Icon size={15} aria-hidden /> {name} {text}
          </li>
        );
      })}
    </ul>
  );
}

const othersOf = (email: Email) =>
  email.direction === 'inbound'
    ? [email.from_address]
    : [...email.to_addresses, ...email.cc_addresses, ...email.bcc_addresses];

export function Message({ email_id }: { email_id: string }) {
  const email = useQuery({ queryKey: ['emails', email_id], queryFn: () => parley.emails.get(email_id) });
  const timeline = useQuery({
    queryKey: ['emails', email_id, 'events'],
    queryFn: async () => (await parley.emails.events(email_id, { limit: 200 })).items,
  });
  return (
    <Read query={email}>
      {(found) => (
        <div className="grid side" style={{ marginTop: '1rem' }}>
          <div className="stack tight">
            <Verdicts email={found} />
            <Tabs defaultValue={found.body_html ? 'html' : 'text'} keepMounted={false}>
              <Tabs.List>
                {found.body_html && <Tabs.Tab value="html">HTML</Tabs.Tab>}
                <Tabs.Tab value="text">Text</Tabs.Tab>
                <Tabs.Tab value="headers">Headers</Tabs.Tab>
                <Tabs.Tab value="raw">Raw</Tabs.Tab>
                <Tabs.Tab value="files">Attachments ({found.attachments.length})</Tabs.Tab>
              </Tabs.List>
              <div style={{ paddingTop: '0.9rem' }}>
                {found.body_html && (
                  <Tabs.Panel value="html">
                    <HtmlBody email={found} />
                  </Tabs.Panel>
                )}
                <Tabs.Panel value="text">
                  <div style={{ whiteSpace: 'pre-wrap' }} className="break">
                    {found.body_text || <span className="muted">This email has no text.</span>}
                  </div>
                </Tabs.Panel>
                <Tabs.Panel value="headers">
                  {found.raw_url ? (
                    <Headers email={found} />
                  ) : (
                    <p className="muted">The raw message is not stored.</p>
                  )}
                </Tabs.Panel>
                <Tabs.Panel value="raw">
                  {found.raw_url ? (
                    <Raw email={found} />
                  ) : (
                    <p className="muted">The raw message is not stored.</p>
                  )}
                </Tabs.Panel>
                <Tabs.Panel value="files">
                  {found.attachments.length > 0 ? (
                    <Files email={found} />
                  ) : (
                    <p className="muted">No files are attached.</p>
                  )}
                </Tabs.Panel>
              </div>
            </Tabs>
          </div>
          <div className="stack">
            <Facts
              of={[
                ['From', found.from_name ? `${found.from_name} <${found.from_address}>` : found.from_address],
                ['To', found.to_addresses.join(', ')],
                ...(found.cc_addresses.length > 0
                  ? ([['Cc', found.cc_addresses.join(', ')]] as [string, string][])
                  : []),
                ...(found.bcc_addresses.length > 0
                  ? ([['Bcc', found.bcc_addresses.join(', ')]] as [string, string][])
                  : []),
                ['Consents', <ConsentLinks key="consents" of={othersOf(found)} />],
                ['Id', <CopyText key="id" text={found.id} label="the id of the email" />],
              ]}
            />
            <Read query={timeline}>{(entries) => <Timeline entries={entries} />}</Read>
          </div>
        </div>
      )}
    </Read>
  );
}
