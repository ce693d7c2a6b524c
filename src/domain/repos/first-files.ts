import type { FirstFile } from '../../git/index.ts'
import { badRequest } from '../../platform/errors.ts'

export interface FirstFilesInput {
  readonly name: string
  readonly description: string
  /** Name of a README template; empty is `Default`, the only one. */
  readonly readme: string
}

/** The files of the commit that `auto_init` makes (reference repositories §4). Throws bad-request for an unknown README. */
export function firstFiles(input: FirstFilesInput): FirstFile[] {
  if (input.readme !== '' && input.readme !== 'Default') throw badRequest('readme template does not exist, available templates: [Default]')
  return [{ path: 'README.md', content: `# ${input.name}\n\n${input.description}` }]
}
