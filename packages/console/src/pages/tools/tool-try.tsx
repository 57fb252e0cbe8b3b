// Calls an HTTP tool once, and shows what an agent would get.
import type { Tool, ToolTestResult } from '@parley/sdk';
import { humanize, PlainBadge } from '../../parts/badge.tsx';
import { CodeBlock } from '../../parts/copy.tsx';
import { Form } from '../../parts/form.tsx';
import { JsonField, jsonText, parseJson } from '../../parts/json-field.tsx';
import { Facts } from '../../parts/page.tsx';
import { parley } from '../../session/client.ts';
import { useForm } from '../../state/use-form.ts';

/** An empty value for each argument. */
const exampleOf = ({ parameters }: Tool) =>
  jsonText(
    Object.fromEntries(
      Object.keys((parameters as { properties?: object }).properties ?? {}).map((name) => [name, '']),
    ),
  );

const Outcome = ({ result }: { result: ToolTestResult }) => (
  <section className="stack tight" aria-label="Answer of the tool">
    <Facts
      of={[
        [
          'Outcome',
          <PlainBadge key="outcome" tone={result.outcome === 'done' ? 'good' : 'bad'}>
            {result.error ? humanize(result.error) : result.outcome}
          </PlainBadge>,
        ],
        ['Took', `${result.duration_ms} ms`],
        ...(result.detail ? [['Why', result.detail] as [string, string]] : []),
        ...(result.say ? [['Says', result.say] as [string, string]] : []),
        ...(result.instruct ? [['Note for the agent', result.instruct] as [string, string]] : []),
      ]}
    />
    {result.content !== null && <CodeBlock code={result.content} label="the answer" />}
  </section>
);

export function ToolTry({ tool }: { tool: Tool }) {
  const form = useForm({ arguments: exampleOf(tool), variables: '' }, async (fields) =>
    parley.tools.test(tool.id, {
      arguments: parseJson<Record<string, unknown>>(fields.arguments, 'The arguments', {}),
      variables: parseJson<Record<string, string>>(fields.variables, 'The variables', {}),
    }),
  );
  return (
    <div className="stack">
      <Form action={form} submit="Send one request">
        <p style={{ margin: 0 }}>
          This is a real request to <span className="mono break">{tool.url}</span>, marked with{' '}
          <span className="mono">"is_test": true</span>.
        </p>
        <JsonField label="Arguments" {...form.field('arguments')} />
        {Object.keys(tool.fixed).length > 0 && (
          <JsonField
            label="Variables"
            placeholder='{"person": "+14155550123"}'
            minRows={1}
            {...form.field('variables')}
          />
        )}
      </Form>
      <div aria-live="polite">{form.result && <Outcome result={form.result} />}</div>
    </div>
  );
}
