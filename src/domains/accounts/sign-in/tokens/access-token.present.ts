import { wireTime } from '../../../../core/platform/clock.ts'
import type { Account } from '../../../../core/access/viewer.ts'
import type { AccessToken, CurrentAccessToken } from '../sign-in.model.ts'
import type { TokenRepo } from './token-repos.ts'
import type { TokenView } from './tokens.service.ts'

/**
 * Only the response that creates the token contains `value`. For an unused token, the time of the last use is that of
 * its creation.
 */
export function presentAccessToken({ token, repositories }: TokenView, value = ''): AccessToken {
  return {
    id: token.id,
    name: token.name,
    sha1: value,
    token_last_eight: token.lastEight,
    scopes: scopesOf(token),
    created_at: wireTime(token.createdAt),
    last_used_at: wireTime(token.lastUsedAt || token.createdAt),
    expires_at: token.expiresAt === 0 ? null : wireTime(token.expiresAt),
    repositories: repositories === undefined ? null : repositories.map(presentRepo),
  }
}

/** A token as it describes itself to whoever uses it. */
export const presentCurrentToken = ({ token }: TokenView, owner: Account): CurrentAccessToken => ({
  id: token.id,
  name: token.name,
  scopes: scopesOf(token),
  created_at: wireTime(token.createdAt),
  last_used_at: wireTime(token.lastUsedAt || token.createdAt),
  user: { id: owner.id, login: owner.name },
})

const scopesOf = ({ scopes }: TokenView['token']): string[] => (scopes === '' ? ['all'] : scopes.split(','))

function presentRepo({ id, fullName }: TokenRepo) {
  const [owner = '', name = ''] = fullName.split('/')
  return { id, name, owner, full_name: fullName }
}
