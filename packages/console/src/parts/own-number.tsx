// A select field with your own numbers.
import { NativeSelect } from '@mantine/core';
import type { PhoneNumber } from '@parley/sdk';
import type { ComponentProps } from 'react';
import { useNumbers } from '../state/reads.ts';

/** Active numbers with this capability. */
export const useOwnNumbers = (can: PhoneNumber['capabilities'][number]): string[] =>
  (useNumbers().data ?? [])
    .filter(
      ({ provisioning_state, capabilities }) => provisioning_state === 'active' && capabilities.includes(can),
    )
    .map(({ e164 }) => e164);

type Props = Omit<ComponentProps<typeof NativeSelect>, 'data' | 'label'> & {
  can: PhoneNumber['capabilities'][number];
};

export const OwnNumber = ({ can, ...field }: Props) => (
  <NativeSelect
    label="From"
    data={[{ value: '', label: 'Chosen automatically' }, ...useOwnNumbers(can)]}
    {...field}
  />
);
