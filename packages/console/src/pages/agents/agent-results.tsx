// What a call of an agent results in: a summary, whether it succeeded, and typed data.
import { Checkbox, Textarea } from '@mantine/core';
import type { Agent } from '@parley/sdk';
import { Form } from '../../parts/form.tsx';
import { JsonField, jsonText, parseJson } from '../../parts/json-field.tsx';
import { parley } from '../../session/client.ts';
import { useStoredForm } from '../../state/use-stored-form.ts';

const example =
  '{"type": "object", "properties": {"pays_on": {"type": ["string", "null"], "format": "date"}}}';

export function ResultsForm({ agent }: { agent: Agent }) {
  const form = useStoredForm(
    {
      summarize: agent.summarize,
      success_criteria: agent.success_criteria ?? '',
      result_schema: agent.result_schema ? jsonText(agent.result_schema) : '',
    },
    async ({ summarize, success_criteria, result_schema }) =>
      parley.agents.update(agent.id, {
        summarize,
        success_criteria: success_criteria || null,
        result_schema: parseJson<Agent['result_schema']>(result_schema, 'The schema', null),
      }),
    { draft: `${agent.id}/result`, changes: ['agents'], message: 'The result is saved.' },
  );
  return (
    <Form action={form} submit="Save result">
      <Checkbox label="Write a summary of each call" {...form.checkbox('summarize')} />
      <Textarea
        label="A call is successful when"
        placeholder="The person named a day on which they pay."
        autosize
        minRows={2}
        {...form.field('success_criteria')}
      />
      <JsonField
        label="Data to take from each call"
        description="A JSON Schema of an object. Empty: none."
        placeholder={example}
        {...form.field('result_schema')}
      />
    </Form>
  );
}
