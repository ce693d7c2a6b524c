import { members, type Members } from '../../../../../core/platform/json-members.ts'
import type { Clock } from '../../../../../core/platform/clock.ts'
import { createForgeApi, type ForgeApi } from '../../forge-api.ts'
import type { SourceDeps, SourceLocation } from '../../source-location.ts'
import type { Pages, SourceItem, SourceUser } from '../../source.ts'
import { connectOnce } from '../connection.ts'
import { basicOf, decoded } from '../location.ts'
import { oldestFirst } from '../oldest-first.ts'
import { GHOST, isTrue, issueNumberOf, lineOf, membersOf, parseTime, userOf, countOf } from '../read.ts'

/** A project of OneDev. */
export interface Onedev {
  readonly api: ForgeApi
  readonly project: number
  /** `parent/name`. */
  readonly path: string
  readonly webUrl: string
  /** Pull requests, which are counted apart, are numbered after the issues. */
  readonly offset: number
  /** Positions of pinned issues by their numbers. */
  readonly pins: ReadonlyMap<number, number>
  /** Ids by the numbers here, as far as lists were read. */
  readonly ids: Map<number, number>
  readonly location: SourceLocation
  readonly clock: Clock
  user(id: unknown, signal: AbortSignal): Promise<SourceUser>
}

export const AT_ONCE = 4
const MAX_USERS = 20_000
const MAX_IDS = 200_000
/** Only administrators may read the e-mail addresses of others. */
const HIDDEN = [401, 403, 404]

/** Finds the project once. */
export const createConnection = (deps: SourceDeps, location: SourceLocation) =>
  connectOnce((signal) => connect(deps, location, signal))

async function connect(
  { client, timeout, patience }: SourceDeps,
  location: SourceLocation,
  signal: AbortSignal,
): Promise<Onedev> {
  const { origin: webUrl, pathname } = new URL(location.url)
  const parts = pathname
    .replace(/(?<!\/)\/+$/, '')
    .replace(/\.git$/, '')
    .split('/')
    .filter(Boolean)
    .map(decoded)
  const api = createForgeApi({
    client,
    timeout,
    patience,
    base: `${webUrl}/~api`,
    webUrl,
    credentials: location.token === '' ? basicOf(location) : [{ authorization: `Bearer ${location.token}` }],
    perPage: ['count', 100],
    byOffset: true,
  })
  const project = countOf(await api.get(`/projects/ids/${parts.map(encodeURIComponent).join('/')}`, signal))
  const found = {
    api,
    project,
    path: parts.join('/'),
    webUrl,
    ids: new Map<number, number>(),
    location,
    clock: patience.clock,
    user: readUsers(api),
  }
  return { ...found, ...(location.withIssues ? await surveyIssues(found, signal) : { offset: 0, pins: new Map() }) }
}

function readUsers(api: ForgeApi): Onedev['user'] {
  const users = new Map<number, SourceUser>()
  return async (value, signal) => {
    const id = countOf(value)
    const known = users.get(id)
    if (id === 0 || known !== undefined) return known ?? GHOST
    const user = userOf(await api.find(`/users/${id}`, signal, HIDDEN), 'name')
    const emails = user === GHOST ? [] : membersOf(await api.find(`/users/${id}/email-addresses`, signal, HIDDEN))
    const email = lineOf(emails.find(({ primary }) => isTrue(primary))?.['value'])
    if (users.size >= MAX_USERS) users.clear()
    users.set(id, { ...user, email })
    return { ...user, email }
  }
}

type Found = Pick<Onedev, 'api' | 'ids' | 'location' | 'path' | 'project'>

/** Issues that were created after the import began are omitted: they would have numbers of pull requests. */
export async function* listIssues(onedev: Found, after: number, signal: AbortSignal): Pages<Members> {
  const { location, project } = onedev
  const path = `/issues?query=${queryFor('Project', onedev)}&withFields=true`
  for await (const page of oldestFirst(onedev.api, { path, key: 'number', after }, signal)) {
    const issues = page
      .map(members)
      .filter(
        (issue) =>
          issueNumberOf(issue['number']) > 0 &&
          countOf(issue['projectId']) === project &&
          (parseTime(issue['submitDate']) ?? 0) <= location.startedAt,
      )
    remember(onedev.ids, issues, 0)
    yield issues
  }
}

function remember(ids: Map<number, number>, items: readonly Members[], offset: number): void {
  if (ids.size > MAX_IDS) ids.clear()
  for (const { number, id } of items) ids.set(issueNumberOf(number) + offset, countOf(id))
}

export async function* listPulls(onedev: Onedev, after: number, signal: AbortSignal): Pages<Members> {
  const list = {
    path: `/pulls?query=${queryFor('Target Project', onedev)}`,
    key: 'number',
    after: Math.max(0, after - onedev.offset),
  } as const
  for await (const page of oldestFirst(onedev.api, list, signal)) {
    const pulls = page
      .map(members)
      .filter((pull) => issueNumberOf(pull['number']) > 0 && countOf(pull['targetProjectId']) === onedev.project)
    remember(onedev.ids, pulls, onedev.offset)
    yield pulls
  }
}

const queryFor = (field: string, { path }: Pick<Onedev, 'path'>): string =>
  encodeURIComponent(`"${field}" is ${quoted(path)} order by "Submit Date" asc`)

const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`

async function surveyIssues(found: Found, signal: AbortSignal): Promise<Pick<Onedev, 'offset' | 'pins'>> {
  let offset = 0
  const pinned: { readonly number: number; readonly at: number }[] = []
  for await (const page of listIssues(found, 0, signal))
    for (const issue of page) {
      const number = issueNumberOf(issue['number'])
      const at = parseTime(issue['pinDate'])
      offset = Math.max(offset, number)
      if (at !== undefined) pinned.push({ number, at })
    }
  const inOrder = pinned.toSorted((one, other) => one.at - other.at)
  return { offset, pins: new Map(inOrder.map(({ number }, index) => [number, index + 1])) }
}

/** The id of an issue or pull request, by which the API names it. */
export async function idOf(
  { api, path, offset, ids }: Onedev,
  { number, isPull }: SourceItem,
  signal: AbortSignal,
): Promise<number> {
  const known = ids.get(number)
  if (known !== undefined) return known
  const query = encodeURIComponent(`"Number" is ${quoted(`${path}#${isPull ? number - offset : number}`)}`)
  const [found] = membersOf(await api.get(`/${isPull ? 'pulls' : 'issues'}?query=${query}&offset=0&count=1`, signal))
  return countOf(found?.['id'])
}
