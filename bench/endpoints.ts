import { basicHeaders, tokenHeaders } from './api.ts'
import type { SeedData } from './data/fill.ts'
import { listIssueEndpoints } from './issue-endpoints.ts'
import { listLargeEndpoints } from './large-endpoints.ts'
import { listRepo, listUser } from './data/list-size.ts'
import type { Call } from './load/load.ts'
import type { Run } from './run.ts'
import type { Target } from './system/target.ts'

/** A row of the table of endpoints. */
export interface Endpoint {
  readonly name: string
  readonly needs: 'site' | 'large'
  /** Undefined where the run has not got what the request needs. */
  readonly next: (() => Call) | undefined
  /** Lower limit of the requests/s, as a share of H. */
  readonly shareOfH?: number
  /** Upper limit of the round trips to PostgreSQL for one request. */
  readonly roundTrips?: number
  /** Upper limit of the p50, ms. */
  readonly p50Limit?: number
  /** Upper limit of the p99, as a multiple of the p50. */
  readonly p99Times?: number
  /** Each request differs from the one before it, so only the Node client can send them. */
  readonly varies?: boolean
  /** The p50 is compared with this command: at most so many times its own time. */
  readonly against?: { readonly command: GitCommand; readonly max: number }
  /** One connection instead of those of the run: what is compared with a command that runs alone runs alone. */
  readonly alone?: boolean
}

/** Round trips of a request for one thing and of one for a list. */
export const TRIPS = { one: 2, list: 4 } as const

export type GitCommand = 'git log' | 'git log -- FILE' | 'git rev-list + diff'

/** In the order in which they are measured. */
export const listEndpoints = (run: Run): Endpoint[] => [
  ...siteEndpoints(run),
  ...listingEndpoints(run),
  ...listIssueEndpoints(run),
  ...listLargeEndpoints(run),
]

/** A request to the API by the account of the run; `path` begins after /api/v1. */
export const getter =
  (target: Target) =>
  (path: string, headers = tokenHeaders(target)) =>
  (): Call => ({ method: 'GET', url: `${target.url}/api/v1${path}`, headers })

function siteEndpoints({ target, seed }: Run): Endpoint[] {
  const get = getter(target)
  const { password } = target
  const site = { needs: 'site' } as const
  return [
    { ...site, name: '/version', next: get('/version', {}), shareOfH: 0.5 },
    { ...site, name: '/version, token', next: get('/version'), shareOfH: 0.35, roundTrips: TRIPS.one },
    { ...site, name: '/user, token', next: get('/user'), shareOfH: 0.25, roundTrips: TRIPS.one },
    {
      ...site,
      name: '/user, Basic password',
      next: password === undefined ? undefined : get('/user', basicHeaders(target.login, password)),
      shareOfH: 0.1,
    },
    {
      ...site,
      name: 'one repository',
      next: get(`/repos/${target.login}/${seed.small}`),
      shareOfH: 0.18,
      roundTrips: TRIPS.one,
    },
  ]
}

/** On the rows of fill-lists where the run wrote them; elsewhere lists are what the server has. */
function listingEndpoints({ target, own }: Run): Endpoint[] {
  const get = getter(target)
  const hub = own && listUser(0)
  const users = { needs: 'site', shareOfH: 0.025, roundTrips: TRIPS.list } as const
  const repos = { needs: 'site', shareOfH: 0.025, roundTrips: TRIPS.list } as const
  // At a small scale there are fewer pages than 200.
  const behind = Math.min(200, Math.floor((own?.lists.repos ?? 50) / 50))
  return [
    { ...users, name: '/users/search?limit=50&q=', next: get('/users/search?limit=50&q=') },
    {
      ...users,
      name: 'followers?limit=50',
      next: hub === undefined ? undefined : get(`/users/${hub}/followers?limit=50`),
    },
    {
      ...users,
      name: 'following?limit=50',
      next: hub === undefined ? undefined : get(`/users/${hub}/following?limit=50`),
    },
    { ...users, name: 'starred?limit=50', next: hub === undefined ? undefined : get(`/users/${hub}/starred?limit=50`) },
    {
      ...users,
      name: 'stargazers?limit=50',
      next: hub === undefined ? undefined : get(`/repos/${hub}/${listRepo(0)}/stargazers?limit=50`),
    },
    { ...repos, name: '/repos/search?limit=50', next: get('/repos/search?limit=50') },
    { ...repos, name: `/repos/search?limit=50&page=${behind}`, next: get(`/repos/search?limit=50&page=${behind}`) },
    { ...repos, name: '/repos/search?limit=50&q=', next: get('/repos/search?limit=50&q=repo-1') },
    { ...repos, name: '/user/repos?limit=50', next: get('/user/repos?limit=50') },
  ]
}

/** Makes a repository at each request; measured last, since the server has work with them afterwards. */
export const creationEndpoint = ({ target, seed }: Run): Endpoint => ({
  name: 'create with auto_init',
  needs: 'site',
  varies: true,
  next: repoCreation(target, seed),
})

/** Requests that make a repository each. */
export function repoCreation(target: Target, seed: SeedData): () => Call {
  const headers = { ...tokenHeaders(target), 'content-type': 'application/json' }
  return () => {
    const name = `${seed.prefix}-new-${seed.made.length}`
    seed.made.push(name)
    return {
      method: 'POST',
      url: `${target.url}/api/v1/user/repos`,
      headers,
      body: JSON.stringify({ name, auto_init: true }),
    }
  }
}
