import { sql } from 'kysely'
import type { Schema } from './_helpers.ts'

/**
 * What servers on one PostgreSQL lock for each other. A session is one process: it is over when `expires_at` has passed
 * or the connection that holds the advisory lock of its id has ended; its locks go with it. Nothing of it outlives a
 * crash of PostgreSQL, so the tables are not in its log and no commit waits for the disk. Fencing numbers only grow.
 */
export async function createClusterLocks({ db, dialect }: Schema): Promise<void> {
  if (dialect === 'sqlite') return
  await sql`create unlogged table cluster_session (
    id bigint primary key, node text not null, expires_at timestamptz not null)`.execute(db)
  await sql`create unlogged table cluster_lock (
    name text not null, session_id bigint not null, is_exclusive boolean not null, fence bigint not null,
    constraint cluster_lock_pk primary key (name, session_id))`.execute(db)
  await sql`create index cluster_lock_session_id_idx on cluster_lock (session_id)`.execute(db)
  await sql`create sequence cluster_fence`.execute(db)
  await createFunctions(db)
}

/** NOTE: each statement in these functions sees what was committed before it, not before the call. */
async function createFunctions(db: Schema['db']): Promise<void> {
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
