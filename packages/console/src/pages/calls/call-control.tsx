// Control of a call in progress: words that the agent says, notes that only it reads, keys, and transfers.
import { Checkbox, NativeSelect, Textarea, TextInput } from '@mantine/core';
import type { Call, CallCommanded, CallSay } from '@parley/sdk';
import { DialogButton } from '../../parts/dialog.tsx';
import { Form } from '../../parts/form.tsx';
import { Card } from '../../parts/page.tsx';
import { parley } from '../../session/client.ts';
import { useForm } from '../../state/use-form.ts';
import { TransferForm } from './call-transfer.tsx';

const outcomeOf = (done: string) => (command: CallCommanded) =>
  command.outcome === 'done' ? done : 'It is queued.';

const nothing_to_say = { text: '', when: 'next', is_last: false };
type SayForm = ReturnType<typeof useForm<typeof nothing_to_say, CallCommanded>>;

function Say({ call_id }: { call_id: string }) {
  const form: SayForm = useForm(
    nothing_to_say,
    ({ text, when, is_last }, options) =>
      parley.calls.say(
        call_id,
        { text, when: when as CallSay['when'], then: is_last ? 'end_call' : 'listen' },
        options,
      ),
    {
      changes: ['calls'],
      message: outcomeOf('The agent says it.'),
      done: () => form.set({ text: '' }),
    },
  );
  return (
    <Form action={form} submit="Say">
      <Textarea
        label="Words that the agent says"
        autosize
        minRows={2}
        maxLength={1000}
        {...form.field('text')}
        required
      />
      <div className="row" style={{ alignItems: 'flex-end' }}>
        <NativeSelect
          label="When"
          {...form.field('when')}
          data={[
            { value: 'next', label: 'When neither side speaks' },
            { value: 'now', label: 'Now: it stops what it says' },
          ]}
        />
        <Checkbox label="Hang up afterwards" pb={8} {...form.checkbox('is_last')} />
      </div>
    </Form>
  );
}

const no_note = { text: '', respond: false };
type NoteForm = ReturnType<typeof useForm<typeof no_note, CallCommanded>>;

function Instruct({ call_id }: { call_id: string }) {
  const form: NoteForm = useForm(no_note, (note, options) => parley.calls.instruct(call_id, note, options), {
    changes: ['calls'],
    message: outcomeOf('The agent has the note.'),
    done: () => form.set({ text: '' }),
  });
  return (
    <Form action={form} submit="Instruct">
      <Textarea
        label="Note that only the agent reads"
        autosize
        minRows={2}
        maxLength={4000}
        {...form.field('text')}
        required
      />
      <Checkbox label="It answers at once" {...form.checkbox('respond')} />
    </Form>
  );
}

const no_digits = { digits: '' };
type DigitsForm = ReturnType<typeof useForm<typeof no_digits, CallCommanded>>;

function SendDigits({ call_id }: { call_id: string }) {
  const form: DigitsForm = useForm(
    no_digits,
    (keys, options) => parley.calls.sendDigits(call_id, keys, options),
    {
      changes: ['calls'],
      message: outcomeOf('The keys are pressed.'),
      done: () => form.set({ digits: '' }),
    },
  );
  return (
    <Form action={form} submit="Press keys">
      <TextInput
        label="Keys to press"
        description="0-9, *, #, A-D; w waits half a second."
        pattern="[0-9*#A-Dw]{1,64}"
        autoComplete="off"
        {...form.field('digits')}
        required
      />
    </Form>
  );
}

export const CallControl = ({ call }: { call: Call }) => (
  <Card
    title="Live control"
    actions={
      <DialogButton label="Transfer" title="Transfer the call" variant="default" size="xs">
        {(close) => <TransferForm call={call} close={close} />}
      </DialogButton>
    }
  >
    <div className="grid two">
      <Say call_id={call.id} />
      <Instruct call_id={call.id} />
      <SendDigits call_id={call.id} />
    </div>
  </Card>
);
