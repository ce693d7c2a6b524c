export interface PasswordRules {
  readonly minLength: number
  /** `off`, or a comma list of `lower`, `upper`, `digit`, `spec`. */
  readonly complexity: string
}

/** Too few characters, too many, or a required kind of character is missing. */
type PasswordProblem = 'short' | 'long' | 'simple'

export const MAX_PASSWORD_LENGTH = 255

const KINDS: Readonly<Record<string, RegExp>> = {
  lower: /\p{Ll}/u,
  upper: /\p{Lu}/u,
  digit: /\p{Nd}/u,
  spec: /[^\p{L}\p{N}]/u,
}

/**
 * Why a new password is refused, without a look-up of leaked passwords (behaviour/auth-and-access#names-and-passwords).
 * Characters are code points.
 */
export function passwordProblem(password: string, rules: PasswordRules): PasswordProblem | undefined {
  const length = [...password].length
  if (length < rules.minLength) return 'short'
  if (length > MAX_PASSWORD_LENGTH) return 'long'
  const kinds = rules.complexity === 'off' ? [] : rules.complexity.split(',').map((kind) => kind.trim())
  return kinds.some((kind) => KINDS[kind]?.test(password) === false) ? 'simple' : undefined
}
