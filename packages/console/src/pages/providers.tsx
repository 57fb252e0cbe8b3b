// Providers of language, hearing and voice: which is active in each layer, and whether its key works.
import { NativeSelect, PasswordInput, Switch, Textarea } from '@mantine/core';
import type { ProviderConfiguration, ProviderConfigurationList } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { inWords, PlainBadge } from '../parts/badge.tsx';
import { ConfirmButton, DialogButton } from '../parts/dialog.tsx';
import { Form } from '../parts/form.tsx';
import { Card, Page, Read } from '../parts/page.tsx';
import { RowButton } from '../parts/row-button.tsx';
import { SmallTable } from '../parts/small-table.tsx';
import { Time } from '../parts/time.tsx';
import { parley } from '../session/client.ts';
import { useAction } from '../state/use-action.tsx';
import { useForm } from '../state/use-form.ts';

const layers = [
  ['llm', 'Language', 'What the agent thinks with. Without one, a few offline rules answer.'],
  ['stt', 'Hearing', 'Turns speech into text. Without one, it happens on this machine.'],
  ['tts', 'Voice', 'Turns text into speech. Without one, it happens on this machine.'],
] as const;

type Layer = ProviderConfiguration['layer'];

function SetForm({
  layer,
  known,
  close,
}: {
  layer: Layer;
  known: ProviderConfigurationList['known'];
  close(): void;
}) {
  const offered = known.filter((each) => each.layer === layer);
  const form = useForm(
    { provider: offered[0]?.provider ?? '', api_key: '', params: '', fallback_enabled: true },
    async ({ params, ...rest }) =>
      parley.providers.set(layer, { ...rest, params: params.trim() === '' ? {} : JSON.parse(params) }),
    { changes: ['providers'], says: ({ provider }) => `${provider} is set.`, done: close },
  );
  const understood = offered.find(({ provider }) => provider === form.fields.provider)?.params ?? [];
  return (
    <Form action={form} submit="Set the provider">
      <NativeSelect
        label="Provider"
        {...form.field('provider')}
        data={offered.map((each) => each.provider)}
      />
      <PasswordInput
        label="API key"
        description="Kept encrypted and never shown again."
        autoComplete="off"
        {...form.field('api_key')}
        visibilityToggleButtonProps={{ 'aria-label': 'Show the key' }}
        required
      />
      <Textarea
        label="Settings as JSON"
        description={understood.length > 0 ? `Understands: ${understood.join(', ')}` : 'None are needed.'}
        placeholder='{"model": "…"}'
        autosize
        minRows={2}
        {...form.field('params')}
      />
      <Switch label="Let another engine take over when it fails" {...form.tick('fallback_enabled')} />
    </Form>
  );
}

function Acts({ configuration }: { configuration: ProviderConfiguration }) {
  const { layer, provider, is_active } = configuration;
  const activate = useAction(() => parley.providers.activate(layer, { provider }), {
    changes: ['providers'],
    says: `${provider} is active.`,
    loud: true,
  });
  const test = useAction(() => parley.providers.test(layer, { provider }), {
    says: ({ ok, error, duration_ms }) =>
      ok
        ? `${provider} took the key (${duration_ms} ms).`
        : `${provider} did not work: ${inWords(error ?? 'no answer')}.`,
    loud: true,
  });
  const remove = useAction(() => parley.providers.remove(layer, provider), {
    changes: ['providers'],
    says: `${provider} is removed.`,
    loud: true,
  });
  return (
    <span className="row">
      {!is_active && (
        <RowButton
          loading={activate.busy}
          onClick={() => activate.run(undefined)}
          aria-label={`Activate ${provider}`}
        >
          Activate
        </RowButton>
      )}
      <RowButton loading={test.busy} onClick={() => test.run(undefined)} aria-label={`Test ${provider}`}>
        Test
      </RowButton>
      <ConfirmButton
        size="row"
        label="Remove"
        question={`Remove ${provider} and its key?`}
        busy={remove.busy}
        onSure={() => remove.run(undefined)}
      />
    </span>
  );
}

export function ProvidersPage() {
  const providers = useQuery({ queryKey: ['providers'], queryFn: () => parley.providers.list() });
  return (
    <Page
      title="Providers"
      about="Bring your own language model, speech recognition and voice: one active provider in each layer."
    >
      <Read query={providers}>
        {({ items, known }) => (
          <div className="stack">
            {layers.map(([layer, title, about]) => (
              <Card
                key={layer}
                title={title}
                flush
                acts={
                  <DialogButton label={`Set a ${title.toLowerCase()} provider`} variant="default" size="xs">
                    {(close) => <SetForm layer={layer} known={known} close={close} />}
                  </DialogButton>
                }
              >
                <SmallTable
                  label={`${title} providers`}
                  items={items.filter((each) => each.layer === layer)}
                  keyOf={({ provider }) => provider}
                  empty={
                    <p className="muted" style={{ padding: '0 1.25rem' }}>
                      {about}
                    </p>
                  }
                  columns={[
                    { title: 'Provider', width: '25%', cell: ({ provider }) => <strong>{provider}</strong> },
                    {
                      title: 'State',
                      width: '7rem',
                      cell: ({ is_active }) => (
                        <PlainBadge tone={is_active ? 'good' : 'still'}>
                          {is_active ? 'active' : 'waiting'}
                        </PlainBadge>
                      ),
                    },
                    {
                      title: 'Key',
                      width: '8rem',
                      cell: ({ key_last4 }) => <span className="mono">…{key_last4}</span>,
                    },
                    {
                      title: 'Set',
                      width: '7rem',
                      wide: true,
                      cell: ({ key_set_at }) => <Time at={key_set_at} />,
                    },
                    {
                      title: 'Actions',
                      width: '18rem',
                      cell: (configuration) => <Acts configuration={configuration} />,
                    },
                  ]}
                />
              </Card>
            ))}
          </div>
        )}
      </Read>
    </Page>
  );
}
