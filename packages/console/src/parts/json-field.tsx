// A field for JSON that a person writes, and how it is read.
import { Textarea } from '@mantine/core';
import type { ComponentProps } from 'react';

export const JsonField = (props: ComponentProps<typeof Textarea>) => (
  <Textarea autosize minRows={3} maxRows={20} spellCheck={false} classNames={{ input: 'mono' }} {...props} />
);

export const jsonText = (value: unknown): string => JSON.stringify(value, null, 2);

/** An empty field is `empty`. Otherwise the error names the field. */
export function parseJson<T>(text: string, label: string, empty: T): T {
  if (text.trim() === '') return empty;
  try {
    return JSON.parse(text) as T;
  } catch (problem) {
    throw new Error(`${label}: expected JSON. ${(problem as Error).message}`);
  }
}
