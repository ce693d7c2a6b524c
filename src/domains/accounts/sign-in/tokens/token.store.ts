import type { Insertable, Selectable } from 'kysely'
import type { Db, Tx } from '../../../../core/db/database.ts'
import { defineQuery } from '../../../../core/db/prepared-statement.ts'
import { selectPage } from '../../../../core/db/page.ts'
import { cachedUntilCommit } from '../../../../core/db/read-cache.ts'
import { asId, type RepoId, type TokenId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import { type User, toUser } from '../../users/user.store.ts'
import type { AccessTokenTable } from '../sign-in.table.ts'

export interface AccessToken {
  readonly id: TokenId
  readonly userId: UserId
  readonly name: string
  readonly lastEight: string
  /** Normalised, comma-separated. */
  readonly scopes: string
  readonly createdAt: number
  /** 0: never used. */
  readonly lastUsedAt: number
  /** 0: never expires. */
  readonly expiresAt: number
  /** The only repositories that the token may access, including deleted ones; undefined: all. */
  readonly onlyRepos: readonly RepoId[] | undefined
}

function toToken(row: Omit<Selectable<AccessTokenTable>, 'token_hash'>): AccessToken {
  return {
    id: asId(row.id),
    userId: asId(row.user_id),
    name: row.name,
    lastEight: row.last_eight,
    scopes: row.scopes,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
    onlyRepos: row.only_repos === '' ? undefined : (JSON.parse(row.only_repos) as RepoId[]),
  }
}

export interface TokenWithUser {
  readonly token: AccessToken
  readonly user: User
}

/** The columns of a token next to those of its owner, some of which have the same names. */
const WITH_USER = [
  'access_token.id as token_id',
  'access_token.user_id',
  'access_token.name as token_name',
  'access_token.last_eight',
  'access_token.scopes',
  'access_token.created_at as token_created_at',
  'access_token.last_used_at',
  'access_token.expires_at',
  'access_token.only_repos',
] as const

/** One query: an indexed look-up for the token, one by primary key for its owner. */
export const findTokenByHash = (db: Db, hash: string): Promise<TokenWithUser | undefined> =>
  cachedUntilCommit(db, `token ${hash}`, async () => {
    const [row] = await byHash(db, { hash })
    if (row === undefined) return undefined
    const token = toToken({ ...row, id: row.token_id, name: row.token_name, created_at: row.token_created_at })
    return { token, user: toUser(row) }
  })

const byHash = defineQuery((db, { hash }: { hash: string }) =>
  db
    .selectFrom('access_token')
    .innerJoin('user', 'user.id', 'access_token.user_id')
    .selectAll('user')
    .select(WITH_USER)
    .where('token_hash', '=', hash),
)

/** Newest first. */
export async function listTokens(db: Db, userId: UserId, paging: Paging): Promise<Page<AccessToken>> {
  const own = db.selectFrom('access_token').where('user_id', '=', userId)
  return selectPage(own.selectAll().orderBy('id', 'desc'), paging, toToken)
}

export async function findTokenById(db: Db, userId: UserId, id: TokenId): Promise<AccessToken | undefined> {
  const row = await db
    .selectFrom('access_token')
    .selectAll()
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row && toToken(row)
}

export async function findTokenByName(db: Db, userId: UserId, name: string): Promise<AccessToken | undefined> {
  const row = await db
    .selectFrom('access_token')
    .selectAll()
    .where('user_id', '=', userId)
    .where('name', '=', name)
    .executeTakeFirst()
  return row && toToken(row)
}

export async function insertToken(tx: Tx, values: Insertable<AccessTokenTable>): Promise<TokenId> {
  const { id } = await tx.insertInto('access_token').values(values).returning('id').executeTakeFirstOrThrow()
  return asId(id)
}

export async function deleteToken(tx: Tx, id: TokenId): Promise<void> {
  await tx.deleteFrom('access_token').where('id', '=', id).execute()
}

export async function updateTokenUse(tx: Tx, id: TokenId, at: number): Promise<void> {
  await tx
    .updateTable('access_token')
    .set({ last_used_at: at })
    .where('id', '=', id)
    .where('last_used_at', '<', at)
    .execute()
}

/** When a token expires; 0 if it never expires or does not exist. */
export async function findTokenExpiry(db: Db, id: TokenId): Promise<number> {
  const row = await db.selectFrom('access_token').select('expires_at').where('id', '=', id).executeTakeFirst()
  return row?.expires_at ?? 0
}
