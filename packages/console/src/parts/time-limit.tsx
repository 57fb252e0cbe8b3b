// The field for how long a tool or a server may take.
import { TextInput, type TextInputProps } from '@mantine/core';

export const TimeLimitField = (field: Pick<TextInputProps, 'value' | 'onChange' | 'error'>) => (
  <TextInput type="number" min={1000} max={60_000} label="Time limit in milliseconds" {...field} required />
);
