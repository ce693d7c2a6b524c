import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pointerOf, randomFile } from '../code/lfs/large-file.ts'
import { answers } from './forge-world.ts'
import type { Upstream } from './upstream.ts'

/** Items of a page, whatever is requested. */
const PAGE = 5
const ISSUES = 12
const PULLS = 6
/** Comments of one issue, and of one review: more than a step writes. */
const MANY = 110
export const API = '/api/v1/repos/o/full'

/** A request in the middle of each phase of an import. */
export const REQUESTS = {
  wiki: 'GET /o/full.wiki.git/info/refs?service=git-upload-pack',
  labels: `GET ${API}/labels?page=2&limit=50`,
  releases: `GET ${API}/releases?page=2&limit=50`,
  releaseFiles: 'GET /a.txt',
  issues: `GET ${API}/issues?state=all&type=issues&sort=oldest&page=2&limit=50`,
  pulls: `GET ${API}/pulls?state=all&sort=oldest&page=2&limit=50`,
  comments: `GET ${API}/issues/comments?page=3&limit=50`,
  reviews: `GET ${API}/pulls/18/reviews?page=1&limit=50`,
  events: `GET ${API}/issues/12/timeline?page=1&limit=50`,
  trackedTimes: `GET ${API}/times?page=2&limit=50`,
  dependencies: `GET ${API}/issues/13/dependencies?page=1&limit=50`,
  protections: `GET ${API}/branch_protections`,
  largeFiles: 'POST /o/full.git/info/lfs/objects/batch',
} as const

/** Requests that stop an import, by the token that they carry. */
export interface Gate {
  /** Method and path with query. */
  at: string
  /** Tokens of requests that are not answered. */
  readonly held: Set<string>
  /** Called with the token of each request that is not answered. */
  onHeld(token: string): void
}

const numbers = (from: number, count: number): number[] => Array.from({ length: count }, (_, index) => from + index)
const user = (id: number) => ({ id, login: `user${id}` })
const time = (day: number): string => new Date(Date.UTC(2020, 0, day)).toISOString()

const issueOf = (number: number) => ({
  id: number,
  number,
  title: `Item ${number}`,
  body: `Text of ${number}`,
  state: number % 3 === 0 ? 'closed' : 'open',
  user: user(number % 7),
  labels: [{ name: `label${number % 8}` }],
  milestone: { id: (number % 3) + 1 },
  created_at: time(number),
  updated_at: time(number),
})

/**
 * Serves the repository `o/full` with something of every kind, and more than a page or a step of each kind that can be
 * interrupted in its middle.
 */
