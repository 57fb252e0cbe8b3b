// The frame of every page: its heading, its actions, and the last action as a command.
import { Skeleton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { LastAction } from './last-action.tsx';
import { Problem } from './problem.tsx';

type PageProps = {
  title: string;
  about?: ReactNode;
  actions?: ReactNode;
  back?: { to: string; label: string };
  children: ReactNode;
};

export function Page({ title, about, actions, back, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Parley`;
  }, [title]);
  return (
    <div className="page">
      <div className="page-head">
        <div>
          {back && (
            <Link to={back.to} className="small">
              ← {back.label}
            </Link>
          )}
          <h1>{title}</h1>
          {about && <p>{about}</p>}
        </div>
        {actions && <div className="actions">{actions}</div>}
      </div>
      {children}
      <LastAction />
    </div>
  );
}

type CardProps = { title?: ReactNode; actions?: ReactNode; flush?: boolean; children: ReactNode };

export function Card({ title, actions, flush, children }: CardProps) {
  return (
    <section className={flush ? 'card flush' : 'card'}>
      {(title || actions) && (
        <header>
          <h2>{title}</h2>
          {actions}
        </header>
      )}
      {children}
    </section>
  );
}

/** An empty state with the command that creates the first record. */
export function Empty({
  title,
  children,
  command,
}: {
  title: string;
  children?: ReactNode;
  command?: ReactNode;
}) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {command}
    </div>
  );
}

type Loaded<T> = { data: T | undefined; error: unknown; isPending: boolean };

/** Shows the data once it is loaded; before that a placeholder, and the error if there is one. */
export function Read<T>({ query, children }: { query: Loaded<T>; children(data: T): ReactNode }) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <Problem error={query.error} />;
  return (
    <div className="stack tight" role="status" aria-label="Loading">
      <Skeleton height={18} width="40%" />
      <Skeleton height={18} />
      <Skeleton height={18} width="75%" />
    </div>
  );
}

export function Facts({ of }: { of: [label: string, value: ReactNode][] }) {
  return (
    <dl className="facts">
      {of.map(([label, value]) => (
        <div key={label} style={{ display: 'contents' }}>
          <dt>{label}</dt>
          <dd>{value ?? <span className="muted">–</span>}</dd>
        </div>
      ))}
    </dl>
  );
}
