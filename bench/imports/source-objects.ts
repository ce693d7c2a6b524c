/** The objects of a made-up repository, computed from their numbers. */
export interface SourceSize {
  readonly issues: number
  readonly comments: number
}

export type Shape = 'gitea' | 'github'

const START = Date.UTC(2020, 0, 1)
const MINUTE_MS = 60_000
const PEOPLE = 500
const LABELS = 20
const TEXT = 'The reader of the list stops at the first page that is not full, and the rest is missing. '.repeat(4)

const timeOf = (minutes: number): string => new Date(START + minutes * MINUTE_MS).toISOString()

/** One in 20 issues and one in 50 comments has a reaction. */
export const hasReaction = (kind: 'comment' | 'issue', id: number): boolean => id % (kind === 'issue' ? 20 : 50) === 0

function person(index: number, url: string): object {
  const login = `person${index % PEOPLE}`
  const api = `${url}/api/v3/users/${login}`
  return {
    id: (index % PEOPLE) + 1,
    login,
    avatar_url: `${url}/avatars/${login}`,
    url: api,
    html_url: `${url}/${login}`,
    followers_url: `${api}/followers`,
    following_url: `${api}/following`,
    gists_url: `${api}/gists`,
    starred_url: `${api}/starred`,
    subscriptions_url: `${api}/subscriptions`,
    organizations_url: `${api}/orgs`,
    repos_url: `${api}/repos`,
    events_url: `${api}/events`,
    type: 'User',
    site_admin: false,
  }
}

export const labels = (): object[] =>
  Array.from({ length: LABELS }, (_, index) => ({ id: index + 1, name: `label ${index}`, color: '00aabb' }))

export const reactionsTo = (id: number, url: string): object[] => [
  { id, user: person(id + 1, url), content: '+1', created_at: timeOf(id) },
]

/** What the answer of GitHub shows of the reactions; Gitea shows nothing. */
const summary = (shape: Shape, kind: 'comment' | 'issue', id: number): object =>
  shape === 'github'
    ? { reactions: { total_count: Number(hasReaction(kind, id)), '+1': Number(hasReaction(kind, id)) } }
    : {}

export function issue(number: number, shape: Shape, url: string): object {
  const isClosed = number % 3 === 0
  return {
    id: number,
    number,
    url: `${url}/repos/big/repo/issues/${number}`,
    html_url: `${url}/big/repo/issues/${number}`,
    title: `Issue ${number}`,
    body: `${number}: ${TEXT}`,
    user: person(number, url),
    labels: [labels()[number % LABELS]],
    assignees: [],
    milestone: null,
    comments: 10,
    state: isClosed ? 'closed' : 'open',
    created_at: timeOf(number),
    updated_at: timeOf(number + 100),
    closed_at: isClosed ? timeOf(number + 100) : null,
    ...summary(shape, 'issue', number),
  }
}

export function comment(
  id: number,
  shape: Shape,
  { url, issues }: { readonly url: string; readonly issues: number },
): object {
  const number = issueOf(id, issues)
  return {
    id,
    html_url: `${url}/big/repo/issues/${number}#issuecomment-${id}`,
    issue_url: `${url}/repos/big/repo/issues/${number}`,
    user: person(id, url),
    body: `${id}: ${TEXT}`,
    created_at: timeOf(issues + id),
    updated_at: timeOf(issues + id),
    ...summary(shape, 'comment', id),
  }
}

const issueOf = (commentId: number, issues: number): number => ((commentId - 1) % issues) + 1

/** The timeline of an issue: at GitHub with the comments, at Gitea too, and the closing. */
export function timeline(
  number: number,
  shape: Shape,
  { url, size }: { readonly url: string; readonly size: SourceSize },
): object[] {
  const said: object[] = []
  for (let id = number; id <= size.comments; id += size.issues)
    said.push({ ...comment(id, shape, { url, issues: size.issues }), type: 'comment', event: 'commented' })
  const actor = person(number, url)
  const closing = { id: number, type: 'close', event: 'closed', user: actor, actor, created_at: timeOf(number + 100) }
  return number % 3 === 0 ? [...said, closing] : said
}
