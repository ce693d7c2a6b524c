import { openCredentials, sealCredentials } from '../../../core/git/index.ts'
import type { SecretBox } from '../../../core/platform/crypto/secret-box.ts'
import type { EditRepoOption } from './repos.model.ts'

/** The user name that git hosts accept with a token in place of a password. */
const TOKEN_USER = 'oauth2'

type CredentialsEdit = Pick<EditRepoOption, 'mirror_username' | 'mirror_password' | 'mirror_token'>

/**
 * Merges the members of an edit into sealed credentials: absent members do not change, a token without a user name is
 * sent as the password of `oauth2`. Undefined if the edit has none of the members (behaviour/repositories#editing).
 */
export function editCredentials(
  secrets: SecretBox,
  sealed: string,
  { mirror_username: username, mirror_password: password, mirror_token: token }: CredentialsEdit,
): string | undefined {
  if (username === undefined && password === undefined && token === undefined) return undefined
  const before = openCredentials(secrets, sealed)
  const credentials = {
    username: username ?? (token === undefined ? (before?.username ?? '') : TOKEN_USER),
    password: token ?? password ?? before?.password ?? '',
  }
  const isEmpty = credentials.username === '' && credentials.password === ''
  return sealCredentials(secrets, isEmpty ? undefined : credentials)
}
