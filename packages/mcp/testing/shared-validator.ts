// The JSON Schema validator of MCP clients in tests. It compiles each output schema once for all clients of the process: a
// client compiles those of all tools when it lists them, which takes a quarter of a second of processor time.
import type {
  JsonSchemaType,
  JsonSchemaValidator,
  jsonSchemaValidator as ValidatorProvider,
} from '@modelcontextprotocol/client';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';

const provider = new AjvJsonSchemaValidator();
const compiled = new Map<string, JsonSchemaValidator<unknown>>();

export const sharedValidator: ValidatorProvider = {
  getValidator<T>(schema: JsonSchemaType) {
    const text = JSON.stringify(schema);
    const validator = compiled.get(text) ?? provider.getValidator(schema);
    compiled.set(text, validator);
    return validator as JsonSchemaValidator<T>;
  },
};
