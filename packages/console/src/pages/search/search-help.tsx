// The operators of the query language, each with an example that can be chosen.
const operators: [example: string, meaning: string][] = [
  ['invoice friday', 'Both words'],
  ['"table for two"', 'These words side by side'],
  ['invoice -paid', 'Without a word'],
  ['reserv*', 'Words that begin so'],
  ['from:ana@example.org', 'Sender: an address, @domain, name or number'],
  ['to:+14155550123', 'Recipient'],
  ['subject:order', 'Word in the subject'],
  ['in:sms,call', 'Only email, sms, call, contact or quarantine'],
  ['label:billing', 'With a label'],
  ['has:attachment', 'With files'],
  ['is:inbound', 'Received; is:outbound for sent'],
  ['after:2026-06-01', 'Since a day; before: until a day'],
];

export const SearchHelp = ({ onChoose }: { onChoose(example: string): void }) => (
  <>
    <p className="small muted" style={{ margin: 0 }}>
      <kbd>↓</kbd> <kbd>↑</kbd> choose, <kbd>Enter</kbd> opens, <kbd>Ctrl Enter</kbd> opens the conversation.
    </p>
    <ul className="search-help" aria-label="Operators">
      {operators.map(([example, meaning]) => (
        <li key={example}>
          <button type="button" className="link mono" onClick={() => onChoose(example)}>
            {example}
          </button>
          <span className="muted">{meaning}</span>
        </li>
      ))}
    </ul>
  </>
);
