import type { Services } from '../../../core/module.ts'
import { Html, isHttpUrl, safeHtml } from '../../../core/platform/html.ts'
import { AccessMode, unitMode, hasUnit, type Unit } from '../../../core/access/repo-access.ts'
import { escapePath } from '../../../core/access/repo-urls.ts'
import type { Site } from '../../../core/platform/site.ts'
import type { RepoInView } from '../../repositories/index.ts'
import {
  list,
  NOTHING,
  when,
  authorizePage,
  type PageMaker,
  repoHeading,
  repoPath,
  type PageContext,
} from './layout.ts'
import { entryList } from './source.page.ts'
import type { SourceLocation, Sources, TextFile } from './sources.service.ts'
import type { Texts } from './texts.service.ts'

export interface RepoPageDeps {
  readonly repos: Pick<Services['repos'], 'authorize'>
  readonly sources: Sources
  readonly texts: Texts
  readonly site: Site
  readonly settings: { readonly hasHttp: boolean; readonly hasSsh: boolean }
}

const MAX_BRANCHES = 10

export const canRead = ({ repo, access }: RepoInView, unit: Unit): boolean =>
  hasUnit(repo.units, unit) && unitMode(access, unit) >= AccessMode.read

/** `/{owner}/{repo}`: description, clone addresses, branches, files and README of the default branch. */
export const repoPage =
  (deps: RepoPageDeps): PageMaker =>
  async (context) => {
    const target = await authorizePage(deps, context)
    const { repo } = target
    const code = canRead(target, 'repo.code') ? await codePart(deps, context, target) : NOTHING
    return {
      title: repo.fullName,
      feed: `${repoPath(context, repo)}.atom`,
      body: safeHtml`${repoHeading(context, target)}
${when(repo.description, (text) => safeHtml`<p>${text}</p>`)}
${isHttpUrl(repo.website) ? safeHtml`<p><a href="${repo.website}" rel="nofollow noopener">${repo.website}</a></p>` : ''}
${tabs(context, target)}
${code}`,
    }
  }

function tabs(context: PageContext, target: RepoInView): Html {
  const { repo } = target
  const link = (name: string, ...parts: readonly string[]): Html =>
    safeHtml`<a href="${repoPath(context, repo, ...parts)}">${name}</a>\n`
  const code = canRead(target, 'repo.code') && [
    link('Commits', 'commits/branch', repo.defaultBranch),
    link('Branches', 'branches'),
    link('Tags', 'tags'),
  ]
  return safeHtml`<nav class="tabs" aria-label="Repository">
${repo.isEmpty || code === false ? NOTHING : code}${canRead(target, 'repo.releases') ? link('Releases', 'releases') : NOTHING}${canRead(target, 'repo.issues') ? link('Issues', 'issues') : NOTHING}${canRead(target, 'repo.pulls') ? link('Pull requests', 'pulls') : NOTHING}${canRead(target, 'repo.actions') ? link('Actions', 'actions') : NOTHING}</nav>`
}

async function codePart(deps: RepoPageDeps, context: PageContext, target: RepoInView): Promise<Html> {
  const { repo } = target
  const location = await deps.sources.findDefault(repo)
  if (location === undefined)
    return safeHtml`${cloneAddresses(deps, target)}<p class="note">Nothing was pushed yet.</p>`
  const [branches, source] = await Promise.all([
    deps.sources.listBranches(repo, MAX_BRANCHES),
    deps.sources.read(repo, location),
  ])
  const entries = source.kind === 'directory' ? source.entries : []
  const readme = await deps.sources.findReadme(repo, entries)
  return safeHtml`${cloneAddresses(deps, target)}
<h2>Branches</h2>
${list(branches.items, (name) => safeHtml`<a href="${repoPath(context, repo, 'src/branch', name)}">${name}</a>`, 'No branches.')}
${branches.total > MAX_BRANCHES ? safeHtml`<p><a href="${repoPath(context, repo, 'branches')}">All ${branches.total} branches</a></p>` : ''}
<h2>Files</h2>
${entryList(context, target, location, entries)}
${readme === undefined ? NOTHING : await readmePart(deps, context, { target, location, readme })}`
}

function cloneAddresses({ site, settings }: RepoPageDeps, { repo }: RepoInView): Html {
  const addresses = [
    ...(settings.hasHttp ? [`${site.rootUrl()}/${repo.fullName}.git`] : []),
    ...(settings.hasSsh ? [`${site.sshPrefix()}${repo.fullName}.git`] : []),
  ]
  return safeHtml`<h2>Clone</h2>
${list(addresses, (address) => safeHtml`<code>git clone ${address}</code>`, 'Git access is switched off.')}`
}

async function readmePart(
  { texts }: RepoPageDeps,
  { requester }: PageContext,
  {
    target: { repo },
    location,
    readme: { name, text },
  }: { readonly target: RepoInView; readonly location: SourceLocation; readonly readme: TextFile },
): Promise<Html> {
  const context = `/${repo.fullName}/src/branch/${escapePath(location.ref)}`
  const html = await texts.render({ text, name, context, requester })
  return safeHtml`<h2>${name}</h2>
<article>${html === undefined ? safeHtml`<pre class="log">${text}</pre>` : new Html(html)}</article>`
}
