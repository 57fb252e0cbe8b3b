// What an agent says and knows: its instructions, language, voice, model and variables.
import { Checkbox, Textarea, TextInput } from '@mantine/core';
import type { Agent } from '@parley/sdk';
import { useMemo } from 'react';
import { Form } from '../../parts/form.tsx';
import { PairRows, pairsOf, recordOf } from '../../parts/pair-rows.tsx';
import { parley } from '../../session/client.ts';
import { useStoredForm } from '../../state/use-stored-form.ts';

/** Values that were not changed keep their type. */
export function variablesOf(pairs: Parameters<typeof recordOf>[0], before: Agent['variables']) {
  const record: Agent['variables'] = recordOf(pairs);
  for (const [name, value] of Object.entries(before))
    if (String(value) === record[name]) record[name] = value;
  return record;
}

export function ConversationForm({ agent }: { agent: Agent }) {
  // Each call makes new keys for the rows of variables.
  const pairs = useMemo(() => pairsOf(agent.variables), [agent.variables]);
  const form = useStoredForm(
    {
      name: agent.name,
      system_prompt: agent.system_prompt ?? '',
      first_message: agent.first_message ?? '',
      language: agent.language,
      timezone: agent.timezone,
      voice: agent.voice ?? '',
      llm_model: agent.llm_model ?? '',
      ai_disclosure: agent.ai_disclosure,
      pairs,
    },
    ({ system_prompt, first_message, voice, llm_model, pairs, ...rest }) =>
      parley.agents.update(agent.id, {
        ...rest,
        system_prompt: system_prompt || null,
        first_message: first_message || null,
        voice: voice || null,
        llm_model: llm_model || null,
        variables: variablesOf(pairs, agent.variables),
      }),
    { draft: `${agent.id}/conversation`, changes: ['agents'], message: ({ name }) => `${name} was saved.` },
  );
  return (
    <Form action={form} submit="Save conversation">
      <TextInput label="Name" {...form.field('name')} required />
      <Textarea
        label="Instructions"
        description="Its task, its tone and what it should know. {{name}} stands for a variable."
        autosize
        minRows={6}
        maxRows={24}
        {...form.field('system_prompt')}
      />
      <TextInput label="First sentence on a call" {...form.field('first_message')} />
      <Checkbox
        label="Start calls with the sentence that the speaker is an AI"
        {...form.checkbox('ai_disclosure')}
      />
      <div className="grid two">
        <TextInput label="Language" placeholder="en" {...form.field('language')} required />
        <TextInput label="Time zone" placeholder="Europe/Berlin" {...form.field('timezone')} required />
        <TextInput label="Voice" placeholder="default of the provider" {...form.field('voice')} />
        <TextInput label="Model" placeholder="default of the provider" {...form.field('llm_model')} />
      </div>
      <PairRows
        label="Variables"
        about="Defaults; a call can set its own values. now, date, weekday, time, person, own, direction and contact_name always exist."
        noun="variable"
        pairs={form.fields.pairs}
        onChange={(pairs) => form.set({ pairs })}
      />
    </Form>
  );
}
