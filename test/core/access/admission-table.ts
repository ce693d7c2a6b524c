export const PRINCIPALS = [
  'anonymous',
  'restricted user',
  'reader',
  'team writer',
  'owner',
  'site admin',
  'prohibited',
  'must change password',
  'read-only token',
  'public-only token',
  'token for another repository',
  'deploy key',
] as const
export type Principal = (typeof PRINCIPALS)[number]

export const REPOS = ['public', 'private', 'limited', 'archived', 'mirror', 'code-off', 'renamed', 'missing'] as const
export type RepoKind = (typeof REPOS)[number]

/** What a caller learns from an answer. */
export type Verdict = 'yes' | 'sign in' | 'forbidden' | 'read-only' | 'missing' | 'moved' | (string & {})

export const TRANSPORTS = ['git over HTTP', 'git over SSH', 'LFS', 'raw', 'archive'] as const
export type Transport = (typeof TRANSPORTS)[number]
export type Direction = 'read' | 'write'

/** Verdicts of the API: a line for each principal, a column for each of REPOS. `-`: forbidden, `ro`: read-only. */
const table = (lines: Partial<Record<Principal, string>>): Partial<Record<Principal, readonly Verdict[]>> =>
  Object.fromEntries(
    Object.entries(lines).map(([who, line]) => [who, line.split(' ').map((word) => WORDS[word] ?? word)]),
  )
const WORDS: Readonly<Record<string, Verdict>> = {
  '401': 'sign in',
  '-': 'forbidden',
  ro: 'read-only',
  '404': 'missing',
}

export const API: Readonly<Record<Direction, Partial<Record<Principal, readonly Verdict[]>>>> = {
  read: table({
    // public private limited archived mirror code-off renamed missing
    anonymous: 'yes 404 404 yes yes - 404 404',
    'restricted user': 'yes 404 404 yes yes - 404 404',
    reader: 'yes yes yes yes yes - moved 404',
    'team writer': 'yes yes yes yes yes - moved 404',
    owner: 'yes yes yes yes yes yes moved 404',
    'site admin': 'yes yes yes yes yes yes moved 404',
    prohibited: '- - - - - - - -',
    'must change password': '- - - - - - - -',
    'read-only token': 'yes yes yes yes yes yes moved 404',
    'public-only token': 'yes - - yes yes yes moved 404',
    'token for another repository': '404 404 404 404 404 404 404 404',
  }),
  write: table({
    anonymous: '401 404 404 ro ro 401 404 404',
    'restricted user': '- 404 404 ro ro - 404 404',
    reader: '- - - ro ro - moved 404',
    'team writer': 'yes yes yes ro ro - moved 404',
    owner: 'yes yes yes ro ro yes moved 404',
    'site admin': 'yes yes yes ro ro yes moved 404',
    prohibited: '- - - - - - - -',
    'must change password': '- - - - - - - -',
    'read-only token': '- - - - - - - -',
    'public-only token': 'yes - - ro ro yes moved 404',
    'token for another repository': '404 404 404 404 404 404 404 404',
  }),
}

export interface Difference {
  readonly on: readonly Transport[]
  readonly who?: readonly Principal[]
  readonly repo?: readonly RepoKind[]
  readonly direction?: Direction
  /** What the API says. */
  readonly instead: readonly Verdict[]
  readonly says: Verdict
  readonly because: string
}

const READERS: readonly Principal[] = ['restricted user', 'reader']
const ADMINS: readonly Principal[] = ['owner', 'site admin']
const REFUSED: readonly Principal[] = ['prohibited', 'must change password']
const ADMITTED = PRINCIPALS.filter((who) => !REFUSED.includes(who))
const WRITERS = ADMITTED.filter((who) => who !== 'read-only token')
export const GIT: readonly Transport[] = ['git over HTTP', 'git over SSH']
const WEB: readonly Transport[] = ['raw', 'archive']

