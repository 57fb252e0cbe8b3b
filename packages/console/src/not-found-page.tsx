// The page of an address that does not exist, with and without the frame of the console.
import { Button } from '@mantine/core';
import icon from './icon.svg?url';
import { LinkButton } from './parts/link.tsx';
import { Empty, Page } from './parts/page.tsx';

const text = 'The link may be old, or a part of it is missing.';

export const NotFoundPage = () => (
  <Page title="Page not found">
    <section className="card flush">
      <Empty
        title={`There is no page at ${location.pathname}`}
        command={<LinkButton to="/">Go to the overview</LinkButton>}
      >
        {text}
      </Empty>
    </section>
  </Page>
);

/** For people who are not signed in: the frame of the console needs a credential. */
export const PublicNotFoundPage = () => (
  <main className="sign-in">
    <div className="card stack">
      <img src={icon} alt="" width={34} height={34} />
      <h1>Page not found</h1>
      <p className="muted break">
        There is no page at <span className="mono">{location.pathname}</span>. {text}
      </p>
      <Button component="a" href="/" fullWidth size="md">
        Go to the start page
      </Button>
    </div>
  </main>
);
