import { members, type Members } from '../../../../../core/platform/json-members.ts'
import type { Clock } from '../../../../../core/platform/clock.ts'
import { createForgeApi, type ForgeApi } from '../../forge-api.ts'
import { ForgeError } from '../../forge-error.ts'
import type { SourceDeps, SourceLocation } from '../../source-location.ts'
import { connectOnce } from '../connection.ts'
import { decoded } from '../location.ts'
import { issueNumberOf, lineOf, countOf } from '../read.ts'

/** A project of GitLab. */
export interface Gitlab {
  readonly api: ForgeApi
  /** Path of the project in the API. */
  readonly project: string
  readonly id: number
  readonly facts: Members
  readonly webUrl: string
  /** `group/subgroup/name`. */
  readonly path: string
  /** Merge requests, which are counted apart, are numbered after the issues. */
  readonly offset: number
  /** Condition of lists of issues: later ones would move the numbers of the merge requests. */
  readonly issues: string
  readonly clock: Clock
}

/** Lists of disabled features, and of editions that lack them. */
export const LACKING = [403, 404]
const MAX_PREFIX = 4

/**
 * Finds the project once. A server may be below a path: of the segments of the address the first ones are tried as its
 * path if the project does not exist at the root.
 */
export const createConnection = (deps: SourceDeps, location: SourceLocation) =>
  connectOnce((signal) => connect(deps, location, signal))

async function connect(deps: SourceDeps, location: SourceLocation, signal: AbortSignal): Promise<Gitlab> {
  const { origin, pathname } = new URL(location.url)
  const segments = pathname
    .replace(/(?<!\/)\/+$/, '')
    .replace(/\.git$/, '')
    .split('/')
    .filter(Boolean)
  let first: ForgeError | undefined
  for (let length = 0; length <= Math.min(MAX_PREFIX, segments.length - 2); length++) {
    const webUrl = [origin, ...segments.slice(0, length)].join('/')
    const path = segments.slice(length).map(decoded).join('/')
    const api = createForgeApi({
      client: deps.client,
      timeout: deps.timeout,
      patience: deps.patience,
      base: `${webUrl}/api/v4`,
      webUrl,
      credentials: credentialsOf(location),
      perPage: ['per_page', 100],
    })
    try {
      return await openProject(deps, location, { api, webUrl, path, signal })
    } catch (error) {
      if (!(error instanceof ForgeError) || (error.status !== 404 && error.status !== 0)) throw error
      first ??= error
    }
  }
  throw first ?? new ForgeError('failed', 'the address names no project')
}

interface Candidate {
  readonly api: ForgeApi
  readonly webUrl: string
  readonly path: string
  readonly signal: AbortSignal
}

async function openProject(
  { patience }: SourceDeps,
  { withIssues, startedAt }: SourceLocation,
  { api, webUrl, path, signal }: Candidate,
): Promise<Gitlab> {
  const named = `/projects/${encodeURIComponent(path)}`
  const facts = members(await api.get(named, signal))
  const id = countOf(facts['id'])
  const project = id === 0 ? named : `/projects/${id}`
  const before = encodeURIComponent(new Date(startedAt).toISOString())
  const issues = `scope=all&state=all&order_by=created_at&sort=asc&created_before=${before}`
  const offset = withIssues ? await highestIssue(api, `${project}/issues?${issues}`, signal) : 0
  return {
    api,
    project,
    id,
    facts,
    webUrl,
    path: lineOf(facts['path_with_namespace']) || path,
    offset,
    issues,
    clock: patience.clock,
  }
}

/** The list is in the order of creation, in which the numbers of issues from other services are not. */
async function highestIssue(api: ForgeApi, path: string, signal: AbortSignal): Promise<number> {
  let highest = 0
  for await (const page of api.pages(path, signal, LACKING))
    for (const issue of page) highest = Math.max(highest, issueNumberOf(members(issue)['iid']))
  return highest
}

/** GitLab accepts a password only if it is a token. */
function credentialsOf({ token, credentials }: SourceLocation): Record<string, string>[] {
  const secret = token || credentials?.password
  return secret ? [{ 'private-token': secret }] : []
}
