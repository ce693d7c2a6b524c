/**
 * Why another server's repository could not be read or written. `auth`: credentials are missing, wrong or not enough,
 * or a server hides that it has no such repository; `redirect`: it has moved; `busy`: it wants fewer requests;
 * `rejected`: it took not all refs; `failed`: anything else. Messages name nothing of this machine and no credentials.
 */
export type RemoteErrorKind = 'auth' | 'missing' | 'redirect' | 'busy' | 'rejected' | 'timeout' | 'failed'

export class RemoteError extends Error {
  readonly kind: RemoteErrorKind

  constructor(kind: RemoteErrorKind, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'RemoteError'
    this.kind = kind
  }
}

const CAUSES: readonly (readonly [pattern: RegExp, kind: RemoteErrorKind])[] = [
  [
    /could not read (?:Username|Password)|Authentication failed|returned error: 40[13]\b|Permission denied|access denied/i,
    'auth',
  ],
  [
    /returned error: (?:404|410)\b|repository '[^']*' not found|does not appear to be a git repository|Repository not found/i,
    'missing',
  ],
  [/returned error: 30[12378]\b/, 'redirect'],
  [/returned error: 429\b/, 'busy'],
]

/** Lines of git, of the other server and of ssh; the rest is progress. */
const SAYS_WHY = /^(?:error|fatal|ssh|remote): *\S|: Permission denied|^Host key verification failed/
const MAX_MESSAGE = 500

/** What git prints without a terminal when the server wants other credentials or none exist, or answers 404. */
const NOT_FOUND =
  /^(?:error|fatal): (?:could not read (?:Username|Password)|Authentication failed|repository '.*' not found)/

/** The error for the user from what git printed. `hasCredentials` says whether git sent any. */
export function remoteError(stderr: string, hasCredentials = false): RemoteError {
  const lines = stderr.split(/[\r\n]+/).map((line) => line.trim())
  const reasons = lines.filter((line) => SAYS_WHY.test(line))
  const kind = CAUSES.find(([pattern]) => reasons.some((line) => pattern.test(line)))?.[1] ?? 'failed'
  const notFound = `the repository does not exist or needs ${hasCredentials ? 'other ' : ''}credentials`
  const texts = reasons.map((line) => (NOT_FOUND.test(line) ? notFound : line.replace(/^(?:error|fatal): /, '')))
  return new RemoteError(kind, clean(texts.length > 0 ? texts.join('; ') : 'git ended without saying why'))
}

/** Without paths of this machine and without credentials in addresses. */
export const clean = (text: string): string =>
  text
    .replaceAll(/([a-z][a-z0-9+.-]*:\/\/)[^\s/@']*@/gi, '$1')
    .replaceAll(/(?<=^|[\s'"(])(?:\/[^\s/'"]+){2,}/g, '…')
    .slice(0, MAX_MESSAGE)
