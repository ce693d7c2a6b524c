import type { Core } from '../../../../core/module.ts'
import {
  formatScopes,
  parseScopes,
  type Actor,
  type SignedIn,
  viewerOfAccount,
} from '../../../../core/access/viewer.ts'
import { type Db, retryOnUniqueViolation, type Tx } from '../../../../core/db/database.ts'
import type { EventPayload } from '../../../../core/events/index.ts'
import { randomHex, sha256Hex } from '../../../../core/platform/crypto/crypto.ts'
import {
  DomainError,
  badRequest,
  forbidden,
  invalid,
  invalidField,
  oversize,
} from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import { asId, type RepoId, type TokenId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import type { Port } from '../../../../core/platform/hook.ts'
import type { TokenRepo, TokenRepos } from './token-repos.ts'
import { findUserById } from '../../users/user.store.ts'
import {
  type AccessToken,
  deleteToken,
  findTokenById,
  findTokenByName,
  findTokenExpiry,
  insertToken,
  listTokens,
} from './token.store.ts'

interface NewToken {
  readonly name: string
  readonly scopes: readonly string[]
  /** Epoch milliseconds, in the future; undefined: never expires. */
  readonly expiresAt?: number | undefined
  /** `owner/name` of the only repositories that the token may access; undefined: all. */
  readonly repositories?: readonly string[] | undefined
  /** The token that authenticated the request, if any. */
  readonly madeBy?: TokenId | undefined
}

/** A token with its permitted repositories that its owner can still see. */
export interface TokenView {
  readonly token: AccessToken
  readonly repositories: readonly TokenRepo[] | undefined
}

const TOKEN_BYTES = 20
const MAX_REPOSITORIES = 200

interface TokenDeps extends Pick<Core, 'database' | 'clock' | 'events'> {
  readonly repos: Port<TokenRepos>
}

const payloadOf = (userId: UserId, { id, name, scopes }: AccessToken): EventPayload<'user.token_created'> => ({
  user_id: userId,
  token_id: id,
  name,
  scopes,
})

export type Tokens = ReturnType<typeof createTokens>

/**
 * Personal access tokens (behaviour/auth-and-access#personal-access-tokens), extended by an expiry time and a
 * restriction to repositories.
 */
export function createTokens({ database, clock, events, repos: tokenRepos }: TokenDeps) {
  return {
    async list(userId: UserId, paging: Paging): Promise<Page<TokenView>> {
      const page = await listTokens(database.read, userId, paging)
      return { items: await withRepos({ db: database.read, repos: tokenRepos }, userId, page.items), total: page.total }
    },

    /**
     * `value` is returned once and never stored. Throws bad-request for a duplicate name or wrong scopes, invalid for a
     * time in the past or a repository that the owner cannot see, and forbidden when it would outlive the token that
     * creates it.
     */
    async create(actor: Actor, userId: UserId, input: NewToken): Promise<TokenView & { readonly value: string }> {
      const now = clock.now()
      const { expiresAt } = input
      if (expiresAt !== undefined && expiresAt <= now) throw invalidField('ExpiresAt', 'must be in the future')
      const repos =
        input.repositories && (await findRepos({ db: database.read, repos: tokenRepos }, userId, input.repositories))
      const value = randomHex(TOKEN_BYTES)
      const token = await retryOnUniqueViolation(database, async (tx) => {
        if (await findTokenByName(tx, userId, input.name)) throw errors.accessTokenNameTaken()
        await requireShorterLife(tx, input)
        const id = await insertToken(tx, {
          user_id: userId,
          name: input.name,
          token_hash: sha256Hex(value),
          last_eight: value.slice(-8),
          scopes: normalise(input.scopes),
          created_at: now,
          expires_at: expiresAt ?? 0,
          only_repos: repos === undefined ? '' : JSON.stringify(repos.map((repo) => repo.id)),
        })
        const made = (await findTokenById(tx, userId, id))!
        await events.append(tx, 'user.token_created', { actor, repoId: 0, at: now }, payloadOf(userId, made))
        return made
      })
      return { token, value, repositories: repos }
    },

    /** The token that authenticated the request. Throws NotFound if it has none. */
    async current({ tokenId, account }: SignedIn): Promise<TokenView> {
      const token = tokenId && (await findTokenById(database.read, account.id, tokenId))
      if (token === undefined) throw errors.accessTokenNotFound()
      return { token, repositories: undefined }
    },

    /** A number other than 0 is an id; anything else is a name. Throws NotFound. */
    async delete(actor: Actor, userId: UserId, idOrName: string): Promise<void> {
      await database.transaction(async (tx) => {
        const id = parseTokenId(idOrName)
        const token = id === 0 ? await findTokenByName(tx, userId, idOrName) : await findTokenById(tx, userId, asId(id))
        if (token === undefined) throw errors.accessTokenNotFound()
        await deleteToken(tx, token.id)
        const origin = { actor, repoId: 0, at: clock.now() }
        await events.append(tx, 'user.token_deleted', origin, payloadOf(userId, token))
      })
    },
  }
}

/** Otherwise a token with an expiry time could renew itself by creating successors. */
async function requireShorterLife(tx: Tx, { madeBy, expiresAt }: NewToken): Promise<void> {
  const end = madeBy === undefined ? 0 : await findTokenExpiry(tx, madeBy)
  if (end === 0) return
  if (expiresAt === undefined || expiresAt > end)
    throw forbidden('a token that expires cannot make one that outlives it: give expires_at')
}

interface TokenReads {
  readonly db: Db
  readonly repos: Port<TokenRepos>
}

/** The named repositories that the owner can see, without duplicates. Missing and hidden ones cause the same error. */
async function findRepos({ db, repos }: TokenReads, userId: UserId, names: readonly string[]): Promise<TokenRepo[]> {
  if (names.length === 0) throw invalidField('Repositories', 'MinSize')
  if (names.length > MAX_REPOSITORIES) throw oversize('Repositories', MAX_REPOSITORIES, 'items')
  const owner = await ownerOf(db, userId)
  const found = new Map<RepoId, TokenRepo>()
  for (const name of names) {
    const repo = await repos.get().find(db, owner, name)
    if (repo === undefined) throw invalid(`[Repositories]: there is no repository ${name}`)
    found.set(repo.id, repo)
  }
  return [...found.values()]
}

/** Runs a fixed number of queries for any page size. Omits repositories that the owner can no longer see. */
async function withRepos(
  { db, repos }: TokenReads,
  userId: UserId,
  tokens: readonly AccessToken[],
): Promise<TokenView[]> {
  const ids = tokens.flatMap((token) => token.onlyRepos ?? [])
  const visible = ids.length === 0 ? [] : await repos.get().listVisible(db, await ownerOf(db, userId), ids)
  const byId = new Map(visible.map((repo) => [repo.id, repo]))
  return tokens.map((token) => ({ token, repositories: token.onlyRepos?.flatMap((id) => byId.get(id) ?? []) }))
}

async function ownerOf(db: Db, userId: UserId): Promise<SignedIn> {
  const user = await findUserById(db, userId)
  if (user === undefined) throw errors.userNotFound()
  return viewerOfAccount(user)
}

function normalise(scopes: readonly string[]): string {
  const parsed = parseScopes(scopes)
  if (!parsed.ok) throw badRequest(`invalid access token scope provided: invalid access token scope: ${parsed.wrong}`)
  const names = formatScopes(parsed.scopes)
  if (names.length === 0) throw new DomainError('bad-request', 'access token must have a scope')
  return names.join(',')
}

/**
 * COMPAT: hexadecimal and octal numbers are ids, too (behaviour/auth-and-access#personal-access-tokens;
 * test/accounts/sign-in/authentication.test.ts).
 */
function parseTokenId(text: string): number {
  if (!/^(\d+|0[xX][0-9a-fA-F]+|0[oO][0-7]+)$/.test(text)) return 0
  const id = /^0\d+$/.test(text) ? Number.parseInt(text, 8) : Number(text)
  return Number.isSafeInteger(id) ? id : 0
}
