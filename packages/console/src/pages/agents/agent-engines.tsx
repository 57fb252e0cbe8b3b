// The providers of an agent, where it does not use the active ones.
import { NativeSelect, TextInput } from '@mantine/core';
import type { Agent, AgentEngines } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { Form } from '../../parts/form.tsx';
import { parley } from '../../session/client.ts';
import type { useForm } from '../../state/use-form.ts';
import { useStoredForm } from '../../state/use-stored-form.ts';

const fieldsOf = ({ llm, stt, tts }: AgentEngines) => ({
  llm: llm?.provider ?? '',
  stt: stt?.provider ?? '',
  tts: tts?.provider ?? '',
  temperature: String(llm?.temperature ?? ''),
  max_output_tokens: String(llm?.max_output_tokens ?? ''),
  stt_model: stt?.model ?? '',
  keywords: (stt?.keywords ?? []).join(', '),
  speed: String(tts?.speed ?? ''),
});
type Fields = ReturnType<typeof fieldsOf>;
type EnginesForm = ReturnType<typeof useForm<Fields, Agent>>;

const numberIn = (name: string, text: string) => (text === '' ? {} : { [name]: Number(text) });

const enginesOf = (fields: Fields): AgentEngines => ({
  llm: fields.llm
    ? {
        provider: fields.llm,
        ...numberIn('temperature', fields.temperature),
        ...numberIn('max_output_tokens', fields.max_output_tokens),
      }
    : null,
  stt: fields.stt
    ? {
        provider: fields.stt,
        model: fields.stt_model || null,
        keywords: fields.keywords
          .split(',')
          .map((each) => each.trim())
          .filter((each) => each !== ''),
      }
    : null,
  tts: fields.tts ? { provider: fields.tts, ...numberIn('speed', fields.speed) } : null,
});

const ModelOptions = ({ form }: { form: EnginesForm }) => (
  <div className="grid two">
    <TextInput
      type="number"
      min={0}
      max={2}
      step="any"
      label="Temperature"
      placeholder="default of the provider"
      {...form.field('temperature')}
    />
    <TextInput
      type="number"
      min={16}
      max={4000}
      label="Tokens of one answer"
      placeholder="default of the provider"
      {...form.field('max_output_tokens')}
    />
  </div>
);

const ListenerOptions = ({ form }: { form: EnginesForm }) => (
  <div className="grid two">
    <TextInput label="Model for speech" placeholder="default of the provider" {...form.field('stt_model')} />
    <TextInput label="Words to expect" placeholder="Weber, Sousa" {...form.field('keywords')} />
  </div>
);

export function EnginesForm({ agent }: { agent: Agent }) {
  const providers = useQuery({ queryKey: ['providers'], queryFn: () => parley.providers.list() });
  const form: EnginesForm = useStoredForm(
    fieldsOf(agent.engines),
    (fields) => parley.agents.update(agent.id, { engines: enginesOf(fields) }),
    { draft: `${agent.id}/engines`, changes: ['agents'], message: 'The engines are saved.' },
  );
  const choice = (layer: 'llm' | 'stt' | 'tts') => {
    const set = (providers.data?.items ?? []).filter((each) => each.layer === layer);
    // What was removed stays visible until somebody chooses another one.
    const names = new Set([...set.map(({ provider }) => provider), form.fields[layer]].filter(Boolean));
    return { ...form.field(layer), data: [{ value: '', label: 'The active provider' }, ...names] };
  };
  return (
    <Form action={form} submit="Save engines">
      <NativeSelect label="Language model" {...choice('llm')} />
      {form.fields.llm && <ModelOptions form={form} />}
      <NativeSelect label="Speech to text" {...choice('stt')} />
      {form.fields.stt && <ListenerOptions form={form} />}
      <NativeSelect label="Text to speech" {...choice('tts')} />
      {form.fields.tts && (
        <TextInput
          type="number"
          min={0.5}
          max={2}
          step="any"
          label="Speed of speech"
          placeholder="1"
          {...form.field('speed')}
        />
      )}
    </Form>
  );
}
