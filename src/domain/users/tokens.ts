import type { Database } from '../../db/database.ts'
import { deleteToken, findTokenById, findTokenByName, insertToken, listTokens, type AccessToken } from '../../db/stores/token.store.ts'
import type { Clock } from '../../platform/clock.ts'
import { randomHex, sha256Hex } from '../../platform/crypto.ts'
import { badRequest, DomainError, notFound } from '../../platform/errors.ts'
import { asId, type UserId } from '../../platform/ids.ts'
import type { Page, Paging } from '../../platform/paging.ts'
import { formatScopes, parseScopes } from '../../policy/scopes.ts'

export interface NewToken {
  readonly name: string
  readonly scopes: readonly string[]
}

/** Personal access tokens (reference auth-and-access §4). */
export interface Tokens {
  list(userId: UserId, paging: Paging): Promise<Page<AccessToken>>
  /** `value` is shown once and never stored. Throws bad-request for a taken name or wrong scopes. */
  create(userId: UserId, input: NewToken): Promise<{ token: AccessToken; value: string }>
  /** A number other than 0 is an id, anything else a name. Throws NotFound. */
  delete(userId: UserId, idOrName: string): Promise<void>
}

const TOKEN_BYTES = 20

export function createTokens({ database, clock }: { database: Database; clock: Clock }): Tokens {
  return {
    list: (userId, paging) => listTokens(database.read, userId, paging),

    async create(userId, { name, scopes }) {
      const value = randomHex(TOKEN_BYTES)
      const token = await database.transaction(async (tx) => {
        if (await findTokenByName(tx, userId, name)) throw badRequest('access token name has been used already')
        const now = clock.now()
        const row = { user_id: userId, name, token_hash: sha256Hex(value), last_eight: value.slice(-8), scopes: normalise(scopes), created_at: now }
        const id = await insertToken(tx, row)
        return (await findTokenById(tx, userId, id))!
      })
      return { token, value }
    },

    async delete(userId, idOrName) {
      await database.transaction(async (tx) => {
        const id = parseTokenId(idOrName)
        const token = id === 0 ? await findTokenByName(tx, userId, idOrName) : await findTokenById(tx, userId, asId(id))
        if (token === undefined) throw notFound('access token does not exist')
        await deleteToken(tx, token.id)
      })
    },
  }
}

function normalise(scopes: readonly string[]): string {
  const parsed = parseScopes(scopes)
  if (!parsed.ok) throw badRequest(`invalid access token scope provided: invalid access token scope: ${parsed.wrong}`)
  const names = formatScopes(parsed.scopes)
  if (names.length === 0) throw new DomainError('bad-request', 'access token must have a scope')
  return names.join(',')
}

/** COMPAT: hexadecimal and octal numbers are ids too (reference auth-and-access §4). */
function parseTokenId(text: string): number {
  if (!/^(\d+|0[xX][0-9a-fA-F]+|0[oO][0-7]+)$/.test(text)) return 0
  const id = /^0\d+$/.test(text) ? Number.parseInt(text, 8) : Number(text)
  return Number.isSafeInteger(id) ? id : 0
}
