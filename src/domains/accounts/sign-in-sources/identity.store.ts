import type { Selectable, Updateable } from 'kysely'
import type { Db, Tx } from '../../../core/db/database.ts'
import { asId, type SignInSourceId, type UserId } from '../../../core/platform/crypto/ids.ts'
import type { ExternalIdentityTable } from './sign-in-source.table.ts'

/** An account at a source. Times are epoch milliseconds. */
export interface ExternalIdentity {
  readonly sourceId: SignInSourceId
  readonly subject: string
  readonly userId: UserId
  readonly loginName: string
  /** Undefined if no synchronization deactivated the account. */
  readonly goneAt: number | undefined
}

const toIdentity = (row: Selectable<ExternalIdentityTable>): ExternalIdentity => ({
  sourceId: asId(row.source_id),
  subject: row.subject,
  userId: asId(row.user_id),
  loginName: row.login_name,
  goneAt: row.gone_at || undefined,
})

export async function findIdentity(
  db: Db,
  sourceId: SignInSourceId,
  by: { readonly subject: string } | { readonly userId: UserId },
): Promise<ExternalIdentity | undefined> {
  const query = db.selectFrom('external_identity').selectAll().where('source_id', '=', sourceId)
  const row = await (
    'subject' in by ? query.where('subject', '=', by.subject) : query.where('user_id', '=', by.userId)
  ).executeTakeFirst()
  return row && toIdentity(row)
}

/** Oldest first. */
export async function listIdentitiesOf(db: Db, userId: UserId): Promise<ExternalIdentity[]> {
  const rows = await db
    .selectFrom('external_identity')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('source_id')
    .execute()
  return rows.map(toIdentity)
}

export type NewIdentity = Omit<ExternalIdentity, 'goneAt'>

/** Violates a unique index when the subject or the account has an identity of the source already. */
export async function insertIdentity(
  tx: Tx,
  { sourceId, subject, userId, loginName }: NewIdentity,
  at: number,
): Promise<void> {
  await tx
    .insertInto('external_identity')
    .values({
      source_id: sourceId,
      subject,
      user_id: userId,
      login_name: loginName,
      created_at: at,
      seen_at: at,
    })
    .execute()
}

/** Returns false if there was none. */
export async function deleteIdentity(tx: Tx, sourceId: SignInSourceId, userId: UserId): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('external_identity')
    .where('source_id', '=', sourceId)
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** The identities of a source for some subjects. */
export async function listIdentitiesBySubject(
  db: Db,
  sourceId: SignInSourceId,
  subjects: readonly string[],
): Promise<ExternalIdentity[]> {
  if (subjects.length === 0) return []
  const rows = await db
    .selectFrom('external_identity')
    .selectAll()
    .where('source_id', '=', sourceId)
    .where('subject', 'in', subjects)
    .execute()
  return rows.map(toIdentity)
}

/** The source knows these people at this time. */
export async function markIdentitiesSeen(
  tx: Tx,
  sourceId: SignInSourceId,
  subjects: readonly string[],
  at: number,
): Promise<void> {
  if (subjects.length === 0) return
  await tx
    .updateTable('external_identity')
    .set({ seen_at: at })
    .where('source_id', '=', sourceId)
    .where('subject', 'in', subjects)
    .execute()
}

/** Identities that were not seen since a time and whose accounts were not deactivated for it, in order of user id. */
export async function listUnseenIdentities(
  db: Db,
  sourceId: SignInSourceId,
  { since, after, limit }: { readonly since: number; readonly after: number; readonly limit: number },
): Promise<ExternalIdentity[]> {
  const rows = await db
    .selectFrom('external_identity')
    .selectAll()
    .where('source_id', '=', sourceId)
    .where('seen_at', '<', since)
    .where('gone_at', '=', 0)
    .where('user_id', '>', after)
    .orderBy('user_id')
    .limit(limit)
    .execute()
  return rows.map(toIdentity)
}

export async function updateIdentity(
  tx: Tx,
  { sourceId, userId }: Pick<ExternalIdentity, 'sourceId' | 'userId'>,
  values: Pick<Updateable<ExternalIdentityTable>, 'login_name' | 'gone_at' | 'seen_at'>,
): Promise<void> {
  await tx
    .updateTable('external_identity')
    .set(values)
    .where('source_id', '=', sourceId)
    .where('user_id', '=', userId)
    .execute()
}

/** Deletes the identities that the login name of a user decides: at directories, and at the source of the account. */
export async function deleteIdentitiesByLoginName(tx: Tx, userId: UserId): Promise<void> {
  await tx
    .deleteFrom('external_identity')
    .where('user_id', '=', userId)
    .where((eb) =>
      eb.or([
        eb('source_id', 'in', eb.selectFrom('sign_in_source').select('id').where('kind', '=', 'ldap')),
        eb('source_id', 'in', eb.selectFrom('user').select('source_id').where('id', '=', userId)),
      ]),
    )
    .execute()
}
