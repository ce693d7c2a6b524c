import { escapeHtml } from '../../../../core/platform/html.ts'
import { members, parseJson, textOf } from '../../../../core/platform/json-members.ts'
import type { PackageEntry } from '../../packages/package-contents.store.ts'
import { isSnapshot } from './maven-path.ts'
import type { MavenPlugin } from './plugins.task.ts'

/** The plugin in `package.metadata` of a Maven package. */
export const pluginOf = ({ name, metadata }: Pick<PackageEntry, 'name' | 'metadata'>): MavenPlugin | undefined => {
  const stored = members(parseJson(metadata)?.value)
  const prefix = textOf(stored['prefix'])
  return prefix === ''
    ? undefined
    : { artifactId: name.slice(name.indexOf(':') + 1), prefix, name: textOf(stored['name']) }
}

export const pluginMetadata = ({ prefix, name }: MavenPlugin): string => JSON.stringify({ prefix, name })

interface MetadataParts {
  readonly entry: PackageEntry | undefined
  /** Versions of the artifact, in the order of their publication. */
  readonly versions: readonly string[]
  /** Plugins of the group. */
  readonly plugins: readonly MavenPlugin[]
}

const element = (name: string, text: string | undefined): string =>
  text === undefined ? '' : `<${name}>${escapeHtml(text)}</${name}>`

/** The document by which Maven resolves ranges of versions, `LATEST`, `RELEASE` and prefixes of plugins. */
export function presentMetadata({ entry, versions, plugins }: MetadataParts): string {
  const parts: string[] = []
  if (entry !== undefined) {
    const [group, artifact] = entry.name.split(':')
    const release = versions.findLast((version) => !isSnapshot(version))
    const list = versions.map((version) => `\n      ${element('version', version)}`).join('')
    parts.push(
      `  ${element('groupId', group)}\n  ${element('artifactId', artifact)}
  <versioning>
    ${element('latest', versions.at(-1))}${element('release', release)}
    <versions>${list}
    </versions>
  </versioning>`,
    )
  }
  if (plugins.length > 0) {
    const list = plugins.map(
      ({ name, prefix, artifactId }) =>
        `\n    <plugin>${element('name', name)}${element('prefix', prefix)}${element('artifactId', artifactId)}</plugin>`,
    )
    parts.push(`  <plugins>${list.join('')}\n  </plugins>`)
  }
  return `<?xml version="1.0" encoding="UTF-8"?>\n<metadata>\n${parts.join('\n')}\n</metadata>\n`
}
