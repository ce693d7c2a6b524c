import { hash } from 'node:crypto'
import { deflateSync, gzipSync } from 'node:zlib'
import { members, parseJson } from '../../../../core/platform/json-members.ts'
import type { PackageFile } from '../../packages/package.store.ts'
import type { IndexKind } from '../../registry/indexes/package-indexes.service.ts'
import { compareGemVersions, isPrerelease } from './gem-version.ts'
import type { GemDependency, GemRequirement, GemSpec } from './gem.task.ts'
import { marshal, type RubyValue } from './marshal.ts'

export const type = 'rubygems'

/** The content of `package_file.metadata` of a gem. */
const specOf = ({ metadata }: Pick<PackageFile, 'metadata'>): GemSpec =>
  members(parseJson(metadata)?.value) as unknown as GemSpec

const isAny = (requirements: readonly GemRequirement[]): boolean =>
  requirements.every(([operator, version]) => operator === '>=' && version === '0')

const requirementText = (requirements: readonly GemRequirement[]): string =>
  requirements.map((one) => one.join(' ')).join('&')

const isRuntime = ({ kind }: GemDependency): boolean => kind === 'runtime'

/** A version with its platform unless that is Ruby. */
export const fullVersion = ({ version, platform }: Pick<GemSpec, 'version' | 'platform'>): string =>
  platform === 'ruby' ? version : `${version}-${platform}`

/** The document of a gem in the compact index (guides.rubygems.org, compact index): one line a file. */
export function presentInfo(files: readonly Pick<PackageFile, 'metadata' | 'sha256'>[]): string {
  const lines = files.map((file) => {
    const spec = specOf(file)
    const dependencies = spec.dependencies
      .filter((one) => isRuntime(one))
      .map(({ name, requirements }) => `${name}:${requirementText(requirements)}`)
    const conditions = [
      `checksum:${file.sha256}`,
      ...(isAny(spec.requiredRuby) ? [] : [`ruby:${requirementText(spec.requiredRuby)}`]),
      ...(isAny(spec.requiredRubygems) ? [] : [`rubygems:${requirementText(spec.requiredRubygems)}`]),
    ]
    return `${fullVersion(spec)} ${dependencies.join(',')}|${conditions.join(',')}\n`
  })
  return `---\n${lines.join('')}`
}

const versionObject = (version: string): RubyValue => ({ dumped: 'Gem::Version', value: [version] })
const requirementObject = (requirements: readonly GemRequirement[]): RubyValue => ({
  dumped: 'Gem::Requirement',
  value: [requirements.map(([operator, version]) => [operator, versionObject(version)])],
})

/** The specification that `gem` reads of a file of the legacy index, as it is dumped by RubyGems. */
export function presentQuickSpec(file: Pick<PackageFile, 'metadata'>): Buffer {
  const spec = specOf(file)
  const dependencies = spec.dependencies.map(({ name, kind, requirements }): RubyValue => ({
    object: 'Gem::Dependency',
    variables: {
      name,
      requirement: requirementObject(requirements),
      type: { symbol: kind },
      prerelease: false,
      version_requirements: requirementObject(requirements),
    },
  }))
  const fields: RubyValue = [
    spec.rubygemsVersion,
    4, // the version of the specification
    spec.name,
    versionObject(spec.version),
    null, // the date
    spec.summary,
    requirementObject(spec.requiredRuby),
    requirementObject(spec.requiredRubygems),
    spec.platform,
    dependencies,
    '', // RubyForge
    null, // e-mail
    spec.authors,
    spec.description,
    spec.homepage,
    true, // documentation
    spec.platform,
    spec.licenses,
    { emptyHash: true },
  ]
  return deflateSync(marshal({ bytesOf: 'Gem::Specification', bytes: marshal(fields) }))
}

type Shown = Pick<GemSpec, 'name' | 'version' | 'platform'>

const presentSpecs = (gems: readonly Shown[]): Buffer =>
  gzipSync(marshal(gems.map(({ name, version, platform }) => [name, versionObject(version), platform])))

/** The newest version of each gem and platform. */
function newestOf(gems: readonly Shown[]): Shown[] {
  const newest = new Map<string, Shown>()
  for (const gem of gems) {
    const key = `${gem.name} ${gem.platform}`
    const former = newest.get(key)
    if (former === undefined || compareGemVersions(gem.version, former.version) > 0) newest.set(key, gem)
  }
  return [...newest.values()]
}

/** `versions`, `names` and the three legacy indexes. */
export const GEM_INDEX: IndexKind = {
  type,
  async build({ files, put }) {
    const byName = new Map<string, Pick<PackageFile, 'metadata' | 'sha256'>[]>()
    const gems: Shown[] = []
    let createdAt: number | undefined
    for await (const { metadata, sha256, package: name, created_at: at } of files) {
      createdAt ??= at
      const ofName = byName.get(name) ?? []
      byName.set(name, ofName)
      ofName.push({ metadata, sha256 })
      const { version, platform } = specOf({ metadata })
      gems.push({ name, version, platform })
    }
    const lines = [...byName].map(([name, ofName]) => {
      const versions = ofName.map((file) => fullVersion(specOf(file)))
      return `${name} ${versions.join(',')} ${hash('md5', presentInfo(ofName), 'hex')}\n`
    })
    await put('versions', `created_at: ${new Date(createdAt ?? 0).toISOString()}\n---\n${lines.join('')}`)
    await put('names', `---\n${[...byName.keys()].map((name) => `${name}\n`).join('')}`)
    const releases = gems.filter(({ version }) => !isPrerelease(version))
    await put('specs.4.8.gz', presentSpecs(releases))
    await put('latest_specs.4.8.gz', presentSpecs(newestOf(releases)))
    await put('prerelease_specs.4.8.gz', presentSpecs(gems.filter(({ version }) => isPrerelease(version))))
  },
}
