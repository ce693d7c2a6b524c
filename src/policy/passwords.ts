export interface PasswordRules {
  readonly minLength: number
  /** `off`, or a comma list of `lower`, `upper`, `digit`, `spec`. */
  readonly complexity: string
}

const KINDS: Readonly<Record<string, RegExp>> = { lower: /[a-z]/, upper: /[A-Z]/, digit: /\d/, spec: /[^A-Za-z0-9]/ }

/** The word clients get for a password that is refused when an account is made (reference auth-and-access §19). */
export function passwordProblem(password: string, rules: PasswordRules): string | undefined {
  if ([...password].length < rules.minLength || password.length > 255) return 'PasswordIsRequired'
  if (rules.complexity === 'off') return undefined
  const missing = rules.complexity.split(',').some((kind) => !(KINDS[kind.trim()]?.test(password) ?? true))
  return missing ? 'PasswordComplexity' : undefined
}
