/** Options of the command line, by the contract's name of the field. */
const OPTIONS: Readonly<Record<string, string>> = {
  Username: '--username',
  Email: '--email',
  Password: '--password',
  Name: '--name',
  Scopes: '--scopes',
  ExpiresAt: '--expires',
  Repositories: '--repositories',
}

const RULES: Readonly<Record<string, string>> = {
  Required: 'must not be empty',
  MinSize: 'must not be empty',
  Email: 'is not an e-mail address',
  Url: 'is not a web address',
  In: 'has a value that is not allowed',
  AlphaDashDot: 'may contain only letters, digits, "-", "_" and "."',
  NoControlCharacters: 'must not contain control characters',
}

/** Messages of the contract that are no sentences (behaviour/users-and-admin#administration-of-users). */
const MESSAGES: Readonly<Record<string, string>> = {
  PasswordIsRequired: '--password is missing or shorter than security.min_password_length',
  PasswordComplexity: '--password does not follow the rules of security.password_complexity',
  PasswordPwned: '--password is in a list of stolen passwords',
}

/** The message of a refused request in words for a command line, which has options in place of fields. */
export function plainWords(message: string): string {
  const [, field, rule] = /^\[(\w+)\]: (.+)$/s.exec(message) ?? []
  if (field === undefined || rule === undefined)
    return MESSAGES[message] ?? message.replace(/ \[\w+: ([^[\]]*)\]$/, ': $1')
  const option = OPTIONS[field] ?? field
  const size = /^MaxSize \((.+)\)$/.exec(rule)?.[1]
  if (size !== undefined) return `${option} is too long: ${size}`
  return RULES[rule] === undefined ? `${option}: ${rule}` : `${option} ${RULES[rule]}`
}
