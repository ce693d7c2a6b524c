import { sql } from 'kysely'
import { createIndex, createTable, type Schema } from '../_helpers.ts'

export async function createCoreTables(schema: Schema): Promise<void> {
  await createTable(schema, 'event', (t) =>
    t
      .id()
      .text('kind')
      .number('repo_id', 0)
      .number('actor_id', 0)
      .text('payload')
      .number('created_at')
      .number('dispatched_at', 0)
      .number('attempts', 0)
      .number('next_attempt_at', 0)
      .text('last_error', ''),
  )
  await createIndex(schema, 'event', ['dispatched_at', 'repo_id', 'id'])
  await createIndex(schema, 'event', ['repo_id', 'id'])

  // `holder` is the process that has the lease, so that others take over at once when it ends.
  await createTable(schema, 'job', (t) =>
    t
      .id()
      .text('kind')
      .text('key')
      .text('payload')
      .text('state', 'waiting')
      .number('run_at')
      .number('lease_until', 0)
      .number('attempts', 0)
      .text('last_error', '')
      .number('created_at')
      .text('holder', ''),
  )
  await createIndex(schema, 'job', ['state', 'run_at'])
  await createIndex(schema, 'job', ['kind', 'key', 'state'])

  await createTable(schema, 'cron_task', (t) =>
    t.text('name').number('last_run_at', 0).number('runs_count', 0).primaryKey('name'),
  )

  await createTable(schema, 'schema_release', (t) => t.id().text('oldest', '26.11.0').text('newest', '26.11.0'))
  await sql`insert into schema_release (id) values (1)`.execute(schema.db)

  if (schema.dialect === 'postgres') await createClusterLocks(schema)
}

/**
 * What servers on one PostgreSQL lock for each other. A session is one process: it is over when `expires_at` has passed
 * or the connection that holds the advisory lock of its id has ended; its locks go with it. Nothing of it outlives a
 * crash of PostgreSQL, so the tables are not in its log and no commit waits for the disk. Fencing numbers only grow.
 */
async function createClusterLocks({ db }: Schema): Promise<void> {
  await sql`create unlogged table cluster_session (
    id bigint primary key, node text collate "C" not null, expires_at timestamptz not null,
    member text collate "C" not null default '')`.execute(db)
  await sql`create unlogged table cluster_lock (
    name text collate "C" not null, session_id bigint not null, is_exclusive boolean not null, fence bigint not null,
    constraint cluster_lock_pk primary key (name, session_id))`.execute(db)
  await sql`create index cluster_lock_session_id_idx on cluster_lock (session_id)`.execute(db)
  await sql`create sequence cluster_fence`.execute(db)
  await createClusterFunctions(db)
}

/** NOTE: each statement in these functions sees what was committed before it, not before the call. */
async function createClusterFunctions(db: Schema['db']): Promise<void> {
  await sql`create function cluster_take(wanted text, exclusively boolean, owner bigint) returns bigint language plpgsql as $$
    declare taken bigint;
    begin
      perform pg_advisory_xact_lock(1110, hashtext(wanted));
      if exists (select 1 from cluster_lock l where l.name = wanted and (l.is_exclusive or exclusively)) then
        return 0;
      end if;
      if not exists (select 1 from cluster_session s where s.id = owner and s.expires_at > clock_timestamp()) then
        return -1;
      end if;
      insert into cluster_lock (name, session_id, is_exclusive, fence)
        values (wanted, owner, exclusively, nextval('cluster_fence')) returning fence into taken;
      return taken;
    end $$`.execute(db)
  await sql`create function cluster_reap(caller bigint) returns void language plpgsql as $$
    begin
      if not pg_try_advisory_xact_lock(1111, 0) then
        return;
      end if;
      delete from cluster_session s
        where s.id <> caller and (s.expires_at < clock_timestamp() or pg_try_advisory_xact_lock(s.id));
      delete from cluster_lock l where not exists (select 1 from cluster_session s where s.id = l.session_id);
    end $$`.execute(db)
}
