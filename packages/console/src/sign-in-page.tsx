// The sign-in page: with a key, or with an account.
import { Button, Checkbox, PasswordInput } from '@mantine/core';
import { ApiError, createParley } from '@parley/sdk';
import { type FormEvent, useState } from 'react';
import icon from './icon.svg?url';
import { Problem } from './parts/problem.tsx';
import { hasNoOrganization, signInWithKey } from './session/credential.ts';
import { facts } from './session/facts.ts';
import { isLinkUsedUp } from './session/one-time-link.ts';

export const SignInPage = () => (
  <main className="sign-in">
    <div className="card stack">
      <div className="row">
        <img src={icon} alt="" width={34} height={34} />
        <h1>Parley</h1>
      </div>
      {hasNoOrganization() && (
        <div className="problem" role="status">
          <strong>You are signed in, but you are not a member of an organization yet.</strong>
          <p>
            Accept an invitation, or <a href="/auth">see your account</a>.
          </p>
        </div>
      )}
      {isLinkUsedUp() && (
        <div className="problem" role="status">
          <strong>This sign-in link was already used or has expired.</strong>
          <p>
            Run <code>{facts.command} open</code> for a new one, or use the key.
          </p>
        </div>
      )}
      {facts.is_managed && (
        <>
          <Button component="a" href="/auth/sign-in?next=/" fullWidth size="md">
            Sign in with your account
          </Button>
          <p className="muted small" style={{ margin: 0, textAlign: 'center' }}>
            or with a key
          </p>
        </>
      )}
      <KeyForm />
    </div>
  </main>
);

function KeyForm() {
  const [key, setKey] = useState('');
  const [stay, setStay] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);

  const signIn = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await checkKey(key.trim());
      signInWithKey(key.trim(), { stay });
    } catch (problem) {
      const is_invalid = problem instanceof ApiError && problem.status === 401;
      setError(is_invalid ? new Error('This key is not valid on this server.') : problem);
    } finally {
      setBusy(false);
    }
  };

  return (
    <form onSubmit={(event) => void signIn(event)} className="stack">
      <PasswordInput
        label="API key"
        description={
          facts.is_managed
            ? 'Your own key or the shared key.'
            : 'The first start prints it and stores it in data/shared-key.'
        }
        value={key}
        onChange={(event) => setKey(event.currentTarget.value)}
        autoComplete="off"
        spellCheck={false}
        required
        autoFocus
        visibilityToggleButtonProps={{ 'aria-label': 'Show the key' }}
      />
      <Checkbox
        label="Stay signed in"
        description={
          stay
            ? 'The key is stored in this browser until you sign out. Only on a computer of your own.'
            : 'Without it, the key is forgotten when the last tab of this page is closed.'
        }
        checked={stay}
        onChange={(event) => setStay(event.currentTarget.checked)}
      />
      {error !== null && <Problem error={error} />}
      <Button
        type="submit"
        loading={busy}
        variant={facts.is_managed ? 'default' : 'filled'}
        fullWidth
        size="md"
      >
        Open the console
      </Button>
    </form>
  );
}

const checkKey = (api_key: string) =>
  createParley({ base_url: location.origin, api_key, max_retries: 0 }).identity.whoami();