/** Cases in which a transport differs from the API; the first that matches counts. */
export const DIFFERENCES: readonly Difference[] = [
  {
    on: ['git over HTTP', 'LFS'],
    who: ['anonymous'],
    instead: ['missing', 'forbidden', 'read-only'],
    says: 'sign in',
    because: 'clients ask for a password when they hear 401, and have none to send before',
  },
  {
    on: GIT,
    who: READERS,
    direction: 'write',
    repo: ['public', 'private', 'limited'],
    instead: ['forbidden'],
    says: 'yes',
    because: 'readers propose changes by a push: each ref is decided by itself',
  },
  {
    on: GIT,
    who: ADMINS,
    direction: 'write',
    repo: ['missing'],
    instead: ['missing'],
    says: 'forbidden',
    because: 'the push would create the repository, which is off by default',
  },
  {
    on: ['git over HTTP'],
    who: ADMINS,
    direction: 'write',
    repo: ['code-off'],
    instead: ['yes'],
    says: 'forbidden',
    because: 'as above: without the code unit it looks missing',
  },
  {
    on: ['git over HTTP'],
    who: ADMITTED,
    direction: 'read',
    repo: ['code-off'],
    instead: ['yes', 'forbidden'],
    says: 'missing',
    because: 'without the code unit it looks missing, to administrators too',
  },
  {
    on: ['git over HTTP'],
    who: WRITERS,
    direction: 'write',
    repo: ['code-off'],
    instead: ['yes', 'forbidden'],
    says: 'missing',
    because: 'without the code unit it looks missing, to administrators too',
  },
  {
    on: ['git over SSH'],
    repo: ['code-off'],
    instead: ['yes'],
    says: 'forbidden',
    because: 'without the code unit administrators are refused too',
  },
  {
    on: ['git over SSH'],
    who: ['deploy key'],
    direction: 'write',
    instead: ['sign in', 'read-only'],
    says: 'forbidden',
    because: 'a deploy key cannot sign in as another account; its level is decided before archived and mirror',
  },
  {
    on: ['git over SSH'],
    instead: ['moved'],
    says: 'yes',
    because: 'the protocol has no redirects: a former name stands for the repository',
  },
  {
    on: ['LFS'],
    who: ['public-only token'],
    instead: ['moved'],
    says: 'forbidden',
    because: 'clients repeat no POST after a redirect: a former name stands for the repository, here a private one',
  },
  {
    on: ['LFS'],
    who: READERS,
    direction: 'write',
    instead: ['moved', 'forbidden', 'read-only', 'missing'],
    says: 'sign in',
    because: 'without write access the client is asked for other credentials, before archived and mirror',
  },
  {
    on: ['LFS'],
    instead: ['moved'],
    says: 'yes',
    because: 'clients repeat no POST after a redirect: a former name stands for the repository',
  },
  {
    on: ['LFS'],
    direction: 'write',
    repo: ['mirror'],
    instead: ['read-only'],
    says: 'yes',
    because: 'only the refs of a mirror are read-only: its objects may be added',
  },
  {
    on: ['LFS'],
    who: ['read-only token'],
    direction: 'write',
    repo: ['code-off', 'missing'],
    instead: ['forbidden'],
    says: 'sign in',
    because: 'a batch is first admitted to read, so that its body may be read, which says upload',
  },
  {
    on: ['LFS'],
    who: WRITERS,
    direction: 'write',
    repo: ['code-off'],
    instead: ['yes', 'forbidden'],
    says: 'sign in',
    because: 'without the code unit it looks missing, to administrators too',
  },
  {
    on: ['LFS'],
    who: ADMITTED,
    direction: 'read',
    repo: ['code-off'],
    instead: ['yes', 'forbidden'],
    says: 'sign in',
    because: 'without the code unit it looks missing, to administrators too',
  },
  {
    on: ['LFS'],
    instead: ['missing'],
    says: 'sign in',
    because: 'what is missing and what is refused ask for credentials with the same words',
  },
  {
    on: WEB,
    who: REFUSED,
    repo: ['public', 'archived', 'mirror'],
    instead: ['forbidden'],
    says: 'yes',
    because: 'callers that the API refuses count as anonymous',
  },
  {
    on: WEB,
    repo: ['code-off'],
    instead: ['yes', 'forbidden'],
    says: 'missing',
    because: 'without the code unit it looks missing, to administrators too',
  },
  {
    on: WEB,
    instead: ['forbidden'],
    says: 'missing',
    because: 'what is missing and what is refused are the same 404',
  },
]

export interface Cell {
  readonly who: Principal
  readonly repo: RepoKind
  readonly direction: Direction
}
