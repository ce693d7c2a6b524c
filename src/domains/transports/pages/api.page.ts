import { type Html, safeHtml } from '../../../core/platform/html.ts'
import type { Core, Services } from '../../../core/module.ts'
import { escapePath } from '../../../core/access/repo-urls.ts'
import type { Unit } from '../../../core/access/repo-access.ts'
import { errors } from '../../errors.ts'
import { runQueries } from '../../automation/index.ts'
import { getReadablePackageOwner } from '../../packages/index.ts'
import type { RepoInView } from '../../repositories/index.ts'
import { type Content, list, authorizePage, numberOf, type PageMaker, repoHeading, type Visit } from './layout.ts'
import type { Sources } from './sources.service.ts'

interface ApiPageDeps extends Pick<Core, 'database' | 'site'> {
  readonly milestones: Pick<Services['milestones'], 'get'>
  readonly packages: Pick<Services['packages'], 'get'>
  readonly repos: Pick<Services['repos'], 'authorize'>
  readonly sources: Pick<Sources, 'locate'>
  readonly users: Pick<Services['users'], 'getInView'>
}

/** The subject of a page, and the operations that serve it, in the form `GET /version`. */
interface Topic {
  readonly title: string
  readonly operations: readonly string[]
}

/** Finds the subject of the rest of an address in a repository. Throws NotFound, and Moved after a transfer. */
type Find = (deps: ApiPageDeps, target: RepoInView, visit: Visit) => Promise<Topic> | Topic

/** Pages that show the API operations, for addresses below a repository that have no other page. */
export const apiPages = (deps: ApiPageDeps): Record<string, PageMaker> =>
  Object.fromEntries(ADDRESSES.map(([path, unit, find]) => [path, repoApiPage(deps, unit, find)]))

/** `/{owner}/-/packages/{type}/{name}/{version}`. */
export const packagePage =
  (deps: ApiPageDeps): PageMaker =>
  async (visit) => {
    const { viewer, params } = visit
    const owner = await getReadablePackageOwner(deps, viewer, params.owner)
    const [type = '', ...parts] = params.rest.split('/')
    const [version = '', name] = [parts.pop(), parts.join('/')]
    await deps.packages.get(viewer, owner, { type, name, version })
    const path = [owner.name, type, name, version].map(encodeURIComponent).join('/')
    const operations = [`GET /packages/${path}`, `GET /packages/${path}/files`]
    const title = `${name} ${version}`
    return content(deps, { title: `${title} · ${owner.name}`, operations }, safeHtml`<h1>${title}</h1>`)
  }

function repoApiPage(deps: ApiPageDeps, unit: Unit | undefined, find: Find): PageMaker {
  return async (visit) => {
    const target = await authorizePage(deps, visit, unit && { unit })
    const { title, operations } = await find(deps, target, visit)
    const below = operations.map((operation) => operation.replace(' ', ` /repos/${target.repo.fullName}`))
    const heading = repoHeading(visit, target, safeHtml`${title}`)
    return content(deps, { title: `${title} · ${target.repo.fullName}`, operations: below }, heading)
  }
}

function content({ site }: ApiPageDeps, { title, operations }: Topic, heading: Html): Content {
  const line = (operation: string): Html => {
    const [method = '', path = ''] = operation.split(' ')
    const url = `${site.rootUrl()}/api/v1${path}`
    return safeHtml`<code>${method} ${method === 'GET' ? safeHtml`<a href="${url}">${url}</a>` : url}</code>`
  }
  return {
    title,
    body: safeHtml`${heading}
<p>This address has no page yet. The API serves it:</p>
${list(operations, line, 'No operations.')}`,
  }
}

/** `GET` lists the items of one kind, `POST` adds one. */
const collection =
  (title: string, path: string): Find =>
  () => ({ title, operations: [`GET ${path}`, `POST ${path}`] })

/** `{base}...{head}`, or only the head, which is compared with the default branch. */
function findComparison(_: ApiPageDeps, { repo }: RepoInView, { params: { rest } }: Visit): Topic {
  const range = rest.includes('..') ? rest : `${repo.defaultBranch}...${rest}`
  return { title: `compare ${range}`, operations: [`GET /compare/${escapePath(range)}`, 'POST /pulls'] }
}

async function findMilestone({ milestones }: ApiPageDeps, { repo }: RepoInView, visit: Visit): Promise<Topic> {
  const { id, title } = await milestones.get(repo.id, String(numberOf(visit).number))
  return { title: `milestone ${title}`, operations: [`GET /milestones/${id}`, `GET /issues?milestones=${id}`] }
}

/** `{run}`, and one of its jobs. */
async function findRunOfRepo({ database }: ApiPageDeps, { repo }: RepoInView, visit: Visit): Promise<Topic> {
  const { number: id } = numberOf(visit, /^(?:\/jobs\/\d+)?$/)
  if ((await runQueries.find(database.read, repo.id, id)) === undefined) throw errors.runNotFound()
  const path = `/actions/runs/${id}`
  return { title: `run ${id}`, operations: [`GET ${path}`, `GET ${path}/jobs`, `GET ${path}/artifacts`] }
}

/** `{branch}/{path}`: the operations that write the file. */
const editor =
  (method: 'POST' | 'PUT' | 'DELETE'): Find =>
  async ({ sources }, { repo }, { params: { rest } }) => {
    const { ref, path } = await sources.locate(repo, `branch/${rest}`)
    const file = `/contents/${escapePath(path)}`
    const read = method === 'POST' ? [] : [`GET ${file}?ref=${encodeURIComponent(ref)}`]
    return { title: `${path || 'new file'} on ${ref}`, operations: [...read, `${method} ${file}`] }
  }

const ADDRESSES: readonly (readonly [path: string, unit: Unit | undefined, find: Find])[] = [
  ['/issues/new', 'repo.issues', collection('new issue', '/issues')],
  ['/pulls/new/*', 'repo.pulls', collection('new pull request', '/pulls')],
  ['/compare/*', 'repo.code', findComparison],
  ['/labels', undefined, collection('labels', '/labels')],
  ['/milestones', undefined, collection('milestones', '/milestones')],
  ['/milestone/*', undefined, findMilestone],
  ['/actions', 'repo.actions', () => ({ title: 'runs', operations: ['GET /actions/runs'] })],
  ['/actions/runs/*', 'repo.actions', findRunOfRepo],
  ['/_new/*', 'repo.code', editor('POST')],
  ['/_edit/*', 'repo.code', editor('PUT')],
  ['/_delete/*', 'repo.code', editor('DELETE')],
]
