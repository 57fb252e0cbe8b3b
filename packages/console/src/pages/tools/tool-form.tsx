// The form of an HTTP tool: what the model is told, and the request that is sent.
import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import type { Tool, ToolCreate } from '@parley/sdk';
import { Form, splitList } from '../../parts/form.tsx';
import { JsonField, jsonText, parseJson } from '../../parts/json-field.tsx';
import { type Pair, PairRows, recordOf } from '../../parts/pair-rows.tsx';
import { TimeLimitField } from '../../parts/time-limit.tsx';
import { parley } from '../../session/client.ts';
import { useForm } from '../../state/use-form.ts';

const no_parameters = { type: 'object', properties: {}, required: [] };

const fieldsOf = (tool?: Tool) => ({
  name: tool?.name ?? '',
  description: tool?.description ?? '',
  url: tool?.url ?? '',
  effect: tool?.effect ?? 'act',
  parameters: jsonText(tool?.parameters ?? no_parameters),
  fixed: tool && Object.keys(tool.fixed).length > 0 ? jsonText(tool.fixed) : '',
  headers: [] as Pair[],
  timeout_ms: String(tool?.timeout_ms ?? 8000),
  redact: (tool?.redact ?? []).join(', '),
  approval: tool?.approval ?? 'none',
  start: tool?.speech?.start ?? '',
  slow_after_ms: String(tool?.speech?.slow_after_ms ?? 2500),
  slow: (tool?.speech?.slow ?? []).join('\n'),
  failed: tool?.speech?.failed ?? '',
});
type Fields = ReturnType<typeof fieldsOf>;
type ToolFields = ReturnType<typeof useForm<Fields, Tool>>;

const speechOf = ({ start, slow_after_ms, slow, failed }: Fields): ToolCreate['speech'] => {
  const sentences = slow.split('\n').filter((line) => line.trim() !== '');
  if (!start && !failed && sentences.length === 0) return null;
  return {
    start: start || null,
    slow_after_ms: Number(slow_after_ms),
    slow: sentences,
    failed: failed || null,
  };
};

/** Stored headers cannot be read, so they are sent only when new ones are given. */
const bodyOf = (fields: Fields): ToolCreate => ({
  name: fields.name,
  description: fields.description,
  url: fields.url,
  effect: fields.effect,
  parameters: parseJson<ToolCreate['parameters']>(fields.parameters, 'The arguments', no_parameters),
  fixed: parseJson<Record<string, unknown>>(fields.fixed, 'The fixed arguments', {}),
  ...(fields.headers.length > 0 ? { headers: recordOf(fields.headers) } : {}),
  timeout_ms: Number(fields.timeout_ms),
  redact: splitList(fields.redact),
  approval: fields.approval,
  speech: speechOf(fields),
});

const Request = ({ form, tool }: { form: ToolFields; tool: Tool | undefined }) => (
  <>
    <TextInput
      label="URL"
      description={
        tool && tool.header_names.length > 0
          ? 'Each use is one signed POST. A new URL removes the stored headers.'
          : 'Each use is one signed POST.'
      }
      type="url"
      placeholder="https://api.example.com/slots"
      {...form.field('url')}
      required
    />
    <PairRows
      label="Headers"
      about={
        tool && tool.header_names.length > 0
          ? `Stored: ${tool.header_names.join(', ')}. New headers replace all of them.`
          : 'Stored encrypted and never shown again.'
      }
      noun="header"
      pairs={form.fields.headers}
      onChange={(headers) => form.set({ headers })}
    />
    <div className="grid two">
      <NativeSelect
        label="What it does"
        {...form.field('effect')}
        data={[
          { value: 'act', label: 'Acts: runs after the agent’s words were heard' },
          { value: 'read', label: 'Reads only: runs while the agent speaks' },
        ]}
      />
      <TimeLimitField {...form.field('timeout_ms')} />
    </div>
  </>
);

const Speech = ({ form }: { form: ToolFields }) => (
  <details>
    <summary>What the agent says while it runs</summary>
    <div className="stack" style={{ marginTop: '0.75rem' }}>
      <TextInput
        label="At the start"
        placeholder="a short phrase such as “One moment.”"
        {...form.field('start')}
      />
      <TextInput
        type="number"
        min={1000}
        max={20_000}
        label="It is slow after milliseconds"
        {...form.field('slow_after_ms')}
      />
      <Textarea label="When it is slow, one sentence per line" autosize {...form.field('slow')} />
      <TextInput label="When it failed" {...form.field('failed')} />
    </div>
  </details>
);

export function ToolForm({ tool, done }: { tool?: Tool; done(saved: Tool): void }) {
  const form: ToolFields = useForm(
    fieldsOf(tool),
    async (fields) =>
      tool ? parley.tools.update(tool.id, bodyOf(fields)) : parley.tools.create(bodyOf(fields)),
    { changes: ['tools'], message: ({ name }) => `${name} was saved.`, done },
  );
  return (
    <Form action={form} submit={tool ? 'Save tool' : 'Create tool'}>
      <TextInput
        label="Name"
        description="What the model calls: lower-case letters, digits and _."
        placeholder="check_slots"
        {...form.field('name')}
        required
      />
      <Textarea
        label="Description"
        description="Tells the model what it does and when to use it."
        autosize
        {...form.field('description')}
        required
      />
      <Request form={form} tool={tool} />
      <JsonField
        label="Arguments that the model writes"
        description="A JSON Schema of an object."
        {...form.field('parameters')}
      />
      <JsonField
        label="Arguments that you set"
        description="The model neither sees nor changes them."
        placeholder='{"caller": "{{person}}"}'
        minRows={2}
        {...form.field('fixed')}
      />
      <TextInput label="Arguments that are not stored" placeholder="card, pin" {...form.field('redact')} />
      <NativeSelect
        label="Approval"
        {...form.field('approval')}
        data={[
          { value: 'none', label: 'Not needed' },
          { value: 'required', label: 'A person approves each call' },
        ]}
      />
      <Speech form={form} />
    </Form>
  );
}
