-- compatible-from: 0049
-- Everything exchanged with one person (or in one group thread), over all channels. The projector writes counters and the last
-- item from the records; people and programs change the other columns.
create table conversations (
  organization_id uuid not null,
  id uuid not null,
  kind text not null check (kind in ('person', 'group')),
  contact_id uuid,
  -- What somebody set; null: the name of the contact or the address.
  title text,
  -- The name or address to show without a title.
  name text not null,
  inbox_state text not null check (inbox_state in ('open', 'snoozed', 'closed')),
  inbox_state_set_at timestamptz,
  snoozed_until timestamptz,
  assignee_kind text check (assignee_kind in ('agent', 'member')),
  assignee_id uuid,
  labels text[] not null,
  metadata json not null,
  channels text[] not null,
  item_count int not null,
  unread_count int not null,
  -- The newest item that was read.
  read_up_to uuid,
  last_outbound_id uuid,
  waiting_since timestamptz,
  last_item_id uuid not null,
  last_item json not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organization_id, id)
);
create index conversations_newest on conversations (organization_id, last_item_id);
create index conversations_by_state on conversations (organization_id, inbox_state, last_item_id);
create index conversations_unread on conversations (organization_id, last_item_id) where unread_count > 0;
create index conversations_waiting on conversations (organization_id, last_item_id) where waiting_since is not null;
create index conversations_assigned on conversations (organization_id, assignee_id, last_item_id) where assignee_id is not null;
create index conversations_of_contact on conversations (organization_id, contact_id) where contact_id is not null;
create index conversations_snoozed on conversations (snoozed_until) where inbox_state = 'snoozed';

create table conversation_items (
  organization_id uuid not null,
  conversation_id uuid not null,
  id uuid not null,
  noun text not null,
  thread_id uuid not null,
  direction text not null,
  -- Automatic replies are no reason to wait or to mark as unread.
  is_automatic boolean not null,
  primary key (organization_id, conversation_id, id)
);
create unique index conversation_items_of_record on conversation_items (organization_id, id);

-- Where the emails, texts and calls with one conversation_id belong.
create table conversation_threads (
  organization_id uuid not null,
  thread_id uuid not null,
  conversation_id uuid not null,
  primary key (organization_id, thread_id)
);

-- Ids that lead to another conversation: merged ones, and the second number or address of a person.
create table conversation_aliases (
  organization_id uuid not null,
  alias_id uuid not null,
  conversation_id uuid not null,
  was_conversation boolean not null,
  primary key (organization_id, alias_id)
);
create index conversation_aliases_of on conversation_aliases (organization_id, conversation_id);

create table conversation_participants (
  organization_id uuid not null,
  conversation_id uuid not null,
  party text not null,
  role text not null,
  channel text not null,
  address text not null,
  name text,
  first_item_id uuid not null,
  primary key (organization_id, conversation_id, party)
);
