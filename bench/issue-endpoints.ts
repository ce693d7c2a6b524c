import { tokenHeaders } from './api.ts'
import { issueLabel, issueMilestone, issueRepo, issueSize, issueWord } from './data/issue-size.ts'
import { listUser } from './data/list-size.ts'
import { getter, TRIPS, type Endpoint } from './endpoints.ts'
import type { Run } from './run.ts'

const REPO = `/repos/${listUser(0)}/${issueRepo(0)}`
const LAST_PAGE = 1000

/** On the rows of fill-issues; elsewhere there are none. */
export function listIssueEndpoints(run: Run): Endpoint[] {
  const { own, target, options } = run
  if (own === undefined) return []
  const get = getter(target)
  const size = issueSize(options.scale)
  // At a small scale there are fewer pages than 1,000.
  const behind = Math.max(1, Math.min(LAST_PAGE, Math.floor(size.ofFirst / 100)))
  const list = { needs: 'site', shareOfH: 0.02, roundTrips: TRIPS.list + 1, p99Times: 8 } as const
  const search = { needs: 'site', shareOfH: 0.015, roundTrips: TRIPS.list + 2, p99Times: 8 } as const
  const filters = [
    '',
    '&state=closed',
    '&state=all',
    `&labels=${issueLabel(0)}`,
    `&milestones=${issueMilestone(0)}`,
    `&created_by=${listUser(0)}`,
    `&assigned_by=${listUser(0)}`,
    `&mentioned_by=${listUser(1)}`,
    '&since=2021-01-02T00:00:00Z',
    '&sort=recentupdate',
    '&sort=mostcomment',
    '&sort=nearduedate',
  ]
  const words = [40, 300, 2000].map(issueWord).join('%20')
  return [
    ...filters.flatMap((filter) =>
      [1, behind].map((page) => ({
        ...list,
        name: `issues?limit=50${filter}&page=${page}`,
        next: get(`${REPO}/issues?limit=50${filter}&page=${page}`),
      })),
    ),
    {
      ...list,
      name: 'issues?limit=50, of a small repository',
      next: get(`/repos/${listUser(0)}/${issueRepo(2)}/issues?limit=50`),
    },
    { ...search, name: 'issues/search?limit=50', next: get('/repos/issues/search?limit=50') },
    { ...search, name: 'issues/search?limit=50&state=all', next: get('/repos/issues/search?limit=50&state=all') },
    {
      ...list,
      name: 'issues?q=, three words',
      next: get(`${REPO}/issues?limit=50&state=all&q=${words}`),
      p50Limit: 50,
    },
    {
      ...search,
      name: 'issues/search?q=, three words',
      next: get(`/repos/issues/search?state=all&q=${words}`),
      p50Limit: 50,
    },
    { needs: 'site', name: 'one issue', next: get(`${REPO}/issues/1`), shareOfH: 0.1, roundTrips: TRIPS.list },
    { needs: 'site', name: 'comments of an issue', next: get(`${REPO}/issues/1/comments`), shareOfH: 0.04 },
    {
      needs: 'site',
      name: 'timeline?limit=50 of an issue',
      next: get(`${REPO}/issues/1/timeline?limit=50`),
      shareOfH: 0.03,
    },
  ]
}

/** Requests that write; measured last. */
export function issueWriteEndpoints({ target, seed }: Run): Endpoint[] {
  const path = `${target.url}/api/v1/repos/${target.login}/${seed.small}/issues`
  const headers = { ...tokenHeaders(target), 'content-type': 'application/json' }
  const post = (url: string, body: object) => () => ({
    method: 'POST' as const,
    url,
    headers,
    body: JSON.stringify(body),
  })
  const text = Array.from({ length: 20 }, (_, i) => issueWord(i * 50)).join(' ')
  return [
    { name: 'create an issue', needs: 'site', next: post(path, { title: 'An issue', body: text }) },
    { name: 'create a comment', needs: 'site', next: post(`${path}/1/comments`, { body: text }) },
  ]
}
