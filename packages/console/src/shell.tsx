// The frame around every page: the menu, the signed-in user, and the state of the event stream.
import { ActionIcon, NativeSelect, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { IconLogout, IconMenu2, IconMoon, IconSun } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useLocation, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState, useSyncExternalStore } from 'react';
import icon from './icon.svg?url';
import { type Entry, menu } from './navigation.ts';
import { PlainBadge } from './parts/badge.tsx';
import { Dialog } from './parts/dialog.tsx';
import { StoppedChannels } from './parts/stopped-channels.tsx';
import { SearchButton, SearchHost, SearchIcon } from './search-host.tsx';
import { chooseOrganization, credential, signOut } from './session/credential.ts';
import { facts } from './session/facts.ts';
import { clearAction } from './session/last-action.ts';
import { followEvents } from './session/live.ts';
import { onStreamState, type StreamState, streamState } from './session/stream-state.ts';
import { useApprovals, useIdentity, useUnread } from './state/reads.ts';

const FloatingPhone = lazy(() =>
  import('./pages/sandbox/phone.tsx').then(({ FloatingPhone }) => ({ default: FloatingPhone })),
);

const stream_labels: Record<StreamState, [string, 'good' | 'warn' | 'still']> = {
  live: ['Live', 'good'],
  connecting: ['Connecting', 'still'],
  broken: ['Reconnecting', 'warn'],
};

const Count = ({ count, of }: { count: string | number; of: string }) => (
  <span className="count">
    {count}
    <span className="visually-hidden"> {of}</span>
  </span>
);

/** How many approvals are pending; the query is also that of the page. */
function PendingApprovals() {
  const count = useApprovals().data?.length ?? 0;
  return count > 0 && <Count count={count} of="pending" />;
}

function UnreadConversations() {
  const { data } = useUnread();
  return data && data.count > 0 && <Count count={`${data.count}${data.is_all ? '' : '+'}`} of="unread" />;
}

const counts = { approvals: PendingApprovals, unread: UnreadConversations };

function MenuLink({
  to,
  label,
  icon: Icon,
  counts: counted,
  is_here,
  onChoose,
}: Entry & { is_here: boolean; onChoose: (() => void) | undefined }) {
  const Counter = counted && counts[counted];
  return (
    <Link to={to} onClick={onChoose} aria-current={is_here ? 'page' : undefined}>
      <Icon size={17} stroke={1.7} aria-hidden />
      {label}
      {Counter && <Counter />}
    </Link>
  );
}

function Menu({ onChoose }: { onChoose?: () => void }) {
  const { data: who } = useIdentity();
  const { pathname } = useLocation();
  const offered: Record<string, boolean> = {
    sandbox: facts.is_sandbox,
    managed: facts.is_managed,
    superadmin: who?.superadmin === true,
  };
  const is_offered = (needs?: string) => needs === undefined || offered[needs] === true;
  const isHere = (to: string) => (to === '/' ? pathname === '/' : pathname.startsWith(to));
  return (
    <>
      {menu.map(({ title, entries }) => (
        <div key={title ?? 'top'}>
          {title && <h2>{title}</h2>}
          <ul>
            {entries
              .filter(({ needs }) => is_offered(needs))
              .map((entry) => (
                <li key={entry.to}>
                  <MenuLink {...entry} is_here={isHere(entry.to)} onChoose={onChoose} />
                </li>
              ))}
          </ul>
        </div>
      ))}
    </>
  );
}

function Foot() {
  const stream = useSyncExternalStore(onStreamState, streamState);
  const { toggleColorScheme } = useMantineColorScheme();
  const is_dark = useComputedColorScheme('light') === 'dark';
  const who = credential();
  const [label, tone] = stream_labels[stream];
  return (
    <div>
      {who?.kind === 'login' && who.organizations.length > 1 && (
        <NativeSelect
          aria-label="Organization"
          size="xs"
          mb="xs"
          data={who.organizations.map(({ id, name }) => ({ value: id, label: name }))}
          value={who.organization.id}
          onChange={(event) => void chooseOrganization(event.currentTarget.value)}
        />
      )}
      <div className="row spread" style={{ flexWrap: 'nowrap' }}>
        <span role="status">
          <PlainBadge tone={tone}>{label}</PlainBadge>
        </span>
        <span className="row" style={{ gap: 4, flexWrap: 'nowrap' }}>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label="Switch between light and dark"
            title={is_dark ? 'Light colors' : 'Dark colors'}
            onClick={toggleColorScheme}
          >
            {is_dark ? <IconSun size={17} /> : <IconMoon size={17} />}
          </ActionIcon>
          {who?.kind === 'login' ? (
            <form method="post" action="/auth/sign-out">
              <ActionIcon type="submit" variant="subtle" color="gray" aria-label="Sign out">
                <IconLogout size={17} />
              </ActionIcon>
            </form>
          ) : (
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label="Sign out"
              title="Sign out"
              onClick={signOut}
            >
              <IconLogout size={17} />
            </ActionIcon>
          )}
        </span>
      </div>
    </div>
  );
}

const Brand = () => (
  <Link to="/" className="brand">
    <img src={icon} alt="" />
    Parley
    {facts.is_sandbox && <PlainBadge tone="warn">Sandbox</PlainBadge>}
  </Link>
);

export function Shell() {
  const queries = useQueryClient();
  const router = useRouter();
  const { pathname } = useLocation();
  const [is_open, setOpen] = useState(false);
  useEffect(() => followEvents(queries), [queries]);
  useEffect(
    () =>
      router.subscribe('onBeforeNavigate', ({ pathChanged }) => {
        if (pathChanged) clearAction();
      }),
    [router],
  );
  // The response also shows whether the credential is still valid.
  useIdentity();
  return (
    <div className="frame">
      <a href="#main" className="skip">
        Skip to content
      </a>
      <nav className="nav" aria-label="Pages">
        <Brand />
        <SearchButton />
        <Menu />
        <div className="foot">
          <Foot />
        </div>
      </nav>
      <header className="top-bar">
        <ActionIcon variant="default" size="lg" aria-label="Open the menu" onClick={() => setOpen(true)}>
          <IconMenu2 size={19} />
        </ActionIcon>
        <strong>Parley</strong>
        {facts.is_sandbox && <PlainBadge tone="warn">Sandbox</PlainBadge>}
        <span style={{ marginLeft: 'auto' }}>
          <SearchIcon />
        </span>
      </header>
      <SearchHost />
      <Dialog title="Parley" opened={is_open} onClose={() => setOpen(false)} side>
        <nav className="nav" aria-label="Pages">
          <Menu onChoose={() => setOpen(false)} />
          <div className="foot">
            <Foot />
          </div>
        </nav>
      </Dialog>
      {facts.is_sandbox && pathname !== '/sandbox' && (
        <Suspense>
          <FloatingPhone />
        </Suspense>
      )}
      <main className="main" id="main" tabIndex={-1}>
        <StoppedChannels />
        <Outlet />
      </main>
    </div>
  );
}
