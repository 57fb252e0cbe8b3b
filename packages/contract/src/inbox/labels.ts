// Labels of conversations and messages.
import { z } from 'zod';
import { limits } from '../limits.ts';

export const label_form = /^[a-z0-9][a-z0-9_.:-]{0,49}$/;
const label_error = {
  message: 'Expected a label such as billing: lower-case letters, digits and . _ : - (50 characters at most)',
  params: { error: 'invalid_label' },
};
/** The description is with the fields that use it. */
export const Label = z
  .string()
  .refine((text) => label_form.test(text), label_error)
  .meta({ json_schema: { type: 'string', maxLength: 50 } });

export const LabelChange = z
  .strictObject({
    add: z.array(Label).max(limits.labels).optional(),
    remove: z.array(Label).max(limits.labels).optional(),
  })
  .meta({ id: 'LabelChange' });
export type LabelChange = z.output<typeof LabelChange>;
