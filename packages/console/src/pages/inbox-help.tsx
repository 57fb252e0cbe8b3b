// The keys of the inbox.
import { Dialog } from '../parts/dialog.tsx';

const keys: [key: string, meaning: string][] = [
  ['j', 'Next conversation'],
  ['k', 'Previous conversation'],
  ['Enter', 'Open it'],
  ['r', 'Reply'],
  ['Ctrl Enter', 'Send the reply'],
  ['n', 'New message'],
  ['e', 'Done, or open again'],
  ['s', 'Snooze'],
  ['u', 'Mark as unread'],
  ['p', 'Show the person'],
  ['Esc', 'Back to the list'],
  ['/ or Ctrl K', 'Search'],
  ['?', 'Show these keys'],
];

export const KeysDialog = ({ close }: { close(): void }) => (
  <Dialog title="Keys" opened onClose={close}>
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
