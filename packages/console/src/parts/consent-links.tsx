// Links from a message or a call to the consents of the people in it.
import { PageLink } from './link.tsx';

/** More are found through the page of consents. */
const max_links = 5;

export const ConsentLinks = ({ of }: { of: readonly string[] }) => (
  <ul style={{ margin: 0, padding: 0, listStyle: 'none' }}>
    {of.slice(0, max_links).map((recipient) => (
      <li key={recipient}>
        <PageLink to="/consents" search={{ recipient }}>
          {recipient}
        </PageLink>
      </li>
    ))}
    {of.length > max_links && (
      <li>
        <PageLink to="/consents">{of.length - max_links} more</PageLink>
      </li>
    )}
  </ul>
);