export async function serveEverything(upstream: Upstream): Promise<Gate> {
  await upstream.create('o/full')
  await upstream.create('o/full.wiki')
  const large = randomFile()
  writeFileSync(join(upstream.root, '..', 'work', 'o', 'full', 'large.bin'), pointerOf(large))
  await upstream.commit('o/full', 'second.txt')
  await upstream.run('o/full', 'tag', 'v1')
  await upstream.push('o/full')
  const base = await upstream.run('o/full', 'rev-parse', 'HEAD')
  await upstream.run('o/full', 'checkout', '-qb', 'side')
  const head = await upstream.commit('o/full', 'side.txt')
  const pulls = numbers(ISSUES + 1, PULLS)
  await upstream.run('o/full', 'push', '-q', 'origin', ...pulls.map((number) => `HEAD:refs/pull/${number}/head`))

  const { routes, url } = upstream
  const one = (path: string, value: unknown): unknown => routes.set(`GET ${API}${path}`, answers(value))
  const list = (path: string, items: readonly unknown[]): void => {
    for (let page = 1; page <= Math.max(1, Math.ceil(items.length / PAGE)); page++)
      routes.set(
        `GET ${API}${path}${path.includes('?') ? '&' : '?'}page=${page}&limit=50`,
        answers(items.slice((page - 1) * PAGE, page * PAGE), { 'x-total-count': String(items.length) }),
      )
  }
  const both = numbers(1, ISSUES + PULLS)
  const reaction = [{ user: user(1), content: 'heart', created_at: time(1) }]
  one('', { description: 'd', topics: ['t'] })
  list(
    '/labels',
    numbers(0, 8).map((each) => ({ name: `label${each}`, color: 'ff0000' })),
  )
  list(
    '/milestones?state=all',
    numbers(1, 3).map((id) => ({ id, title: `milestone ${id}`, state: 'open', created_at: time(id) })),
  )
  list(
    '/releases',
    numbers(1, 8).map((each) => ({
      tag_name: each === 1 ? 'v1' : `draft${each}`,
      draft: each > 1,
      name: `Release ${each}`,
      body: '',
      created_at: time(each),
      assets: each === 8 ? [{ name: 'a.txt', browser_download_url: `${url}/a.txt` }] : [],
    })),
  )
  routes.set('GET /a.txt', (_, response) => void response.end('of a release'))
  list('/issues?state=all&type=issues&sort=oldest', numbers(1, ISSUES).map(issueOf))
  for (const number of both.filter((each) => each % 5 === 0)) one(`/issues/${number}/reactions`, reaction)
  const pullOf = (number: number) => ({
    ...issueOf(number),
    base: { ref: 'main', sha: base },
    merge_base: base,
    head: { ref: 'side', sha: head },
  })
  list('/pulls?state=all&sort=oldest', pulls.map(pullOf))
  for (const number of pulls) {
    one(`/issues/${number}`, issueOf(number))
    list(`/pulls/${number}/reviews`, [
      {
        id: number,
        state: 'APPROVED',
        user: user(2),
        body: `Review ${number}`,
        comments_count: 1,
        submitted_at: time(1),
      },
    ])
    one(
      `/pulls/${number}/reviews/${number}/comments`,
      numbers(1, number === ISSUES + PULLS - 1 ? MANY : 1).map((each) => ({
        id: 1000 * number + each,
        path: 'side.txt',
        // Git reads the lines above a comment only if the service does not state them.
        diff_hunk: each > 1 ? '@@ -0,0 +1 @@\n+side' : '',
        commit_id: head,
        created_at: time(each),
        position: 1,
        body: `Line ${each}`,
        user: user(3),
      })),
    )
  }
  const commentIds = numbers(1, 2 * both.length)
  list(
    '/issues/comments',
    commentIds.map((id) => ({
      id,
      issue_url: `x/issues/${both[id % both.length]}`,
      body: `Comment ${id}`,
      user: user(id % 7),
      created_at: time(id),
    })),
  )
  for (const id of commentIds.filter((each) => each % 10 === 0)) one(`/issues/comments/${id}/reactions`, reaction)
  for (const number of both)
    list(
      `/issues/${number}/timeline`,
      numbers(1, number === ISSUES - 1 ? MANY : 2).map((each) => ({
        type: each % 2 === 1 ? 'close' : 'reopen',
        user: user(1),
        created_at: time(200 + each),
      })),
    )
  list(
    '/times',
    numbers(1, 8).map((id) => ({
      id,
      issue: { number: id },
      time: id,
      user_name: 'user1',
      user_id: 1,
      created: time(id),
    })),
  )
  list('/issues/1/dependencies', [{ number: 2, repository: { full_name: 'o/full' } }])
  one('/branch_protections', [{ rule_name: 'main', enable_push: false }])
  routes.set(
    'POST /o/full.git/info/lfs/objects/batch',
    answers({
      objects: [{ oid: large.oid, size: large.bytes.length, actions: { download: { href: `${url}/large` } } }],
    }),
  )
  routes.set('GET /large', (_, response) => void response.end(large.bytes))
  return holdAt(upstream)
}

/** NOTE: a request that is held ends with the process that sent it. */
function holdAt(upstream: Upstream): Gate {
  const gate: Gate = { at: '', held: new Set(), onHeld: () => {} }
  upstream.before = async (_, { method, url, headers }) => {
    const token = tokenOf(headers.authorization ?? '')
    if (`${method} ${url}` !== gate.at || !gate.held.has(token)) return
    gate.onHeld(token)
    await new Promise(() => {})
  }
  return gate
}

/** The token of the API, or the password of git. */
const tokenOf = (authorization: string): string =>
  authorization.startsWith('Basic ')
    ? Buffer.from(authorization.slice(6), 'base64').toString().split(':')[1]!
    : authorization.replace('token ', '')
