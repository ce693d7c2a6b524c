import type { Services } from '../../../core/module.ts'
import { Html, isHttpUrl, safeHtml } from '../../../core/platform/html.ts'
import { repoUrls } from '../../../core/access/repo-urls.ts'
import type { Site } from '../../../core/platform/site.ts'
import { type ReleaseView, presentRelease } from '../../code/index.ts'
import type { RepoInView } from '../../repositories/index.ts'
import {
  list,
  NOTHING,
  pager,
  size,
  time,
  when,
  authorizePage,
  type PageMaker,
  repoHeading,
  repoPath,
  type PageContext,
} from './layout.ts'
import type { Texts } from './texts.service.ts'

export interface ReleasePageDeps {
  readonly repos: Pick<Services['repos'], 'authorize'>
  readonly releases: Pick<Services['releases'], 'list' | 'getByTag'>
  readonly texts: Texts
  readonly site: Site
}

const ROWS = 10
const UNIT = { unit: 'repo.releases' } as const

/** `/{owner}/{repo}/releases`: newest first. */
export const releasesPage =
  (deps: ReleasePageDeps): PageMaker =>
  async (context) => {
    const target = await authorizePage(deps, context, UNIT)
    const paging = context.paging(ROWS)
    const page = await deps.releases.list(context.viewer, target, {}, paging)
    const parts = await Promise.all(page.items.map((view) => releasePart(deps, context, target, view)))
    return {
      title: `Releases · ${target.repo.fullName}`,
      feed: repoPath(context, target.repo, 'releases.atom'),
      body: safeHtml`${repoHeading(context, target, safeHtml`releases`)}
${parts.length === 0 ? safeHtml`<p class="note">No releases.</p>` : parts}
${pager(paging, page.total)}`,
    }
  }

/** `/{owner}/{repo}/releases/tag/{tag}`. */
export const releasePage =
  (deps: ReleasePageDeps): PageMaker =>
  async (context) => {
    const target = await authorizePage(deps, context, UNIT)
    const view = await deps.releases.getByTag(context.viewer, target, context.params.rest)
    const { release } = view
    return {
      title: `${release.title || release.tagName} · ${target.repo.fullName}`,
      body: safeHtml`${repoHeading(context, target, safeHtml`release`)}
${await releasePart(deps, context, target, view)}`,
    }
  }

async function releasePart(
  { texts, site }: ReleasePageDeps,
  context: PageContext,
  { repo }: RepoInView,
  view: ReleaseView,
): Promise<Html> {
  const model = presentRelease(view, repoUrls(repo, site), site)
  const tag = model.tag_name
  const { requester } = context
  const notes = await texts.render({ text: model.body, name: 'notes.md', context: `/${repo.fullName}`, requester })
  const state = [...(model.draft ? ['draft'] : []), ...(model.prerelease ? ['prerelease'] : [])].join(', ')
  const sources = ['tar.gz', 'zip'].map((kind) => ({
    name: `Source code (${kind})`,
    url: repoPath(context, repo, 'archive', `${tag}.${kind}`),
    size: undefined,
  }))
  const files = [
    ...(model.draft || model.hide_archive_links ? [] : sources),
    ...model.assets.map((asset) => ({ name: asset.name, url: asset.browser_download_url, size: asset.size })),
  ]
  return safeHtml`<h2><a href="${repoPath(context, repo, 'releases/tag', tag)}">${model.name || tag}</a></h2>
<p><small>Tag <a href="${repoPath(context, repo, 'src/tag', tag)}">${tag}</a>, ${time(model.published_at)}${when(state, (text) => safeHtml`, ${text}`)}</small></p>
${notes === undefined ? safeHtml`<pre class="log">${model.body}</pre>` : when(notes, (html) => safeHtml`<article>${new Html(html)}</article>`)}
${files.length === 0 ? NOTHING : list(files, (file) => safeHtml`${isHttpUrl(file.url) || file.size === undefined ? safeHtml`<a href="${file.url}">${file.name}</a>` : file.name}${file.size === undefined ? NOTHING : safeHtml` <small>${size(file.size)}</small>`}`, '')}
`
}
