// LLM, speech-to-text and text-to-speech providers: which is active in each layer, and whether its key works.
import { NativeSelect, PasswordInput, Switch, Textarea } from '@mantine/core';
import type { ProviderConfiguration, ProviderConfigurationList } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { humanize, PlainBadge } from '../../parts/badge.tsx';
import { ConfirmButton, DialogButton } from '../../parts/dialog.tsx';
import { Form } from '../../parts/form.tsx';
import { Card, Page, Read } from '../../parts/page.tsx';
import { RowButton } from '../../parts/row-button.tsx';
import { SmallTable } from '../../parts/small-table.tsx';
import { Time } from '../../parts/time.tsx';
import { parley } from '../../session/client.ts';
import { useAction } from '../../state/use-action.tsx';
import { useForm } from '../../state/use-form.ts';

const layers = [
  [
    'llm',
    'Language model',
    'Generates what the agent says. Without a provider, a few offline rules are used.',
  ],
  ['stt', 'Speech to text', 'Without a provider, speech is recognized on this machine.'],
  ['tts', 'Text to speech', 'Without a provider, speech is generated on this machine.'],
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
    { changes: ['providers'], message: ({ provider }) => `${provider} was set.`, done: close },
  );
  const understood = offered.find(({ provider }) => provider === form.fields.provider)?.params ?? [];
  return (
    <Form action={form} submit="Set provider">
      <NativeSelect
        label="Provider"
        {...form.field('provider')}
        data={offered.map((each) => each.provider)}
      />
      <PasswordInput
        label="API key"
        description="Stored encrypted and never shown again. A server of your own may need none."
        autoComplete="off"
        {...form.field('api_key')}
        visibilityToggleButtonProps={{ 'aria-label': 'Show the key' }}
      />
      <Textarea
        label="Settings as JSON"
        description={understood.length > 0 ? `Supported: ${understood.join(', ')}` : 'None needed.'}
        placeholder='{"model": "…"}'
        autosize
        minRows={2}
        {...form.field('params')}
      />
      <Switch label="Fall back to another provider when it fails" {...form.checkbox('fallback_enabled')} />
    </Form>
  );
}

function Actions({ configuration }: { configuration: ProviderConfiguration }) {
  const { layer, provider, is_active } = configuration;
  const activate = useAction(() => parley.providers.activate(layer, { provider }), {
    changes: ['providers'],
    message: `${provider} is active.`,
    toast_error: true,
  });
  const test = useAction(() => parley.providers.test(layer, { provider }), {
    message: ({ ok, error, duration_ms }) =>
      ok
        ? `${provider} accepted the key (${duration_ms} ms).`
        : `${provider} failed: ${humanize(error ?? 'no response')}.`,
    toast_error: true,
  });
  const remove = useAction(() => parley.providers.remove(layer, provider), {
    changes: ['providers'],
    message: `${provider} was removed.`,
    toast_error: true,
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
        onConfirm={() => remove.run(undefined)}
      />
    </span>
  );
}

export function ProvidersPage() {
  const providers = useQuery({ queryKey: ['providers'], queryFn: () => parley.providers.list() });
  return (
    <Page
      title="Providers"
      about="Use your own language model, speech recognition and voice: one active provider per layer."
    >
      <Read query={providers}>
        {({ items, known }) => (
          <div className="stack">
            {layers.map(([layer, title, about]) => (
              <Card
                key={layer}
                title={title}
                flush
                actions={
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
                      title: 'Status',
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
                      cell: ({ key_last4 }) => (
                        <span className="mono">{key_last4 ? `…${key_last4}` : '–'}</span>
                      ),
                    },
                    {
                      title: 'Created',
                      width: '7rem',
                      wide: true,
                      cell: ({ key_set_at }) => <Time at={key_set_at} />,
                    },
                    {
                      title: 'Actions',
                      width: '18rem',
                      cell: (configuration) => <Actions configuration={configuration} />,
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
