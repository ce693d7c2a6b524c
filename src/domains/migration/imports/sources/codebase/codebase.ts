import type { Clock } from '../../../../../core/platform/clock.ts'
import { members, type Members } from '../../../../../core/platform/json-members.ts'
import { createForgeApi, type ForgeApi } from '../../forge-api.ts'
import { ForgeError } from '../../forge-error.ts'
import type { SourceDeps, SourceLocation } from '../../source-location.ts'
import type { Pages, SourceUser } from '../../source.ts'
import { connectOnce } from '../connection.ts'
import { basicOf, splitPath } from '../location.ts'
import { oldestFirst } from '../oldest-first.ts'
import { GHOST, issueNumberOf, isTrue, lineOf, userOf, countOf } from '../read.ts'

/** A repository of a project of Codebase. */
export interface Codebase {
  readonly api: ForgeApi
  /** Path of the project in the API. */
  readonly project: string
  /** Path of the repository in the API. */
  readonly repo: string
  /** Merge requests, which are counted apart, are numbered after the tickets. */
  readonly offset: number
  /** Names of the properties that tickets refer to by ids; empty if the project has none. */
  readonly properties: Readonly<Record<Property, ReadonlyMap<number, Named>>>
  readonly users: ReadonlyMap<number, SourceUser>
  readonly location: SourceLocation
  readonly clock: Clock
}

export interface Named {
  readonly name: string
  readonly color: string
  readonly isClosed: boolean
}

const PROPERTIES = ['categories', 'priorities', 'statuses'] as const
type Property = (typeof PROPERTIES)[number]

const API = 'https://api3.codebasehq.com'
/** An answer is parsed at once. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024
/** A page after the last one. */
export const END = [404]
const MAX_NAMED = 20_000

/** Reads the properties that tickets refer to by ids once. */
export const createConnection = (deps: SourceDeps, location: SourceLocation) =>
  connectOnce((signal) => connect(deps, location, signal))

/** The API is at one address for all accounts: credentials of another server are not sent to it. */
function openApi({ client, timeout, patience, apis }: SourceDeps, location: SourceLocation): ForgeApi {
  const { hostname } = new URL(location.url)
  const base = apis?.codebase ?? (/(?:^|\.)codebasehq\.com$/.test(hostname) ? API : undefined)
  if (base === undefined) throw new ForgeError('failed', `${hostname} is no host of Codebase (*.codebasehq.com)`)
  return createForgeApi({
    client,
    timeout,
    patience,
    base,
    webUrl: base,
    credentials: basicOf({ credentials: credentialsOf(location, hostname) }),
    headers: { accept: 'application/xml', 'content-type': 'application/xml' },
    parse: async (text) => (await import('./read-xml.ts')).readXml(text),
    maxPageBytes: MAX_PAGE_BYTES,
    perPage: ['per_page', 100],
  })
}

/** The user name is `account/user`; the password is the key of the API, which may be given as a token. */
function credentialsOf({ credentials, token }: SourceLocation, hostname: string): SourceLocation['credentials'] {
  if (credentials === undefined) return undefined
  const { username, password } = credentials
  const [account] = hostname.split('.')
  return {
    username: username.includes('/') || hostname.split('.').length !== 3 ? username : `${account}/${username}`,
    password: token || password,
  }
}

async function connect(deps: SourceDeps, location: SourceLocation, signal: AbortSignal): Promise<Codebase> {
  const api = openApi(deps, location)
  const { path } = splitPath(location)
  const project = `/${path.split('/')[0]}`
  const found = { api, project, repo: `/${path}`, location, clock: deps.patience.clock }
  // Throws for wrong credentials, unlike lists, which a project may lack.
  await api.get(found.repo, signal)
  const [categories, priorities, statuses] = [
    await readNamed(found, 'categories', signal),
    await readNamed(found, 'priorities', signal),
    await readNamed(found, 'statuses', signal),
  ]
  const offset = location.withIssues ? await highestTicket(found, signal) : 0
  return { ...found, offset, properties: { categories, priorities, statuses }, users: await readUsers(found, signal) }
}

type Found = Pick<Codebase, 'api' | 'project'>

async function readNamed({ api, project }: Found, list: Property, signal: AbortSignal): Promise<Map<number, Named>> {
  const named = new Map<number, Named>()
  for await (const page of api.pages(`${project}/tickets/${list}`, signal, END)) {
    for (const value of page.map(members))
      named.set(countOf(value['id']), {
        name: lineOf(value['name']),
        color: lineOf(value['colour']) || lineOf(value['background-colour']),
        isClosed: isTrue(value['treat-as-closed']) || value['treat-as-closed'] === '1',
      })
    if (named.size >= MAX_NAMED) break
  }
  return named
}

async function readUsers({ api, project }: Found, signal: AbortSignal): Promise<Map<number, SourceUser>> {
  const users = new Map<number, SourceUser>()
  for await (const page of api.pages(`${project}/assignments`, signal, [403, 404])) {
    for (const value of page.map(members)) {
      const user = userOf(value, 'username')
      if (user !== GHOST) users.set(user.id, { ...user, email: lineOf(value['email-address']) })
    }
    if (users.size >= MAX_NAMED) break
  }
  return users
}

export async function* listTickets({ api, project }: Found, after: number, signal: AbortSignal): Pages<Members> {
  const list = { path: `${project}/tickets`, key: 'ticket-id', after, absent: END } as const
  for await (const page of oldestFirst(api, list, signal))
    yield page.map(members).filter((ticket) => issueNumberOf(ticket['ticket-id']) > 0)
}

async function highestTicket(found: Found, signal: AbortSignal): Promise<number> {
  let highest = 0
  for await (const page of listTickets(found, 0, signal))
    for (const ticket of page) highest = Math.max(highest, issueNumberOf(ticket['ticket-id']))
  return highest
}

/** A user by id; of one who has left the project only the name, if the API returns it. */
export function userBy({ users }: Codebase, id: unknown, name?: unknown): SourceUser {
  const login = lineOf(name)
  return users.get(countOf(id)) ?? (login === '' ? GHOST : { id: countOf(id), login, email: '' })
}
