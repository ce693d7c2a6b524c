import { escapeXml } from './rpm-xml.ts'
import { readRpmHeader, RELATIONS, type RpmHeader, TAG } from './rpm-header.ts'

export interface RpmPackage {
  readonly name: string
  /** `version-release`, with the epoch before it unless that is 0. */
  readonly version: string
  readonly arch: string
  /** XML of the entries of the package, without its sums, sizes and location. */
  readonly primary: { readonly before: string; readonly after: string }
  readonly files: string
  readonly changelog: string
  /** Attributes of the package in `filelists.xml` and `other.xml`, and its element `version`. */
  readonly attributes: string
  readonly versionElement: string
  /** Epoch seconds. */
  readonly builtAt: number
  readonly installedSize: number
  readonly archiveSize: number
}

const NAME = /^[A-Za-z\d_][\w.+-]{0,199}$/
const VERSION = /^[\w.+~^]{1,100}$/
const ARCH = /^[A-Za-z\d_]{1,50}$/
const MAX_XML = 12 * 1024 * 1024

/** Reads the header of a package from its first bytes; throws for an invalid package. Runs in a child process. */
export const createTask =
  () =>
  (bytes: Uint8Array): RpmPackage => {
    const header = readRpmHeader(Buffer.from(bytes))
    const [name, version, release] = [TAG.name, TAG.version, TAG.release].map(header.text) as [string, string, string]
    const epoch = String(header.numbers(TAG.epoch)[0] ?? 0)
    const arch = header.text(TAG.sourceRpm) === '' ? 'src' : header.text(TAG.arch)
    if (!NAME.test(name)) throw new Error('the name of the package is invalid')
    if (!VERSION.test(version) || !VERSION.test(release)) throw new Error('the version of the package is invalid')
    if (!ARCH.test(arch)) throw new Error('the architecture of the package is invalid')
    const files = listFiles(header)
    const read = {
      name,
      version: `${epoch === '0' ? '' : `${epoch}-`}${version}-${release}`,
      arch,
      primary: { before: before(header), after: format(header, files) },
      files: files.map(fileElement).join(''),
      changelog: changelog(header),
      attributes: `name="${escapeXml(name)}" arch="${escapeXml(arch)}"`,
      versionElement: `<version epoch="${epoch}" ver="${escapeXml(version)}" rel="${escapeXml(release)}"/>`,
      builtAt: header.numbers(TAG.buildTime)[0] ?? 0,
      installedSize: header.numbers(TAG.longSize)[0] ?? header.numbers(TAG.size)[0] ?? 0,
      archiveSize: header.archiveSize,
    }
    const size = read.files.length + read.changelog.length + read.primary.after.length + read.primary.before.length
    if (size > MAX_XML) throw new Error('the header of the package is too large')
    return read
  }

const element = (name: string, text: string): string => `<${name}>${escapeXml(text)}</${name}>`

const before = (header: RpmHeader): string =>
  element('summary', header.text(TAG.summary)) +
  element('description', header.text(TAG.description)) +
  element('packager', header.text(TAG.packager)) +
  element('url', header.text(TAG.url))

interface ListedPath {
  readonly path: string
  readonly type: '' | 'dir' | 'ghost'
}

const DIRECTORY = 0o040000
const TYPE_MASK = 0o170000
const GHOST = 1 << 6

function listFiles(header: RpmHeader): ListedPath[] {
  const folders = header.texts(TAG.dirNames)
  const [indexes, modes, flags] = [TAG.dirIndexes, TAG.fileModes, TAG.fileFlags].map(header.numbers)
  return header.texts(TAG.baseNames).map((name, at) => ({
    path: `${folders[indexes![at] ?? -1] ?? ''}${name}`,
    type: (modes![at]! & TYPE_MASK) === DIRECTORY ? 'dir' : flags![at]! & GHOST ? 'ghost' : '',
  }))
}

const fileElement = ({ path, type }: ListedPath): string =>
  `<file${type === '' ? '' : ` type="${type}"`}>${escapeXml(path)}</file>`

/** Only these files are in `primary.xml`: those that other packages usually require by their path. */
const isPrimary = ({ path }: ListedPath): boolean =>
  path.startsWith('/etc/') || path.includes('bin/') || path === '/usr/lib/sendmail'

function format(header: RpmHeader, files: readonly ListedPath[]): string {
  return (
    element('rpm:license', header.text(TAG.license)) +
    element('rpm:vendor', header.text(TAG.vendor)) +
    element('rpm:group', header.text(TAG.group)) +
    element('rpm:buildhost', header.text(TAG.buildHost)) +
    element('rpm:sourcerpm', header.text(TAG.sourceRpm)) +
    `<rpm:header-range start="${header.start}" end="${header.end}"/>` +
    RELATIONS.map((relation) => relationElement(header, relation)).join('') +
    files.filter(isPrimary).map(fileElement).join('')
  )
}

/** Names of comparisons by the bits of less, greater and equal. */
const COMPARISON: Readonly<Record<number, string>> = { 2: 'LT', 4: 'GT', 8: 'EQ', 10: 'LE', 12: 'GE' }
/** Required by the installation itself or its scripts. */
const BEFORE_INSTALL = (1 << 6) | (1 << 9) | (1 << 10)

function relationElement(
  header: RpmHeader,
  { element: name, names, flags, versions }: (typeof RELATIONS)[number],
): string {
  const [allFlags, allVersions] = [header.numbers(flags), header.texts(versions)]
  const seen = new Set<string>()
  const entries = header.texts(names).flatMap((text, at) => {
    // What rpm itself must be able to do is no package.
    if (name === 'requires' && text.startsWith('rpmlib(')) return []
    const flag = allFlags[at] ?? 0
    const comparison = COMPARISON[flag & 14]
    const version = comparison === undefined ? '' : ` flags="${comparison}"${versionAttributes(allVersions[at] ?? '')}`
    const pre = name === 'requires' && flag & BEFORE_INSTALL ? ' pre="1"' : ''
    const entry = `<rpm:entry name="${escapeXml(text)}"${version}${pre}/>`
    if (seen.has(entry)) return []
    seen.add(entry)
    return [entry]
  })
  return entries.length === 0 ? '' : `<rpm:${name}>${entries.join('')}</rpm:${name}>`
}

function versionAttributes(text: string): string {
  const [, epoch = '0', version = '', release] = /^(?:(\d+):)?([^-]*)(?:-(.*))?$/s.exec(text) ?? []
  const rel = release === undefined ? '' : ` rel="${escapeXml(release)}"`
  return ` epoch="${epoch}" ver="${escapeXml(version)}"${rel}`
}

/** Maximum number of changes, the newest ones, as in createrepo. */
const MAX_CHANGES = 10

function changelog(header: RpmHeader): string {
  const [authors, texts] = [header.texts(TAG.changelogName), header.texts(TAG.changelogText)]
  return header
    .numbers(TAG.changelogTime)
    .slice(0, MAX_CHANGES)
    .toReversed()
    .map((time, at, { length }) => {
      const index = length - 1 - at
      return `<changelog author="${escapeXml(authors[index] ?? '')}" date="${time}">${escapeXml(texts[index] ?? '')}</changelog>`
    })
    .join('')
}
