import type { ScopeSet } from '../../../../core/access/scopes.ts'
import type { User } from '../../users/user.store.ts'

interface BearerAccess {
  readonly user: User
  readonly scopes: ScopeSet
  /** The OAuth2 application that the token was issued to. */
  readonly applicationId: number
}

/** Whose token this is and what it may; undefined for a token of another kind or one that is not valid. */
type BearerTokenReader = (token: string) => Promise<BearerAccess | undefined>

/** Tokens of other kinds than personal access tokens: a later module that issues some registers what reads them. */
export interface BearerTokens {
  register(reader: BearerTokenReader): void
  readonly read: BearerTokenReader
}

export function createBearerTokens(): BearerTokens {
  const readers: BearerTokenReader[] = []
  return {
    register: (reader) => void readers.push(reader),
    async read(token) {
      for (const reader of readers) {
        const found = await reader(token)
        if (found !== undefined) return found
      }
      return undefined
    },
  }
}
