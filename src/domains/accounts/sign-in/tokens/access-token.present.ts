import { wireTime } from '../../../../core/platform/clock.ts'
import type { AccessToken } from '../sign-in.model.ts'
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
    scopes: token.scopes === '' ? ['all'] : token.scopes.split(','),
    created_at: wireTime(token.createdAt),
    last_used_at: wireTime(token.lastUsedAt || token.createdAt),
    expires_at: token.expiresAt === 0 ? null : wireTime(token.expiresAt),
    repositories: repositories === undefined ? null : [...repositories],
  }
}
