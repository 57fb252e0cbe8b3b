// Filters a list by status; the states come from the contract.
import { states } from 'virtual:contract/states';
import { NativeSelect } from '@mantine/core';
import { humanize } from './badge.tsx';

export const StatusFilter = ({
  of,
  value,
  onChange,
  ...rest
}: {
  /** The name of the lifecycle in the contract. */
  of: string;
  value: string | undefined;
  onChange(status: string | undefined): void;
  'aria-label'?: string;
  size?: string;
}) => (
  <NativeSelect
    aria-label="Status"
    value={value ?? ''}
    onChange={(event) => onChange(event.currentTarget.value || undefined)}
    data={[
      { value: '', label: 'Any status' },
      ...states[of]!.map((state) => ({ value: state, label: humanize(state) })),
    ]}
    {...rest}
  />
);
