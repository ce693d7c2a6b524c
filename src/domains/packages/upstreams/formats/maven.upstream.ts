import { isDomainError } from '../../../../core/platform/errors.ts'
import { parseMavenPath } from '../../formats/maven/maven-path.ts'
import type { UpstreamFormat } from '../upstream-format.ts'

/** A repository of Maven; its address is that of the repository. */
export const mavenUpstream: UpstreamFormat = {
  type: 'maven',
  hasTimes: false,
  parse(path) {
    const text = decodeURIComponent(path.slice(1))
    if (!/^[\w.+~/-]+$/.test(text)) return undefined
    const parsed = parsePath(text)
    if (parsed === undefined) return undefined
    const { target, checksum } = parsed
    const file = checksum === undefined ? text : text.slice(0, -checksum.length - 1)
    const digest = checksum && { digest: checksum }
    if (target.kind === 'metadata')
      return target.artifact === undefined
        ? undefined
        : { names: [target.artifact], source: { document: { path: file, type: 'text/xml' } }, ...digest }
    const names = [`${target.group}:${target.artifact}`]
    if (target.file.startsWith('maven-metadata'))
      return { names, source: { document: { path: file, type: 'text/xml' } }, ...digest }
    // What this name stands for changes; builds of snapshots have names with a time.
    if (target.file.includes('-SNAPSHOT')) return undefined
    return { names, source: { path: file, digests: ['sha256', 'sha1'] }, ...digest }
  },
  isDocument: (bytes) => bytes.toString('utf8').trimEnd().endsWith('</metadata>'),
}

function parsePath(path: string): ReturnType<typeof parseMavenPath> | undefined {
  try {
    return parseMavenPath(path)
  } catch (error) {
    if (isDomainError(error)) return undefined
    throw error
  }
}
