import type { ExpressionBuilder, Insertable, Selectable } from 'kysely'
import type { Db, Tx } from '../../../core/db/database.ts'
import { selectPage } from '../../../core/db/page.ts'
import type { Schema } from '../../../core/db/schema.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import type { AuditEntryTable } from './audit-entry.table.ts'
import type { RequestCredential } from '../../../core/platform/request-source.ts'

export type AuditEntry = Selectable<AuditEntryTable>

/** Absent members select everything. */
export interface AuditFilter {
  /** Name of the account at the time, case-insensitive. */
  readonly actor?: string | undefined
  /** A whole action, or its part before the first dot. */
  readonly action?: string | undefined
  /** Name of the target at the time, case-insensitive. */
  readonly target?: string | undefined
  /** Epoch milliseconds, inclusive. */
  readonly since?: number | undefined
  /** Epoch milliseconds, exclusive. */
  readonly before?: number | undefined
}

export async function insertEntry(tx: Tx, entry: Insertable<AuditEntryTable>): Promise<void> {
  await tx.insertInto('audit_entry').values(entry).execute()
}

/** Newest first. */
export const listEntries = (db: Db, filter: AuditFilter, paging: Paging): Promise<Page<AuditEntry>> =>
  selectPage(selected(db, filter).orderBy('id', 'desc'), paging, (row) => row)

/** Up to `limit` entries with an id above `after`, oldest first. */
export const listEntriesAfter = (
  db: Db,
  filter: AuditFilter,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<AuditEntry[]> => selected(db, filter).where('id', '>', after).orderBy('id').limit(limit).execute()

/** Deletes up to `limit` entries from before `time`, oldest first; returns their number. */
export async function deleteEntriesBefore(tx: Tx, time: number, limit: number): Promise<number> {
  const old = tx
    .selectFrom('audit_entry')
    .select('id')
    .where('created_at', '<', time)
    .orderBy('created_at')
    .limit(limit)
  const result = await tx.deleteFrom('audit_entry').where('id', 'in', old).executeTakeFirst()
  return Number(result.numDeletedRows)
}

const selected = (db: Db, filter: AuditFilter) =>
  db
    .selectFrom('audit_entry')
    .selectAll()
    .where((eb) => eb.and(conditions(eb, filter)))

function conditions(eb: ExpressionBuilder<Schema, 'audit_entry'>, filter: AuditFilter) {
  const { actor, action, target, since, before } = filter
  return [
    ...(actor === undefined ? [] : [eb('lower_actor_name', '=', actor.toLowerCase())]),
    ...(target === undefined ? [] : [eb('lower_target_name', '=', target.toLowerCase())]),
    ...(action === undefined ? [] : [actionIs(eb, action)]),
    ...(since === undefined ? [] : [eb('created_at', '>=', since)]),
    ...(before === undefined ? [] : [eb('created_at', '<', before)]),
  ]
}

/** NOTE: `/` follows the dot in ASCII, so that the range contains the actions that start with the part and a dot. */
const actionIs = (eb: ExpressionBuilder<Schema, 'audit_entry'>, action: string) =>
  action.includes('.')
    ? eb('action', '=', action)
    : eb.and([eb('action', '>=', `${action}.`), eb('action', '<', `${action}/`)])

interface AccountName {
  readonly name: string
  readonly kind: 'user' | 'organization'
}

/** Undefined for an account that no longer exists. */
export async function findAccountName(tx: Tx, id: number): Promise<AccountName | undefined> {
  if (id === 0) return undefined
  const row = await tx.selectFrom('user').select(['name', 'kind']).where('id', '=', id).executeTakeFirst()
  return row && { name: row.name, kind: row.kind === 'organization' ? 'organization' : 'user' }
}

interface RepoName {
  readonly name: string
  readonly isPrivate: boolean
  readonly isArchived: boolean
}

/** `name` is `owner/name`. */
export async function findRepoName(tx: Tx, id: number): Promise<RepoName | undefined> {
  const row = await tx
    .selectFrom('repo')
    .innerJoin('user as owner', 'owner.id', 'repo.owner_id')
    .select(['owner.name as owner', 'repo.name', 'repo.is_private', 'repo.is_archived'])
    .where('repo.id', '=', id)
    .executeTakeFirst()
  return row && { name: `${row.owner}/${row.name}`, isPrivate: row.is_private === 1, isArchived: row.is_archived === 1 }
}

export async function findTeamName(tx: Tx, id: number): Promise<string | undefined> {
  return (await tx.selectFrom('team').select('name').where('id', '=', id).executeTakeFirst())?.name
}

/** Empty for kinds without names, and for credentials that were deleted concurrently. */
export async function findCredentialName(tx: Tx, { kind, id }: RequestCredential): Promise<string> {
  if (id === 0) return ''
  switch (kind) {
    case 'access-token':
      return (await tx.selectFrom('access_token').select('name').where('id', '=', id).executeTakeFirst())?.name ?? ''
    case 'oauth2-token':
      return (
        (await tx.selectFrom('oauth_application').select('name').where('id', '=', id).executeTakeFirst())?.name ?? ''
      )
    case 'passkey':
      return (await tx.selectFrom('passkey').select('name').where('id', '=', id).executeTakeFirst())?.name ?? ''
    case 'ldap':
    case 'sign-in-source':
      return (await tx.selectFrom('sign_in_source').select('name').where('id', '=', id).executeTakeFirst())?.name ?? ''
    default:
      return findKeyTitle(tx, { kind, id })
  }
}

async function findKeyTitle(tx: Tx, { kind, id }: RequestCredential): Promise<string> {
  switch (kind) {
    case 'ssh-key':
    case 'http-signature':
      return (await tx.selectFrom('user_key').select('title').where('id', '=', id).executeTakeFirst())?.title ?? ''
    case 'deploy-key':
      return (await tx.selectFrom('deploy_key').select('title').where('id', '=', id).executeTakeFirst())?.title ?? ''
    default:
      return ''
  }
}
