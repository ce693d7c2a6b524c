import type { Services } from '../../../core/module.ts'
import { Html, safeHtml } from '../../../core/platform/html.ts'
import type { TreeEntry } from '../../../core/git/index.ts'
import { pageOf } from '../../../core/platform/paging.ts'
import type { RepoInView } from '../../repositories/index.ts'
import { list, pager, size, authorizePage, type PageMaker, repoHeading, repoPath, type PageContext } from './layout.ts'
import type { SourceLocation, Source, Sources } from './sources.service.ts'

interface SourceDeps {
  readonly repos: Pick<Services['repos'], 'authorize'>
  readonly sources: Sources
}

const MAX_ENTRIES = 1000
const MAX_LINES = 20_000

/** `/{owner}/{repo}/src/{branch|tag|commit}/{ref}/{path}`: a directory or a file. */
export const sourcePage =
  (deps: SourceDeps): PageMaker =>
  async (context) => {
    const target = await authorizePage(deps, context, { unit: 'repo.code' })
    const { repo } = target
    const location = await deps.sources.locate(repo, context.params.rest)
    const source = await deps.sources.read(repo, location)
    const history = repoPath(context, repo, 'commits', location.kind, location.ref, location.path)
    return {
      title: `${location.path || location.ref} · ${repo.fullName}`,
      body: safeHtml`${repoHeading(context, target, trail(context, target, location))}
<nav class="tabs" aria-label="File"><a href="${history}">Commits</a></nav>
${sourcePart(context, target, location, source)}`,
    }
  }

/** Links to the directories from the root to the path. */
function trail(context: PageContext, { repo }: RepoInView, { kind, ref, path }: SourceLocation): Html {
  const parts = path === '' ? [] : path.split('/')
  const steps = parts.map((name, index) => ({ name, path: parts.slice(0, index + 1).join('/') }))
  const link = (name: string, to: string): Html =>
    safeHtml`<a href="${repoPath(context, repo, 'src', kind, ref, to)}">${name}</a>`
  return safeHtml`${link(ref, '')}${steps.map((step) => safeHtml` / ${link(step.name, step.path)}`)}`
}

function sourcePart(context: PageContext, target: RepoInView, location: SourceLocation, source: Source): Html {
  if (source.kind === 'submodule') return safeHtml`<p>A submodule at commit <code>${source.oid}</code>.</p>`
  if (source.kind === 'file') return filePart(context, target, location, source)
  const paging = context.paging(MAX_ENTRIES)
  const { items, total } = pageOf(source.entries, paging)
  return safeHtml`${entryList(context, target, location, items)}
${pager(paging, total)}`
}

function filePart(
  context: PageContext,
  { repo }: RepoInView,
  { kind, ref, path }: SourceLocation,
  file: Extract<Source, { readonly kind: 'file' }>,
): Html {
  const raw = repoPath(context, repo, file.lfs === undefined ? 'raw' : 'media', kind, ref, path)
  const bytes = file.lfs?.size ?? file.size
  const link = safeHtml`<p><a href="${raw}">Raw file</a> <small>${size(bytes)}${file.lfs === undefined ? '' : ', in Git LFS'}</small></p>`
  if (file.lfs !== undefined) return link
  if (file.isSymlink) return safeHtml`${link}\n<p>A symbolic link to <code>${file.text ?? ''}</code>.</p>`
  if (file.text === undefined) return safeHtml`${link}\n<p class="note">The file is binary or too large to show.</p>`
  return safeHtml`${link}\n<pre tabindex="0">${withLines(file.text)}</pre>`
}

/** Each line is the target of `#L{line}`, counted from 1; in a long file only the first lines are. */
function withLines(text: string): Html {
  const lines = safeHtml`${text}`.text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  const numbered = lines.slice(0, MAX_LINES).map((line, index) => `<span id="L${index + 1}">${line}\n</span>`)
  return new Html(numbered.join('') + lines.slice(MAX_LINES).join('\n'))
}

/** The entries of a directory. */
export function entryList(
  context: PageContext,
  { repo }: RepoInView,
  { kind, ref, path }: SourceLocation,
  entries: readonly TreeEntry[],
): Html {
  const parent = path === '' ? '' : `${path}/`
  const shown = entries.slice(0, MAX_ENTRIES)
  const rows = list(
    shown,
    ({ name, type }) =>
      safeHtml`<a href="${repoPath(context, repo, 'src', kind, ref, parent + name)}">${name}${type === 'tree' ? '/' : ''}</a>${type === 'commit' ? safeHtml` <small>submodule</small>` : ''}`,
    'No files.',
  )
  const all = repoPath(context, repo, 'src', kind, ref, path)
  return entries.length > shown.length
    ? safeHtml`${rows}\n<p><a href="${all}?page=2">${entries.length - shown.length} more</a></p>`
    : rows
}
