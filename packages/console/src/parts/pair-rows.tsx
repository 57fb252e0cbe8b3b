// Rows of a name and a value: variables of agents, headers of requests.
import { Button, Textarea, TextInput } from '@mantine/core';
import { RowButton } from './row-button.tsx';

export type Pair = { key: string; name: string; value: string };

const newPair = (name = '', value = ''): Pair => ({ key: crypto.randomUUID(), name, value });

export const pairsOf = (record: Record<string, unknown>): Pair[] =>
  Object.entries(record).map(([name, value]) => newPair(name, String(value)));

/** Rows without a name are left out. */
export const recordOf = (pairs: readonly Pair[]): Record<string, string> =>
  Object.fromEntries(
    pairs.filter(({ name }) => name.trim() !== '').map(({ name, value }) => [name.trim(), value]),
  );

export function PairRows({
  label,
  about,
  noun,
  pairs,
  onChange,
}: {
  label: string;
  about: string;
  /** Of one row, in lower case. */
  noun: string;
  pairs: readonly Pair[];
  onChange(next: Pair[]): void;
}) {
  const change = (key: string, some: Partial<Pair>) =>
    onChange(pairs.map((each) => (each.key === key ? { ...each, ...some } : each)));
  return (
    <fieldset className="plain stack tight">
      <legend>{label}</legend>
      <p className="small muted" style={{ margin: 0 }}>
        {about}
      </p>
      {pairs.map(({ key, name, value }, place) => (
        <div className="row" key={key}>
          <TextInput
            aria-label={`Name of ${noun} ${place + 1}`}
            value={name}
            onChange={(event) => change(key, { name: event.currentTarget.value })}
            style={{ flex: '1 1 8rem' }}
          />
          <Textarea
            aria-label={`Value of ${noun} ${place + 1}`}
            autosize
            minRows={1}
            value={value}
            onChange={(event) => change(key, { value: event.currentTarget.value })}
            style={{ flex: '2 1 12rem' }}
          />
          <RowButton
            aria-label={`Remove ${noun} ${place + 1}`}
            onClick={() => onChange(pairs.filter((each) => each.key !== key))}
          >
            Remove
          </RowButton>
        </div>
      ))}
      <div>
        <Button size="compact-xs" variant="default" onClick={() => onChange([...pairs, newPair()])}>
          Add a {noun}
        </Button>
      </div>
    </fieldset>
  );
}
