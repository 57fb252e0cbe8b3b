// Narrows a list to one state of its things; the states are those of the contract.
import { states } from 'virtual:contract/states';
import { NativeSelect } from '@mantine/core';
import { inWords } from './badge.tsx';

export const StatusFilter = ({
  of,
  value,
  onChange,
  ...rest
}: {
  /** As the contract calls the thing. */
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
      ...states[of]!.map((state) => ({ value: state, label: inWords(state) })),
    ]}
    {...rest}
  />
);
