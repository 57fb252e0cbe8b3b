// Quiet hours: the times of day at which people may be called and texted, by the clocks of the recipient.
import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import type { QuietHours, QuietHoursSet } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { Form } from '../../parts/form.tsx';
import { OperatorKeyField, OperatorKeyInUse } from '../../parts/operator-key.tsx';
import { Card, Page, Read } from '../../parts/page.tsx';
import { parley, parleyAsPerson } from '../../session/client.ts';
import type { useForm } from '../../state/use-form.ts';
import { useStoredForm } from '../../state/use-stored-form.ts';

type Window = NonNullable<QuietHours['calls']>;
type WindowFields = { is_limited: boolean } & Window;
type Fields = {
  calls: WindowFields;
  sms: WindowFields;
  on_violation: string;
  exempt: string[];
  default_zone: string;
};
type HoursForm = ReturnType<typeof useForm<Fields, QuietHours>>;

const weekdays: Window['days'] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const usual: Window = { from: '08:00', to: '21:00', days: weekdays };

const windowFields = (window: Window | null): WindowFields => ({
  is_limited: window !== null,
  ...(window ?? usual),
});
const windowOf = ({ is_limited, ...window }: WindowFields) => (is_limited ? window : null);

function WindowInputs({
  form,
  channel,
  label,
}: {
  form: HoursForm;
  channel: 'calls' | 'sms';
  label: string;
}) {
  const window = form.fields[channel];
  const set = (some: Partial<WindowFields>) => form.set({ [channel]: { ...window, ...some } });
  return (
    <fieldset className="plain stack tight">
      <Checkbox
        label={`Limit ${label} to a time of day`}
        checked={window.is_limited}
        onChange={(event) => set({ is_limited: event.currentTarget.checked })}
        error={form.fieldError(channel)}
      />
      {window.is_limited && (
        <>
          <div className="row">
            {(['from', 'to'] as const).map((name) => (
              <TextInput
                key={name}
                label={`${label} ${name}`}
                placeholder={usual[name]}
                pattern="[0-2][0-9]:[0-5][0-9]"
                value={window[name]}
                onChange={(event) => set({ [name]: event.currentTarget.value })}
                required
              />
            ))}
          </div>
          <Checkbox.Group
            label={`Days for ${label}`}
            value={window.days}
            onChange={(days) => set({ days: days as Window['days'] })}
          >
            <div className="row" style={{ marginTop: '0.35rem' }}>
              {weekdays.map((day) => (
                <Checkbox key={day} value={day} label={day} />
              ))}
            </div>
          </Checkbox.Group>
        </>
      )}
    </fieldset>
  );
}

const Exemptions = ({ form }: { form: HoursForm }) => (
  <Checkbox.Group
    label="Always allowed"
    value={form.fields.exempt}
    onChange={(exempt) => form.set({ exempt })}
    error={form.fieldError('exempt')}
  >
    <div className="row" style={{ marginTop: '0.35rem' }}>
      <Checkbox value="reply_60m" label="Replies within 60 minutes" />
      <Checkbox value="transactional" label="The purpose transactional" />
    </div>
  </Checkbox.Group>
);

const fieldsOf = (hours: QuietHours): Fields => ({
  calls: windowFields(hours.calls),
  sms: windowFields(hours.sms),
  on_violation: hours.on_violation,
  exempt: hours.exempt,
  default_zone: hours.default_zone ?? '',
});

const hoursOf = ({ calls, sms, on_violation, exempt, default_zone }: Fields) =>
  ({
    calls: windowOf(calls),
    sms: windowOf(sms),
    on_violation,
    exempt,
    default_zone: default_zone || null,
  }) as QuietHoursSet;

function HoursForm({ hours }: { hours: QuietHours }) {
  const form: HoursForm = useStoredForm<Fields, QuietHours>(
    fieldsOf(hours),
    // The request replaces all quiet hours, so the current ones are read first: another person may have changed them.
    async (_, changed) => {
      const now = fieldsOf(await parley.quietHours.get());
      return parleyAsPerson.quietHours.set(hoursOf({ ...now, ...changed }));
    },
    { changes: ['quiet-hours'], message: 'The quiet hours are saved. They apply within a second.' },
  );
  return (
    <Form action={form} submit="Save quiet hours">
      <WindowInputs form={form} channel="calls" label="calls" />
      <WindowInputs form={form} channel="sms" label="texts" />
      <NativeSelect
        label="At other times"
        {...form.field('on_violation')}
        data={[
          { value: 'defer', label: 'Wait for the next allowed moment' },
          { value: 'refuse', label: 'Refuse' },
        ]}
      />
      <Exemptions form={form} />
      <TextInput
        label="Time zone of numbers without one"
        description="Such as Europe/Lisbon. Empty: UTC."
        {...form.field('default_zone')}
      />
      <OperatorKeyField error={form.error} />
    </Form>
  );
}

export function QuietHoursPage() {
  const hours = useQuery({ queryKey: ['quiet-hours'], queryFn: () => parley.quietHours.get() });
  return (
    <Page
      title="Quiet hours"
      about="When people may be called and texted. The clocks of the recipient decide: the time zone of the contact, else every zone that the number can be in."
      actions={<OperatorKeyInUse />}
    >
      <Card>
        <Read query={hours}>{(found) => <HoursForm hours={found} />}</Read>
      </Card>
    </Page>
  );
}
