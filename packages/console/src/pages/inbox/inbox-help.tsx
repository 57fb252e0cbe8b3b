// The keyboard shortcuts of the inbox.
import { Dialog } from '../../parts/dialog.tsx';

const keys: [key: string, meaning: string][] = [
  ['j', 'Next conversation'],
  ['k', 'Previous conversation'],
  ['Enter', 'Open the conversation'],
  ['r', 'Reply'],
  ['Ctrl Enter', 'Send the reply'],
  ['n', 'New message'],
  ['e', 'Mark as done, or open again'],
  ['s', 'Snooze'],
  ['u', 'Mark as unread'],
  ['p', 'Show the contact'],
  ['Esc', 'Back to the list'],
  ['/ or Ctrl K', 'Search'],
  ['?', 'Show these shortcuts'],
];

export const KeysDialog = ({ close }: { close(): void }) => (
  <Dialog title="Keyboard shortcuts" opened onClose={close}>
    <dl className="facts">
      {keys.map(([key, meaning]) => (
        <div key={key} style={{ display: 'contents' }}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
  </Dialog>
);
