import { type Html, safeHtml } from '../../../core/platform/html.ts'
import type { Core, Services } from '../../../core/module.ts'
import { escapePath } from '../../../core/access/repo-urls.ts'
import type { Unit } from '../../../core/access/repo-access.ts'
import type { RepoInView } from '../../repositories/index.ts'
import { type Content, list, authorizePage, type PageMaker, repoHeading, type PageContext } from './layout.ts'
import type { Sources } from './sources.service.ts'

interface ApiPageDeps extends Pick<Core, 'site'> {
  readonly repos: Pick<Services['repos'], 'authorize'>
  readonly sources: Pick<Sources, 'locate'>
}

/** The subject of a page, and the operations that serve it, in the form `GET /version`. */
interface Topic {
  readonly title: string
  readonly operations: readonly string[]
}

/** Finds the subject of the rest of an address in a repository. Throws NotFound, and Moved after a transfer. */
type Find = (deps: ApiPageDeps, target: RepoInView, context: PageContext) => Promise<Topic> | Topic

/** Pages that show the API operations, for addresses below a repository that have no other page. */
export const apiPages = (deps: ApiPageDeps): Record<string, PageMaker> =>
  Object.fromEntries(ADDRESSES.map(([path, unit, find]) => [path, repoApiPage(deps, unit, find)]))

function repoApiPage(deps: ApiPageDeps, unit: Unit | undefined, find: Find): PageMaker {
  return async (context) => {
    const target = await authorizePage(deps, context, unit && { unit })
    const { title, operations } = await find(deps, target, context)
    const below = operations.map((operation) => operation.replace(' ', ` /repos/${target.repo.fullName}`))
    const heading = repoHeading(context, target, safeHtml`${title}`)
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
function findComparison(_: ApiPageDeps, { repo }: RepoInView, { params: { rest } }: PageContext): Topic {
  const range = rest.includes('..') ? rest : `${repo.defaultBranch}...${rest}`
  return { title: `compare ${range}`, operations: [`GET /compare/${escapePath(range)}`, 'POST /pulls'] }
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
  ['/_new/*', 'repo.code', editor('POST')],
  ['/_edit/*', 'repo.code', editor('PUT')],
  ['/_delete/*', 'repo.code', editor('DELETE')],
]
