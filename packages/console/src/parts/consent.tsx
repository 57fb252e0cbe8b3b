// Asks what the service cannot know: whether the recipient agreed. Never ticked by itself.
import { Checkbox } from '@mantine/core';
import type { ChangeEvent, ReactNode } from 'react';

export const Consent = (box: {
  checked: boolean;
  onChange(event: ChangeEvent<HTMLInputElement>): void;
  error: ReactNode;
}) => (
  <Checkbox
    label="The recipient has agreed to be contacted"
    description="You warrant it; nothing is sent without."
    {...box}
  />
);
