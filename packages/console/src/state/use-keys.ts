// Single keys that act on a page or in a dialog, such as j for the next entry.
import { useEffect, useRef } from 'react';

const text_fields = 'input:not([type=checkbox], [type=radio]), textarea, select';

/** Shortcuts are ignored while a text field has the focus or a dialog is open. */
const isTyping = (event: KeyboardEvent) =>
  event.ctrlKey ||
  event.metaKey ||
  event.altKey ||
  (event.target instanceof Element && event.target.closest(text_fields) !== null);

export function useKeys(
  keys: Record<string, (() => void) | undefined>,
  within: 'page' | 'dialog' = 'page',
): void {
  const current = useRef(keys);
  current.current = keys;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const act = current.current[event.key];
      // Escape also leaves a field.
      if (!act || (isTyping(event) && event.key !== 'Escape')) return;
      if (within === 'page' && document.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      act();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [within]);
}
