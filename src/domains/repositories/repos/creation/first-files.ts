import type { FirstFile } from '../../../../core/git/index.ts'
import { badRequest } from '../../../../core/platform/errors.ts'
import { renderGitignore, renderLicense } from '../../templates/templates.ts'

export interface FirstFilesInput {
  readonly name: string
  readonly description: string
  /** Whom the licence names. */
  readonly owner: string
  readonly year: number
  /** Name of a README template; empty is `Default`, the only one. */
  readonly readme: string
  /** Comma list of templates; empty makes no `.gitignore`. */
  readonly gitignores: string
  /** SPDX id; empty makes no `LICENSE`. */
  readonly license: string
}

/**
 * The files of the commit that `auto_init` makes (behaviour/repositories#creating). Throws bad-request for an unknown
 * README, invalid for other unknown templates.
 */
export function firstFiles(input: FirstFilesInput): FirstFile[] {
  const { name, description, owner, year, readme, gitignores, license } = input
  if (readme !== '' && readme !== 'Default')
    throw badRequest('readme template does not exist, available templates: [Default]')
  const ignored = renderGitignore(gitignores)
  return [
    { path: 'README.md', content: `# ${name}\n\n${description}` },
    ...(ignored === '' ? [] : [{ path: '.gitignore', content: ignored }]),
    ...(license === '' ? [] : [{ path: 'LICENSE', content: renderLicense(license, { year, owner, repo: name }) }]),
  ]
}
