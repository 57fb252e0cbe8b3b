// The consent checkbox: only the user knows whether the recipient agreed, so it is never checked by default.
import { Checkbox } from '@mantine/core';
import type { ChangeEvent, ReactNode } from 'react';

export const Consent = ({
  error,
  ...box
}: {
  checked: boolean;
  onChange(event: ChangeEvent<HTMLInputElement>): void;
  error: ReactNode;
}) => (
  <Checkbox
    label="The recipient has agreed to be contacted"
    description="You confirm it. Nothing is sent without it."
    error={error ? 'Please confirm that the recipient has agreed.' : undefined}
    {...box}
  />
);
