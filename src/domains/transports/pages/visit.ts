import type { RepoNeed } from '../../../core/access/admit.ts'
import { escapePath } from '../../../core/access/repo-urls.ts'
import type { Paging } from '../../../core/platform/paging.ts'
import { MovedError } from '../../../core/platform/errors.ts'
import { type RepoInView, type Repos, requireVisible } from '../../repositories/index.ts'
import { type Html, safeHtml } from '../../accounts/index.ts'
import type { Content, PageRequest } from './layout.ts'
import type { Caller } from './texts.service.ts'

/** A request for a page. */
export interface Visit extends PageRequest {
  /** Of the path, unescaped: `owner`, `repo`, and `rest` for what follows the fixed part. */
  readonly params: { readonly owner: string; readonly repo: string; readonly rest: string }
  readonly caller: Caller
  /** The window of the query, of at most `limit` rows. */
  paging(limit: number): Paging
}

/** Makes a page. Throws NotFound for what is missing or hidden, Moved after a rename. */
export type PageMaker = (visit: Visit) => Promise<Content>

/** The repository of the path when the viewer may see it, or read the unit. Throws NotFound and Moved. */
export async function admitRepo(
  { repos }: { readonly repos: Pick<Repos, 'admit'> },
  { viewer, params: { owner, repo: name } }: Visit,
  need: Pick<RepoNeed, 'unit'> = {},
): Promise<RepoInView> {
  // A clone address in a browser.
  if (/\.git$/i.test(name)) throw new MovedError('repo', `${owner}/${name}`, `${owner}/${name.slice(0, -4)}`)
  const level = need.unit === undefined ? 'see' : 'read'
  return requireVisible(await repos.admit(viewer, { owner, name }, { ...need, level }))
}

/** The path of a page below a repository: `/base/owner/repo` and these parts, whose slashes are kept. */
export const repoPath = (
  { base }: Pick<PageRequest, 'base'>,
  { fullName }: { readonly fullName: string },
  ...parts: readonly string[]
): string => [`${base}/${fullName}`, ...parts.filter((part) => part !== '').map(escapePath)].join('/')

/** The heading of every page below a repository: where it is. */
export function repoHeading(visit: Visit, { repo }: Pick<RepoInView, 'repo'>, what?: Html): Html {
  const { base } = visit
  const { owner, name } = repo
  const place = safeHtml`<a href="${base}/${owner.name}">${owner.name}</a> / <a href="${repoPath(visit, repo)}">${name}</a>`
  return safeHtml`<h1>${place}${what === undefined ? '' : safeHtml`: ${what}`}</h1>`
}
