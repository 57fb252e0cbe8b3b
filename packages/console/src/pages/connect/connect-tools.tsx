// The tools that agents see, each with a form to call it.

import { tools } from 'virtual:contract/tools';
import { Checkbox, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { PlainBadge } from '../../parts/badge.tsx';
import { JsonView } from '../../parts/copy.tsx';
import { Form } from '../../parts/form.tsx';
import { Card } from '../../parts/page.tsx';
import { parley } from '../../session/client.ts';
import { useAction } from '../../state/use-action.tsx';

type Tool = (typeof tools)[number];
const toolsets = [...new Set(tools.map(({ toolset }) => toolset))];

/** Converts the input to the type that the tool expects. */
function typedValue(text: string, schema: Tool['input_schema']['properties'][string]): unknown {
  if (schema.type === 'integer' || schema.type === 'number') return Number(text);
  if (schema.type === 'boolean') return text === 'true';
  if (schema.type === 'array' && schema.items?.type === 'string') return text.split(/\s*,\s*/);
  if (schema.type === 'object' || schema.type === 'array') return JSON.parse(text);
  return text;
}

function Try({ tool }: { tool: Tool }) {
  const [typed, setTyped] = useState<Record<string, string>>({});
  const fields = Object.entries(tool.input_schema.properties).filter(([name]) => name !== 'idempotency_key');
  const required = new Set([...(tool.input_schema.required ?? []), ...tool.call.params]);
  const run = useAction(async () => {
    const input: Record<string, unknown> = {};
    for (const [name, schema] of fields) {
      const text = typed[name];
      if (text !== undefined && text !== '') input[name] = typedValue(text, schema);
    }
    let path = tool.call.path;
    for (const name of tool.call.params) {
      path = path.replace(`{${name}}`, encodeURIComponent(String(input[name])));
      delete input[name];
    }
    const response = await parley.request(
      tool.call.method,
      path,
      tool.call.input === null ? undefined : input,
    );
    return response.status === 204 ? { done: true } : await response.json();
  });
  const set = (name: string, text: string) => setTyped((before) => ({ ...before, [name]: text }));
  return (
    <Form action={run} submit="Try it">
      {fields.map(([name, schema]) => {
        const props = {
          label: name,
          description: schema.description,
          required: required.has(name),
          value: typed[name] ?? '',
        };
        if (schema.type === 'boolean' || schema.const === true)
          return (
            <Checkbox
              key={name}
              label={name}
              description={schema.description}
              checked={typed[name] === 'true'}
              onChange={(event) => set(name, event.currentTarget.checked ? 'true' : '')}
            />
          );
        if (schema.enum)
          return (
            <NativeSelect
              key={name}
              {...props}
              data={['', ...schema.enum]}
              onChange={(event) => set(name, event.currentTarget.value)}
            />
          );
        if (/prompt|body|text$/.test(name) || schema.type === 'object')
          return (
            <Textarea
              key={name}
              {...props}
              autosize
              minRows={2}
              onChange={(event) => set(name, event.currentTarget.value)}
            />
          );
        return <TextInput key={name} {...props} onChange={(event) => set(name, event.currentTarget.value)} />;
      })}
      {run.result !== undefined && <JsonView value={run.result} label="the response" />}
    </Form>
  );
}

export function Tools() {
  const [toolset, setToolset] = useState('default');
  const [name, setName] = useState('send_email');
  const visible_tools = tools.filter((tool) => tool.toolset === toolset && tool.call.input !== 'upload');
  const chosen = visible_tools.find((tool) => tool.name === name) ?? visible_tools[0]!;
  return (
    <div className="split">
      <section className="card flush" aria-label="Tools">
        <div style={{ padding: '0.75rem' }}>
          <NativeSelect
            aria-label="Toolset"
            size="xs"
            value={toolset}
            onChange={(event) => setToolset(event.currentTarget.value)}
            data={toolsets}
          />
        </div>
        <ul className="side-list">
          {visible_tools.map((tool) => (
            <li key={tool.name}>
              <button type="button" aria-current={tool === chosen} onClick={() => setName(tool.name)}>
                <strong className="mono">{tool.name}</strong>
                <span className="small muted" style={{ display: 'block' }}>
                  {tool.title}
                </span>
              </button>
            </li>
          ))}
        </ul>
      </section>
      <Card
        title={<span className="mono">{chosen.name}</span>}
        actions={<PlainBadge>{chosen.call.method === 'GET' ? 'reads' : 'changes'}</PlainBadge>}
      >
        <p className="muted">{chosen.description}</p>
        <Try key={chosen.name} tool={chosen} />
      </Card>
    </div>
  );
}
