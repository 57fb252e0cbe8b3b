// Asks what the service cannot know: whether the recipient agreed. Never ticked by itself.
import { Checkbox } from '@mantine/core';

export const Consent = ({
  given,
  onChange,
  error,
}: {
  given: boolean;
  onChange(given: boolean): void;
  error?: string;
}) => (
  <Checkbox
    label="The recipient has agreed to be contacted"
    description="You warrant it; nothing is sent without."
    checked={given}
    onChange={(event) => onChange(event.currentTarget.checked)}
    error={error}
  />
);
