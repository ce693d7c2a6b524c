import { badRequest, oversize } from '../../../../core/platform/errors.ts'
import type { LeakedPasswords } from './leaked-passwords.service.ts'
import { MAX_PASSWORD_LENGTH, passwordProblem, type PasswordRules } from '../users.policy.ts'

export interface PasswordDeps {
  readonly passwordRules: PasswordRules
  /** Undefined: new passwords are not checked for leaks. */
  readonly leakedPasswords?: LeakedPasswords | undefined
}

/** Messages for clients, which differ by operation (behaviour/auth-and-access#names-and-passwords). */
export interface PasswordTexts {
  readonly short: string
  readonly simple: string
  readonly leaked: string
}

/** Throws BadRequest, and Invalid for a password that is too long. */
export async function requireGoodPassword(
  { passwordRules, leakedPasswords }: PasswordDeps,
  password: string,
  texts: PasswordTexts,
): Promise<void> {
  const problem = passwordProblem(password, passwordRules)
  if (problem === 'long') throw oversize('Password', MAX_PASSWORD_LENGTH, 'characters')
  if (problem !== undefined) throw badRequest(texts[problem])
  if ((await leakedPasswords?.has(password)) === true) throw badRequest(texts.leaked)
}
