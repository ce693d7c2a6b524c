import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Db, Tx } from '../../../../core/db/database.ts'
import { selectPage } from '../../../../core/db/page.ts'
import { asId, type OauthApplicationId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import type { OauthApplicationTable } from '../oauth.table.ts'

export interface OauthApplication {
  readonly id: OauthApplicationId
  readonly name: string
  readonly clientId: string
  readonly redirectUris: readonly string[]
  /** The client can protect a secret; public clients use PKCE instead. */
  readonly isConfidential: boolean
  /** Users who agreed once are not prompted again. */
  readonly skipsConsent: boolean
  /** The configuration name of a built-in application; empty for applications of users. */
  readonly builtIn: string
  readonly secretHash: string
  readonly createdAt: number
}

export function toApplication(row: Selectable<OauthApplicationTable>): OauthApplication {
  return {
    id: asId(row.id),
    name: row.name,
    clientId: row.client_id,
    redirectUris: JSON.parse(row.redirect_uris) as string[],
    isConfidential: row.is_confidential === 1,
    skipsConsent: row.skips_consent === 1,
    builtIn: row.built_in,
    secretHash: row.secret_hash,
    createdAt: row.created_at,
  }
}

/** Newest first. */
export async function listApplications(db: Db, userId: UserId, paging: Paging): Promise<Page<OauthApplication>> {
  const own = db.selectFrom('oauth_application').where('user_id', '=', userId)
  return selectPage(own.selectAll().orderBy('id', 'desc'), paging, toApplication)
}

export async function findApplicationOf(
  db: Db,
  userId: UserId,
  id: OauthApplicationId,
): Promise<OauthApplication | undefined> {
  const row = await db
    .selectFrom('oauth_application')
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row && toApplication(row)
}

export async function findApplicationByClientId(db: Db, clientId: string): Promise<OauthApplication | undefined> {
  const row = await db.selectFrom('oauth_application').selectAll().where('client_id', '=', clientId).executeTakeFirst()
  return row && toApplication(row)
}

export async function insertApplication(
  tx: Tx,
  values: Insertable<OauthApplicationTable>,
): Promise<OauthApplicationId> {
  const { id } = await tx.insertInto('oauth_application').values(values).returning('id').executeTakeFirstOrThrow()
  return asId(id)
}

export async function updateApplication(
  tx: Tx,
  id: OauthApplicationId,
  values: Updateable<OauthApplicationTable>,
): Promise<void> {
  await tx.updateTable('oauth_application').set(values).where('id', '=', id).execute()
}

/** Deletes an application with its grants and their codes. Returns false when it does not exist. */
export async function deleteApplication(tx: Tx, id: OauthApplicationId): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('oauth_application').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}
