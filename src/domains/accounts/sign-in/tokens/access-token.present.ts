import { wireTime } from '../../../../core/platform/clock.ts'
import type { AccessToken } from '../sign-in.model.ts'
import type { TokenView } from './tokens.service.ts'

/** `value` only in the answer that creates the token. An unused token was last used when it was made. */
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
