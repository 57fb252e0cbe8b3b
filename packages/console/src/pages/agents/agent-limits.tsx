// How much an agent may do in one conversation, how long it talks, and what it does with an answering machine.
import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import type { Agent } from '@parley/sdk';
import { Form } from '../../parts/form.tsx';
import { parley } from '../../session/client.ts';
import { useStoredForm } from '../../state/use-stored-form.ts';

const limits = [
  ['tool_calls', 'Tool calls', 100],
  ['texts', 'Texts', 10],
  ['emails', 'Emails', 10],
  ['transfers', 'Transfers', 5],
  ['hold_seconds', 'Seconds on hold', 1800],
] as const;
type LimitName = (typeof limits)[number][0];

export function LimitsForm({ agent }: { agent: Agent }) {
  const form = useStoredForm(
    {
      limits: Object.fromEntries(limits.map(([name]) => [name, String(agent.limits[name] ?? '')])) as Record<
        LimitName,
        string
      >,
      max_duration_seconds: String(agent.max_duration_seconds),
      action: agent.voicemail.action ?? 'leave_message',
      message: agent.voicemail.message ?? '',
    },
    ({ limits, max_duration_seconds, action, message }) =>
      parley.agents.update(agent.id, {
        max_duration_seconds: Number(max_duration_seconds),
        limits: Object.fromEntries(Object.entries(limits).map(([name, text]) => [name, Number(text)])),
        voicemail: { action, message: message || null },
      }),
    { draft: `${agent.id}/limits`, changes: ['agents'], message: 'The limits are saved.' },
  );
  const setLimit = (name: LimitName, value: string) =>
    form.set({ limits: { ...form.fields.limits, [name]: value } });
  return (
    <Form action={form} submit="Save limits">
      <TextInput
        type="number"
        min={30}
        max={14_400}
        label="Longest call in seconds"
        {...form.field('max_duration_seconds')}
        required
      />
      <fieldset className="plain stack tight">
        <legend>At most in one conversation</legend>
        <div className="grid">
          {limits.map(([name, label, max]) => (
            <TextInput
              key={name}
              type="number"
              min={0}
              max={max}
              label={label}
              value={form.fields.limits[name]}
              onChange={(event) => setLimit(name, event.currentTarget.value)}
              required
            />
          ))}
        </div>
      </fieldset>
      <NativeSelect
        label="When an answering machine answers"
        {...form.field('action')}
        data={[
          { value: 'leave_message', label: 'Leave a message' },
          { value: 'hang_up', label: 'Hang up' },
        ]}
      />
      {form.fields.action === 'leave_message' && (
        <Textarea
          label="Message"
          placeholder="the first sentence, else words of the model"
          autosize
          minRows={2}
          {...form.field('message')}
        />
      )}
    </Form>
  );
}
