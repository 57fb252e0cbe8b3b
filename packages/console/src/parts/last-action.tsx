// The last action of this page, as a command for a terminal or a program.
import { SegmentedControl } from '@mantine/core';
import { useState, useSyncExternalStore } from 'react';
import { lastAction, onLastAction } from '../session/last-action.ts';
import { type Snippets, snippetsOf } from '../state/snippets.ts';
import { CodeBlock } from './copy.tsx';

const languages: { value: keyof Snippets; label: string }[] = [
  { value: 'curl', label: 'curl' },
  { value: 'cli', label: 'CLI' },
  { value: 'typescript', label: 'TypeScript' },
];

export function SnippetBlock({ snippets, label }: { snippets: Snippets; label: string }) {
  const [language, setLanguage] = useState<keyof Snippets>('curl');
  const offered = languages.filter(({ value }) => snippets[value] !== null);
  const snippet = snippets[language] ?? snippets.curl;
  return (
    <div className="stack tight">
      <SegmentedControl
        size="xs"
        aria-label={label}
        data={offered}
        value={snippets[language] === null ? 'curl' : language}
        onChange={(value) => setLanguage(value as keyof Snippets)}
        style={{ alignSelf: 'flex-start' }}
      />
      <CodeBlock code={snippet} label={`the ${language} command`} />
    </div>
  );
}

export function LastAction() {
  const action = useSyncExternalStore(onLastAction, lastAction);
  if (!action) return null;
  return (
    <details className="last-action">
      <summary>
        The last action of this page as a command{' '}
        <span className="mono muted">
          {action.method} {action.path.split('?')[0]}
        </span>
      </summary>
      <div style={{ marginTop: '0.6rem' }}>
        <SnippetBlock snippets={snippetsOf(action)} label="Language of the command" />
      </div>
    </details>
  );
}
