// The command that creates the first record of an empty page.
import { snippetsOf } from '../state/snippets.ts';
import { SnippetBlock } from './last-action.tsx';

export const FillCommand = ({
  path,
  body,
  method = 'POST',
}: {
  path: string;
  body?: unknown;
  method?: string;
}) => (
  <div style={{ width: 'min(100%, 44rem)', textAlign: 'left' }}>
    <SnippetBlock snippets={snippetsOf({ method, path, body })} label="Language of the example" />
  </div>
);
