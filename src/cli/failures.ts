import { ConfigError } from '../core/config/index.ts'
import { DomainError } from '../core/platform/errors.ts'

/** Options of the command line, by the field's name in the contract. */
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

/** Messages of the contract that are not sentences (behaviour/users-and-admin#administration-of-users). */
const MESSAGES: Readonly<Record<string, string>> = {
  PasswordIsRequired: '--password is missing or shorter than security.min_password_length',
  PasswordComplexity: '--password does not follow the rules of security.password_complexity',
  PasswordPwned: '--password is in a list of stolen passwords',
}

/** Rewords the message of a refused request for a command line, which has options instead of fields. */
export function plainWords(message: string): string {
  const [, field, rule] = /^\[(\w+)\]: (.+)$/s.exec(message) ?? []
  if (field === undefined || rule === undefined)
    return MESSAGES[message] ?? message.replace(/ \[\w+: ([^[\]]*)\]$/, ': $1')
  const option = OPTIONS[field] ?? field
  const size = /^MaxSize \((.+)\)$/.exec(rule)?.[1]
  if (size !== undefined) return `${option} is too long: ${size}`
  return RULES[rule] === undefined ? `${option}: ${rule}` : `${option} ${RULES[rule]}`
}

interface SystemError extends Error {
  readonly code?: string
  readonly path?: string
  readonly syscall?: string
  readonly address?: string
  readonly port?: number
}

const DAMAGED =
  'the database file is damaged. Stop every server that uses it, keep a copy of the file, and restore a backup ' +
  '(Backup in README.md).'
const FULL = 'the disk is full. No acknowledged write is lost; free some space and start again.'

const NO_POSTGRES =
  'the server of database.url closes the connection. Is it PostgreSQL, and does it accept connections?'
/** Messages of the PostgreSQL driver without an error code. */
const LOST_CONNECTION = /^(?:Connection terminated|timeout exceeded when trying to connect)/

/** Explanations of system errors for operators, by error code. */
const SENTENCES: Readonly<Record<string, (error: SystemError) => string>> = {
  EADDRINUSE: ({ address, port }) =>
    `port ${port} of ${address} is in use by another program. Choose another with --port or server.port.`,
  EADDRNOTAVAIL: ({ address }) =>
    `this machine has no address ${address}. Set --host or server.host to one of its addresses.`,
  EACCES: notAllowed,
  EPERM: notAllowed,
  EROFS: ({ path }) =>
    `${path ?? 'the data directory'} is on a read-only file system. Set data_dir to a writable directory.`,
  ENOTDIR: noDirectory,
  EEXIST: noDirectory,
  ENOENT: noDirectory,
  ENOSPC: () => FULL,
  EDQUOT: () => FULL,
  SQLITE_FULL: () => FULL,
  SQLITE_CORRUPT: () => DAMAGED,
  SQLITE_NOTADB: () => DAMAGED,
  SQLITE_CANTOPEN: () => 'the database file cannot be opened. Does data_dir exist, and is it writable for this user?',
  SQLITE_READONLY: () => 'the database file cannot be written. Is data_dir writable for this user?',
  SQLITE_READONLY_DIRECTORY: () => 'the database file cannot be written. Is data_dir writable for this user?',
  SQLITE_BUSY: () => 'the database is locked by another program.',
  ECONNREFUSED: ({ address, port }) =>
    `connection refused by ${address ?? 'the database host'}:${port ?? ''}. Is PostgreSQL running there? See database.url.`,
  ECONNRESET: () => NO_POSTGRES,
  ETIMEDOUT: ({ address, port }) =>
    `${address ?? 'the database host'}:${port ?? ''} does not answer in time. See database.url.`,
  EHOSTUNREACH: ({ address }) => `${address ?? 'the database host'} is unreachable. See database.url.`,
  EAI_AGAIN: ({ message }) => `a host name cannot be resolved: ${message}. See database.url.`,
  ENOTFOUND: ({ message }) => `a host name cannot be resolved: ${message}. See database.url.`,
  '28P01': () => 'PostgreSQL rejects the user or password of database.url.',
  '3D000': () => 'the database does not exist in PostgreSQL; create it, or correct database.url.',
}

/** Returns the message for the operator and the exit code; unknown failures include their stack. */
export function explainFailure(error: unknown): { message: string; code: 1 | 2 } {
  if (error instanceof ConfigError) return { message: error.message, code: 2 }
  if (error instanceof DomainError)
    return {
      message: explainBucket(error) ?? explainSystemError(error.cause) ?? plainWords(error.message),
      code: 1,
    }
  const explained = explainSystemError(error)
  if (explained !== undefined) return { message: explained, code: 1 }
  if (error instanceof Error && error.name === 'GitError') return { message: error.message, code: 1 }
  return { message: error instanceof Error ? (error.stack ?? error.message) : String(error), code: 1 }
}

/** Errors of the S3 client library have metadata, also if the server does not respond. */
function explainBucket({ kind, message, cause }: DomainError): string | undefined {
  if (kind !== 'unavailable' || !(cause instanceof Error) || !('$metadata' in cause)) return undefined
  return `${message}: ${[cause.name, cause.message].filter(Boolean).join(' ')}. See [storage] of the configuration.`
}

function explainSystemError(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as SystemError
    const explain =
      code === undefined ? undefined : (SENTENCES[code] ?? SENTENCES[code.replace(/^(SQLITE_[A-Z]+)_.*/, '$1')])
    if (explain) return explain(cause as SystemError)
    if (LOST_CONNECTION.test(cause.message)) return NO_POSTGRES
  }
  return undefined
}

function noDirectory({ path }: SystemError): string {
  return `${path ?? 'the data directory'} cannot be used: a part of the path is missing or not a directory.`
}

function notAllowed({ path, syscall, port }: SystemError): string {
  if (syscall === 'listen')
    return `this user may not listen on port ${port ?? ''}. Choose a port above 1023, or allow it (docs/operate/https.md#port-443-without-root).`
  return `this user may not write ${path ?? 'in the data directory'}. Correct its owner or set data_dir.`
}
