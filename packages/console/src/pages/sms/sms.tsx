// Texts as conversations: the list on the left, the messages on the right.
import { Textarea } from '@mantine/core';
import type { Sms } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { humanize, Outcome } from '../../parts/badge.tsx';
import { Consent } from '../../parts/consent.tsx';
import { ExplainCard } from '../../parts/explain.tsx';
import { FillCommand } from '../../parts/fill-command.tsx';
import { Form } from '../../parts/form.tsx';
import { HoldNotice } from '../../parts/hold.tsx';
import { LinkButton, PageLink } from '../../parts/link.tsx';
import { MissingTransport } from '../../parts/missing-transport.tsx';
import { Card, Empty, Page, Read } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { SegmentCount } from '../../parts/segment-count.tsx';
import { Time } from '../../parts/time.tsx';
import { parley } from '../../session/client.ts';
import { facts } from '../../session/facts.ts';
import { example_texter } from '../../state/examples.ts';
import { useFilters } from '../../state/use-filters.ts';
import { useForm } from '../../state/use-form.ts';
import { useList } from '../../state/use-list.ts';

const otherOf = (sms: Sms) => (sms.direction === 'outbound' ? sms.to : sms.from);
const oursOf = (sms: Sms) => (sms.direction === 'outbound' ? sms.from : sms.to);

const Bubble = ({ sms }: { sms: Sms }) => (
  <div className={sms.direction === 'outbound' ? 'bubble ours' : 'bubble'}>
    {sms.body}
    <span className="meta">
      <Time at={sms.requested_at} />
      {sms.direction === 'outbound' && (
        <span>
          {humanize(sms.status)}
          {sms.error_code ? `: ${humanize(sms.error_code)}` : ''}
        </span>
      )}
      {sms.segments > 1 && <span>{sms.segments} segments</span>}
    </span>
    {sms.hold && (
      <HoldNotice
        hold={sms.hold}
        noun="text"
        changes={['sms']}
        cancel={() => parley.sms.cancel(sms.id)}
        move={(scheduled_at) => parley.sms.update(sms.id, { scheduled_at })}
      />
    )}
  </div>
);

function Conversation({ newest }: { newest: Sms }) {
  const { conversation_id } = newest;
  const messages = useQuery({
    queryKey: ['sms', 'conversation', conversation_id],
    queryFn: async () => (await parley.sms.list({ conversation_id, limit: 200 })).items.toReversed(),
  });
  const form = useForm(
    { body: '', recipient_consent: false },
    ({ body, recipient_consent }, options) =>
      parley.sms.create(
        {
          to: otherOf(newest),
          from: oursOf(newest),
          body,
          recipient_consent: recipient_consent as true,
        },
        options,
      ),
    { changes: ['sms'], done: () => form.set({ body: '' }) },
  );
  return (
    <Card
      title={otherOf(newest)}
      actions={
        <span className="row small muted">
          <span>with {oursOf(newest)}</span>
          <PageLink to="/consents" search={{ recipient: otherOf(newest) }}>
            Consents
          </PageLink>
        </span>
      }
    >
      <Read query={messages}>
        {(items) => (
          <div className="talk" role="log" aria-label="Texts">
            {items.map((sms) => (
              <Bubble key={sms.id} sms={sms} />
            ))}
          </div>
        )}
      </Read>
      <ExplainCard key={newest.id} id={newest.id} />
      <div style={{ marginTop: '1.25rem' }}>
        <Form action={form} submit="Send">
          <Textarea label="Reply" autosize minRows={2} {...form.field('body')} required />
          <SegmentCount text={form.fields.body} />
          <Consent {...form.checkbox('recipient_consent')} />
        </Form>
      </div>
    </Card>
  );
}

export function SmsPage() {
  const { conversation } = useFilters();
  const navigate = useNavigate();
  const texts = useList(['sms'], (query) => parley.sms.list(query));
  const newest = useMemo(() => {
    const seen = new Map<string, Sms>();
    for (const sms of texts.items) if (!seen.has(sms.conversation_id)) seen.set(sms.conversation_id, sms);
    return [...seen.values()];
  }, [texts.items]);
  const chosen = newest.find(({ conversation_id }) => conversation_id === conversation) ?? newest[0];
  return (
    <Page
      title="SMS"
      about="Every text conversation, with both sides."
      actions={
        <LinkButton to="/compose" search={{ channel: 'sms' }}>
          Write a text
        </LinkButton>
      }
    >
      <MissingTransport of={['carrier']} />
      {texts.error && <Problem error={texts.error} />}
      {!chosen && !texts.isPending ? (
        <section className="card flush">
          <Empty
            title="No texts yet"
            command={
              <FillCommand
                path="/v1/sms"
                body={{ to: example_texter, body: 'Hello', recipient_consent: true }}
              />
            }
          >
            {facts.is_sandbox ? 'This one gets the same text as a reply:' : 'This sends one:'}
          </Empty>
        </section>
      ) : (
        <div className="split">
          <section className="card flush" aria-label="Conversations">
            <ul className="side-list">
              {newest.map((sms) => (
                <li key={sms.conversation_id}>
                  <button
                    type="button"
                    aria-current={sms === chosen}
                    onClick={() =>
                      void navigate({ to: '/sms', search: { conversation: sms.conversation_id } as never })
                    }
                  >
                    <span className="row spread" style={{ flexWrap: 'nowrap' }}>
                      <strong className="clip">{otherOf(sms)}</strong>
                      <span className="small muted">
                        <Time at={sms.requested_at} />
                      </span>
                    </span>
                    <span className="clip muted" style={{ display: 'block' }}>
                      {sms.body}
                    </span>
                    <Outcome
                      status={sms.hold ? 'waiting' : sms.status}
                      reason={sms.hold?.kind ?? sms.error_code}
                    />
                  </button>
                </li>
              ))}
              {texts.hasNextPage && (
                <li>
                  <button type="button" onClick={() => void texts.fetchNextPage()}>
                    Older …
                  </button>
                </li>
              )}
            </ul>
          </section>
          {chosen && <Conversation key={chosen.conversation_id} newest={chosen} />}
        </div>
      )}
    </Page>
  );
}
