// Opens the search from every page: with / or Ctrl+K (Cmd+K on a Mac), and with the buttons of the menu.
import { ActionIcon, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { type KeyboardEvent, lazy, Suspense, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { ListState } from './pages/search/search.tsx';
import { Dialog } from './parts/dialog.tsx';
import { useKeys } from './state/use-keys.ts';

const SearchResults = lazy(() =>
  import('./pages/search/search.tsx').then(({ SearchResults }) => ({ default: SearchResults })),
);

let is_open = false;
const listeners = new Set<() => void>();
function setOpen(next: boolean): void {
  is_open = next;
  for (const listener of listeners) listener();
}
const openSearch = () => setOpen(true);
const onOpen = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Also works while a text field has the focus, but not while another dialog is open. */
function useSearchKeys(): void {
  useKeys({ '/': openSearch });
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey) || event.altKey) return;
      event.preventDefault();
      if (document.querySelector('dialog[open]') === null) openSearch();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}

/** The field is there at once, so that what is typed while the rest loads is not lost. */
function SearchDialog({ close }: { close(): void }) {
  const [typed, setTyped] = useState('');
  const [list, setList] = useState<ListState | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const handle_key = useRef<((event: KeyboardEvent) => void) | null>(null);
  useEffect(() => field.current?.focus(), []);
  const type = (text: string) => {
    setTyped(text);
    field.current?.focus();
  };
  return (
    <Dialog title="Search" opened onClose={close}>
      <div className="stack tight">
        <TextInput
          ref={field}
          aria-label="Search messages, calls and contacts"
          placeholder="Words, names, numbers, or from:ana@example.org"
          value={typed}
          onChange={(event) => type(event.currentTarget.value)}
          onKeyDown={(event) => handle_key.current?.(event)}
          error={list?.error}
          maxLength={200}
          autoComplete="off"
          role="combobox"
          aria-expanded={list?.active_id !== undefined}
          aria-controls={list?.list_id}
          aria-activedescendant={list?.active_id}
        />
        <Suspense>
          <SearchResults
            typed={typed}
            onType={type}
            onState={setList}
            handle_key={handle_key}
            close={close}
          />
        </Suspense>
      </div>
    </Dialog>
  );
}

export function SearchHost() {
  useSearchKeys();
  const is_shown = useSyncExternalStore(onOpen, () => is_open);
  useEffect(() => () => setOpen(false), []);
  return is_shown && <SearchDialog close={() => setOpen(false)} />;
}

export const SearchButton = ({ onClick }: { onClick?: () => void }) => (
  <button
    type="button"
    className="search-button"
    aria-keyshortcuts="/ Control+K Meta+K"
    onClick={() => {
      onClick?.();
      openSearch();
    }}
  >
    <IconSearch size={16} stroke={1.7} aria-hidden />
    Search <kbd aria-hidden>/</kbd>
  </button>
);

export const SearchIcon = () => (
  <ActionIcon variant="default" size="lg" aria-label="Search" onClick={openSearch}>
    <IconSearch size={18} />
  </ActionIcon>
);
