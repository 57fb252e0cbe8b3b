// Checks a software bill of materials against the JSON schema of CycloneDX, which scripts/install-test-packages installs.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import type { Sbom } from './sbom.ts';

const folder = 'test/verifiers/node_modules/@cyclonedx/cyclonedx-library/res/schema';
const schema = (name: string) =>
  JSON.parse(readFileSync(join(folder, `${name}.SNAPSHOT.schema.json`), 'utf8'));

/** Compiling the schema takes most of the time, so it is done once. */
let validate: ValidateFunction | undefined;

function compileSchema(): ValidateFunction {
  // The schema uses two formats for international addresses that ajv-formats does not have; our documents have neither.
  const ajv = new Ajv({ strict: false, formats: { 'iri-reference': true, 'idn-email': true } });
  formats.default(ajv);
  for (const part of ['spdx', 'jsf-0.82', 'cryptography-defs'])
    ajv.addSchema(schema(part), `http://cyclonedx.org/schema/${part}.SNAPSHOT.schema.json`);
  return ajv.compile(schema('bom-1.6'));
}

/** Throws when the document is not valid; returns false when the schema is not installed. */
export function assertValidSbom(name: string, sbom: Sbom): boolean {
  if (!existsSync(folder)) return false;
  validate ??= compileSchema();
  if (!validate(sbom))
    throw new Error(`${name} is not valid CycloneDX: ${JSON.stringify(validate.errors).slice(0, 1000)}`);
  return true;
}
