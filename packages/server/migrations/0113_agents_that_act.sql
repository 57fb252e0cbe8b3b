-- compatible-from: 0049
-- Agents get tools with settings, destinations, engines, variables and limits. Rows of a previous release have null in
-- these columns and are read with the defaults. tool_entries replaces tools, which the previous release still reads.
alter table agents
  add column version integer,
  add column timezone text,
  add column tool_entries json,
  add column variables json,
  add column engines json,
  add column destinations json,
  add column limits json,
  add column voicemail json,
  add column result_schema json,
  add column success_criteria text,
  add column summarize boolean,
  add column messaging json;

-- Until now every call could end itself and press keys, whatever the list said.
update agents
   set version = 1,
       tool_entries = (
         select json_agg(json_build_object('type', name) order by position)
           from (select name, min(position) as position
                   from unnest(array['end_call', 'send_digits'] || tools) with ordinality as listed (name, position)
                  group by name) as each);

-- What a call was given: which state of its agent, and the values of its variables.
alter table calls add column agent_version integer, add column variables json;
