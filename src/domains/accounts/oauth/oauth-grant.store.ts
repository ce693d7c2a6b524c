import type { Db, Tx } from '../../../core/db/database.ts'
import {
  asId,
  type OauthApplicationId,
  type OauthChainId,
  type OauthGrantId,
  type UserId,
} from '../../../core/platform/crypto/ids.ts'
import { type User, toUser } from '../users/user.store.ts'
import { type OauthApplication, toApplication } from './applications/oauth-application.store.ts'
import type { OauthCodeTable } from './oauth.table.ts'

export interface OauthGrant {
  readonly id: OauthGrantId
  readonly applicationId: OauthApplicationId
  readonly userId: UserId
  /** The scopes as requested, separated by spaces. */
  readonly scope: string
}

const COLUMNS = ['id', 'application_id', 'user_id', 'scope'] as const

function toGrant(row: { id: number; application_id: number; user_id: number; scope: string }): OauthGrant {
  return { id: asId(row.id), applicationId: asId(row.application_id), userId: asId(row.user_id), scope: row.scope }
}

export async function findGrant(
  db: Db,
  userId: UserId,
  applicationId: OauthApplicationId,
): Promise<OauthGrant | undefined> {
  const row = await db
    .selectFrom('oauth_grant')
    .select(COLUMNS)
    .where('user_id', '=', userId)
    .where('application_id', '=', applicationId)
    .executeTakeFirst()
  return row && toGrant(row)
}

export async function insertGrant(
  tx: Tx,
  values: {
    readonly user_id: UserId
    readonly application_id: OauthApplicationId
    readonly scope: string
    readonly created_at: number
  },
): Promise<OauthGrantId> {
  const { id } = await tx
    .insertInto('oauth_grant')
    .values({ ...values, updated_at: values.created_at })
    .returning('id')
    .executeTakeFirstOrThrow()
  return asId(id)
}

/** Grants with the names of the applications, ordered by name. */
export async function listGrants(
  db: Db,
  userId: UserId,
): Promise<{ id: OauthGrantId; scope: string; createdAt: number; application: string }[]> {
  const rows = await db
    .selectFrom('oauth_grant')
    .innerJoin('oauth_application', 'oauth_application.id', 'oauth_grant.application_id')
    .select(['oauth_grant.id', 'oauth_grant.scope', 'oauth_grant.created_at', 'oauth_application.name'])
    .where('oauth_grant.user_id', '=', userId)
    .orderBy('oauth_application.name')
    .execute()
  return rows.map((row) => ({ id: asId(row.id), scope: row.scope, createdAt: row.created_at, application: row.name }))
}

/** A grant of the user with the name of its application. */
export async function findGrantById(
  db: Db,
  userId: UserId,
  id: OauthGrantId,
): Promise<(OauthGrant & { readonly application: string }) | undefined> {
  const row = await db
    .selectFrom('oauth_grant')
    .innerJoin('oauth_application', 'oauth_application.id', 'oauth_grant.application_id')
    .select(COLUMNS.map((column) => `oauth_grant.${column}` as const))
    .select('oauth_application.name')
    .where('oauth_grant.id', '=', id)
    .where('oauth_grant.user_id', '=', userId)
    .executeTakeFirst()
  return row && { ...toGrant(row), application: row.name }
}

/** Deletes a grant with its codes and chains, which revokes all its tokens. */
export async function deleteGrant(tx: Tx, id: OauthGrantId): Promise<void> {
  await tx.deleteFrom('oauth_grant').where('id', '=', id).execute()
}

export interface OauthCode {
  readonly grant: OauthGrant
  readonly redirectUri: string
  readonly challenge: string
  readonly challengeMethod: string
  readonly nonce: string
  readonly expiresAt: number
  /** The chain that was issued for the code; undefined until the code is used. */
  readonly chainId: OauthChainId | undefined
}

/** Inserts a code, and deletes expired codes without a live chain. */
export async function insertCode(
  tx: Tx,
  values: Required<{
    [K in Exclude<keyof OauthCodeTable, 'chain_id'>]: K extends 'grant_id' | 'expires_at' ? number : string
  }>,
  now: number,
): Promise<void> {
  await tx
    .deleteFrom('oauth_code')
    .where('expires_at', '<', now - CODE_MEMORY_MS)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb.selectFrom('oauth_chain').select('oauth_chain.id').whereRef('oauth_chain.id', '=', 'oauth_code.chain_id'),
        ),
      ),
    )
    .execute()
  await tx.insertInto('oauth_code').values(values).execute()
}

/** How long an expired code without live tokens is stored, so that its use can be reported as late. */
const CODE_MEMORY_MS = 3_600_000

