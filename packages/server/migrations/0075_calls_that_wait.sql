-- compatible-from: 0049
-- The queue of calls that may be dialed now, and the calls that the kill switch holds back. Many calls may wait for their
-- time or for an approval; claiming a call must not read those. calls_queue stays for processes of the previous release.
create index calls_ready on calls (id) where status = 'queued' and hold is null;
create index calls_stopped on calls (id) where status = 'queued' and hold ->> 'kind' = 'kill_switch';
