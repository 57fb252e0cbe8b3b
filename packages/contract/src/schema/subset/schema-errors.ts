// The errors of JSON Schemas that users write for tools and results.
import { defineErrors } from '../../error-definition.ts';

export const schemaErrors = defineErrors({
  schema_not_supported: {
    status: 422,
    message: 'The JSON Schema is not supported.',
    when: 'A schema of a tool or of a result uses a keyword that is not supported, is too large or is not a schema of an object.',
    fix: 'Change what errors names. Supported are simple types, properties, required, items, enum, const, limits and formats, at most 5 levels deep.',
  },
});
