import { ANONYMOUS } from '../../../core/access/viewer.ts'
import type { Repos } from '../../repositories/index.ts'

export interface GoGetDeps {
  readonly repos: Pick<Repos, 'admit'>
  /** Branch for repositories that anonymous callers may not see, so that they look like missing ones. */
  readonly defaultBranch: string
  /** Where `go` is sent for the code. */
  readonly cloneBy: 'https' | 'ssh'
  readonly site: { rootUrl(): string; sshPrefix(): string }
}

/**
 * The page that answers `go get` where the code of an import path is, for every path alike
 * (behaviour/git-data-and-transport#git-over-http).
 */
export async function goGetPage(
  { repos, defaultBranch, cloneBy, site }: GoGetDeps,
  owner: string,
  repo: string,
): Promise<string> {
  const name = repo.replace(/\.git$/i, '')
  const root = site.rootUrl()
  const path = `${encodeURIComponent(owner)}/${encodeURIComponent(name)}`
  const importPath = `${root.replace(/^https?:\/\//, '')}/${path}`
  const clone = cloneBy === 'ssh' ? `${site.sshPrefix()}${path}.git` : `${root}/${path}.git`
  const branch = (await branchFor(repos, owner, name)) ?? defaultBranch
  const source = `${root}/${path}/src/branch/${branch.split('/').map(encodeURIComponent).join('/')}`
  return [
    '<!doctype html>',
    '<html><head>',
    `<meta name="go-import" content="${escape(`${importPath} git ${clone}`)}">`,
    `<meta name="go-source" content="${escape(`${importPath} _ ${source}{/dir} ${source}{/dir}/{file}#L{line}`)}">`,
    `</head><body>go get ${escape(importPath)}</body></html>`,
    '',
  ].join('\n')
}

/** Of a repository that anonymous viewers may see. */
async function branchFor(repos: Pick<Repos, 'admit'>, owner: string, name: string): Promise<string | undefined> {
  const admission = await repos.admit(ANONYMOUS, { owner, name }, { level: 'see' })
  return admission.kind === 'allowed' ? admission.repo.defaultBranch : undefined
}

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