export async function findCode(db: Db, codeHash: string): Promise<OauthCode | undefined> {
  const row = await db
    .selectFrom('oauth_code')
    .innerJoin('oauth_grant', 'oauth_grant.id', 'oauth_code.grant_id')
    .selectAll('oauth_code')
    .select(COLUMNS.map((column) => `oauth_grant.${column}` as const))
    .where('code_hash', '=', codeHash)
    .executeTakeFirst()
  return (
    row && {
      grant: toGrant(row),
      redirectUri: row.redirect_uri,
      challenge: row.challenge,
      challengeMethod: row.challenge_method,
      nonce: row.nonce,
      expiresAt: row.expires_at,
      chainId: row.chain_id === 0 ? undefined : asId(row.chain_id),
    }
  )
}

/** Records the chain that is issued for a code; returns false when the code was already used. */
export async function useCode(tx: Tx, codeHash: string, chainId: OauthChainId): Promise<boolean> {
  const result = await tx
    .updateTable('oauth_code')
    .set({ chain_id: chainId })
    .where('code_hash', '=', codeHash)
    .where('chain_id', '=', 0)
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}

export interface OauthChain {
  readonly id: OauthChainId
  readonly counter: number
  readonly rotatedAt: number
}

export async function insertChain(
  tx: Tx,
  values: { readonly grant_id: OauthGrantId; readonly rotated_at: number; readonly expires_at: number },
): Promise<OauthChainId> {
  await tx.deleteFrom('oauth_chain').where('expires_at', '<=', values.rotated_at).execute()
  const { id } = await tx.insertInto('oauth_chain').values(values).returning('id').executeTakeFirstOrThrow()
  return asId(id)
}

/** Returns false when a concurrent refresh came first. */
export async function rotateChain(
  tx: Tx,
  { id, counter }: Pick<OauthChain, 'id' | 'counter'>,
  values: { readonly rotated_at: number; readonly expires_at: number },
): Promise<boolean> {
  const result = await tx
    .updateTable('oauth_chain')
    .set({ ...values, counter: counter + 1 })
    .where('id', '=', id)
    .where('counter', '=', counter)
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}

export async function deleteChain(tx: Tx, id: OauthChainId): Promise<void> {
  await tx.deleteFrom('oauth_chain').where('id', '=', id).execute()
}

export interface LiveGrant {
  readonly chain: OauthChain
  readonly grant: OauthGrant
  readonly application: OauthApplication
  readonly user: User
}

/**
 * The grant, user and application of a token, by its chain; undefined after its revocation. Three look-ups by primary
 * key.
 */
export async function findLiveGrant(db: Db, chainId: OauthChainId): Promise<LiveGrant | undefined> {
  const row = await db
    .selectFrom('oauth_chain')
    .innerJoin('oauth_grant', 'oauth_grant.id', 'oauth_chain.grant_id')
    .select(COLUMNS.map((column) => `oauth_grant.${column}` as const))
    .select(['oauth_chain.id as chain_id', 'oauth_chain.counter', 'oauth_chain.rotated_at'])
    .where('oauth_chain.id', '=', chainId)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const application = await db
    .selectFrom('oauth_application')
    .selectAll()
    .where('id', '=', row.application_id)
    .executeTakeFirst()
  const user = await db.selectFrom('user').selectAll().where('id', '=', row.user_id).executeTakeFirst()
  if (application === undefined || user === undefined) return undefined
  return {
    chain: { id: asId(row.chain_id), counter: row.counter, rotatedAt: row.rotated_at },
    grant: toGrant(row),
    application: toApplication(application),
    user: toUser(user),
  }
}

/** Names of the user's organizations, and of its teams as `org:team`, sorted. */
export async function listGroupNames(db: Db, userId: UserId, onlyPublic: boolean): Promise<string[]> {
  const orgs = await db
    .selectFrom('org_member')
    .innerJoin('user as org', 'org.id', 'org_member.org_id')
    .select(['org.id', 'org.name'])
    .where('org_member.user_id', '=', userId)
    .$if(onlyPublic, (query) => query.where('org.visibility', '=', 'public'))
    .orderBy('org.lower_name')
    .execute()
  if (orgs.length === 0) return []
  const teams = await db
    .selectFrom('team_member')
    .innerJoin('team', 'team.id', 'team_member.team_id')
    .select(['team_member.org_id', 'team.lower_name'])
    .where('team_member.user_id', '=', userId)
    .orderBy('team.lower_name')
    .execute()
  return orgs.flatMap((org) => [
    org.name,
    ...teams.filter((team) => team.org_id === org.id).map((team) => `${org.name}:${team.lower_name}`),
  ])
}
