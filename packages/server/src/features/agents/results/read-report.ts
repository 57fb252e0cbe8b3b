// Reads the report of a model. It is checked as strictly as any input: the words of a stranger are part of what made it.
import { result_limits } from '@parley/contract/channels/calls/call-results';
import {
  type SchemaNode,
  type SchemaProblem,
  validateValue,
} from '@parley/contract/schema/subset/schema-subset';
import type { WholeReply } from '../../../providers/llm/llm.ts';
import type { Wanted } from './report-request.ts';

export type Report = {
  result: Record<string, unknown> | null;
  evidence: Record<string, number[]> | null;
  summary: string | null;
  success: boolean | null;
  success_reason: string | null;
  /** Empty: the report is valid. */
  problems: SchemaProblem[];
};

type Json = Record<string, unknown>;
const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The report as text, for a request to repair it. */
export function reportText({ text, tool_calls }: WholeReply): string {
  const call = tool_calls.find(({ name }) => name === 'report');
  return call ? JSON.stringify(call.arguments) : text;
}

export function readReport(reply: WholeReply, wanted: Wanted, turns: number): Report {
  const report = parsed(reportText(reply));
  const { result_schema: schema } = wanted;
  const result = schema ? withoutExtraNulls(report.result, schema as SchemaNode) : null;
  const problems = schema ? resultProblems(schema, result) : [];
  const summary = textOf(report.summary, result_limits.summary_chars);
  if (wanted.summarize && summary === null) problems.push({ path: 'summary', problem: 'Missing' });
  return {
    result: problems.length === 0 && isRecord(result) ? result : null,
    evidence:
      schema && problems.length === 0 ? checkedEvidence(report.evidence, schema as SchemaNode, turns) : null,
    summary: wanted.summarize ? summary : null,
    success: typeof report.success === 'boolean' ? report.success : null,
    success_reason: textOf(report.success_reason, result_limits.success_reason_chars),
    problems,
  };
}

function resultProblems(schema: Json, result: unknown): SchemaProblem[] {
  const problems = validateValue(schema, result).map(({ path, problem }) => ({
    path: path === '' ? 'result' : `result.${path}`,
    problem,
  }));
  const bytes = Buffer.byteLength(JSON.stringify(result) ?? '');
  if (problems.length === 0 && bytes > result_limits.result_bytes) {
    problems.push({
      path: 'result',
      problem: `Expected at most ${result_limits.result_bytes} bytes of JSON`,
    });
  }
  return problems;
}

/** Models without schemas often put the JSON into a block of code. */
function parsed(text: string): Json {
  const start = text.indexOf('{');
  const end = text.lastIndexOf('}');
  try {
    const value: unknown = JSON.parse(text.slice(start, end + 1));
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

/** A schema made strict asks for null in place of an absent property. */
function withoutExtraNulls(value: unknown, schema: SchemaNode): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutExtraNulls(item, schema.items ?? {}));
  if (!isRecord(value)) return value;
  const { properties = {}, required = [] } = schema;
  const kept = Object.entries(value).filter(([name, each]) => {
    const node = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return (
      each !== null || !node || required.includes(name) || validateValue(node as Json, null).length === 0
    );
  });
  return Object.fromEntries(
    kept.map(([name, each]) => [
      name,
      withoutExtraNulls(each, (Object.hasOwn(properties, name) ? properties[name] : undefined) ?? {}),
    ]),
  );
}

/** Only lines that exist, for properties that exist. */
function checkedEvidence(
  given: unknown,
  { properties = {} }: SchemaNode,
  turns: number,
): Record<string, number[]> {
  const entries = isRecord(given) ? Object.entries(given) : [];
  return Object.fromEntries(
    entries.flatMap(([name, lines]) => {
      if (!Object.hasOwn(properties, name) || !Array.isArray(lines)) return [];
      const valid_lines = lines.filter((line) => Number.isInteger(line) && line >= 1 && line <= turns);
      return valid_lines.length > 0 ? [[name, [...new Set(valid_lines)].slice(0, 20)]] : [];
    }),
  );
}

/** PostgreSQL does not store U+0000. */
function textOf(value: unknown, max_chars: number): string | null {
  const text = typeof value === 'string' ? value.replaceAll('\0', '').trim() : '';
  if (text === '') return null;
  return text.length <= max_chars ? text : `${text.slice(0, max_chars - 1).toWellFormed()}…`;
}
