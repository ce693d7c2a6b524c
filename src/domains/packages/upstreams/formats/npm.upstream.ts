import semver from 'semver'
import { members, type Members, parseJson, textOf, timeOf } from '../../../../core/platform/json-members.ts'
import { type IndexContext, type ListedFile, listedFile, type UpstreamFormat } from '../upstream-format.ts'

/** A package, with a scope or without, and one of its files. */
const PATH = /^\/(?<name>(?:@[\w.~-]+\/)?(?![-.])[\w.~-]+)(?:\/-\/(?<file>(?!\.)[\w.~+-]+))?$/

/** The registry of npm; its address is that of the registry. */
export const npmUpstream: UpstreamFormat = {
  type: 'npm',
  hasTimes: true,
  parse(path) {
    const { name, file } = PATH.exec(decodeURIComponent(path))?.groups ?? {}
    if (name === undefined || name.length > 214) return undefined
    const document = {
      path: name.replace('/', '%2F'),
      accept: 'application/json',
      type: 'application/json;charset=utf-8',
      name,
    }
    return { names: [name], source: file === undefined ? { document } : { listed: file, index: document } }
  },
  read(text, context) {
    const packument = members(parseJson(text)?.value)
    if (packument['name'] !== context.name) throw new Error('the document is not of this package')
    const { versions: _, time, readme: __, 'dist-tags': tags, ...rest } = packument
    const files = new Map<string, ListedFile>()
    const versions: Record<string, Members> = {}
    for (const [version, manifest] of Object.entries(members(packument['versions']))) {
      const at = timeOf(members(time)[version])
      if (context.newest > 0 && (at === undefined || at > context.newest)) continue
      const shown = withFile(members(manifest), context, files)
      if (shown !== undefined) versions[version] = shown
    }
    const times = Object.entries(members(time)).filter(([version]) => Object.hasOwn(versions, version))
    const shown = {
      ...rest,
      'dist-tags': existingTags(members(tags), versions),
      time: Object.fromEntries(times),
      versions,
    }
    return { text: JSON.stringify(shown), files }
  },
}

/** The manifest with the address of its file here; undefined without a file that can be verified. */
function withFile(
  manifest: Members,
  { url, base, name }: IndexContext,
  files: Map<string, ListedFile>,
): Members | undefined {
  const dist = members(manifest['dist'])
  const file = listedFile(textOf(dist['tarball']), url, digestsOf(dist))
  const fileName = file && new URL(file.url).pathname.split('/').at(-1)!
  if (file === undefined || fileName === undefined || files.has(fileName)) return undefined
  files.set(fileName, file)
  return { ...manifest, dist: { ...dist, tarball: `${base}/${name}/-/${fileName}` } }
}

/** Digests in `dist.integrity` (W3C SRI) and in `dist.shasum`, the only one that old packages have. */
function digestsOf(dist: Members): Record<string, string> {
  const pairs = textOf(dist['integrity'], 1000)
    .split(/\s+/)
    .map((one) => {
      const [algorithm = '', digest = ''] = one.split('?', 1)[0]!.split(/-(.*)/s)
      return [algorithm, Buffer.from(digest, 'base64').toString('hex')] as const
    })
  return { sha1: textOf(dist['shasum']), ...Object.fromEntries(pairs) }
}

/** The tags of versions that are shown. Without the one of `latest`, the newest version before it gets the tag. */
function existingTags(tags: Members, versions: Readonly<Record<string, Members>>): Record<string, string> {
  const shown = Object.entries(tags).flatMap(([tag, version]) => {
    const text = textOf(version)
    if (Object.hasOwn(versions, text)) return [[tag, text] as const]
    const before = tag === 'latest' ? semver.maxSatisfying(Object.keys(versions), `<${text}`) : null
    return before === null ? [] : [[tag, before] as const]
  })
  return Object.fromEntries(shown)
}
