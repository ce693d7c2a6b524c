import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { sha256Hex } from '../../../../core/platform/crypto/crypto.ts'
import { members, parseJson, textOf } from '../../../../core/platform/json-members.ts'
import type { Clock } from '../../../../core/platform/clock.ts'
import type { ReceivedFile } from '../../packages/package-contents.service.ts'
import type { ListedFile } from '../../packages/listed-files.store.ts'
import type { IndexBuild, IndexKind } from '../../registry/indexes/package-indexes.service.ts'
import type { SigningKeys } from '../../registry/signing/signing-keys.service.ts'
import type { RpmPackage } from './rpm.task.ts'

export const type = 'rpm'

/** The content of `package_file.metadata`: the group, and the XML of the package in each list. */
interface StoredXml {
  readonly group: string
  readonly primary: string
  readonly filelists: string
  readonly other: string
}

/** The entries of a package in the lists, complete: an index is their concatenation. */
export function storedXml(read: RpmPackage, group: string, content: ReceivedFile, now: number): StoredXml {
  const { primary, attributes, versionElement, name, arch } = read
  const id = `<package pkgid="${content.sha256}" ${attributes}>${versionElement}`
  // Clients encode it: names and versions contain `+`, `~` and `^`.
  const location = `package/${name}/${read.version}/${arch}/${fileName(read)}`
  return {
    group,
    primary:
      `<package type="rpm"><name>${name}</name><arch>${arch}</arch>${versionElement}` +
      `<checksum type="sha256" pkgid="YES">${content.sha256}</checksum>${primary.before}` +
      `<time file="${Math.floor(now / 1000)}" build="${read.builtAt}"/>` +
      `<size package="${content.size}" installed="${read.installedSize}" archive="${read.archiveSize}"/>` +
      `<location href="${location}"/><format>${primary.after}</format></package>\n`,
    filelists: `${id}${read.files}</package>\n`,
    other: `${id}${read.changelog}</package>\n`,
  }
}

export const fileName = ({ name, version, arch }: Pick<RpmPackage, 'name' | 'version' | 'arch'>): string =>
  `${name}-${version}.${arch}.rpm`

const LISTS = [
  {
    name: 'primary',
    root: 'metadata',
    namespaces: 'xmlns="http://linux.duke.edu/metadata/common" xmlns:rpm="http://linux.duke.edu/metadata/rpm"',
  },
  { name: 'filelists', root: 'filelists', namespaces: 'xmlns="http://linux.duke.edu/metadata/filelists"' },
  { name: 'other', root: 'otherdata', namespaces: 'xmlns="http://linux.duke.edu/metadata/other"' },
] as const

const XML = '<?xml version="1.0" encoding="UTF-8"?>\n'

/** `repodata` of all groups of an owner. */
export const rpmIndex = (signingKeys: SigningKeys, clock: Clock): IndexKind => ({
  type,
  key: 'openpgp',
  async build(build) {
    for (const [group, packages] of await groupsOf(build.files)) {
      const listed: string[] = []
      for (const list of LISTS) {
        const parts = packages.map((found) => found[list.name])
        const text = Buffer.from(
          `${XML}<${list.root} ${list.namespaces} packages="${parts.length}">\n${parts.join('')}</${list.root}>\n`,
        )
        listed.push(await putList(build, { path: pathOf(group), name: list.name, text, now: clock.now() }))
      }
      await putRepomd(build, { path: pathOf(group), listed, now: clock.now() }, signingKeys)
    }
  },
})

export const pathOf = (group: string): string => `${group === '' ? '' : `${group}/`}repodata`

async function groupsOf(files: AsyncIterable<ListedFile>): Promise<Map<string, StoredXml[]>> {
  const groups = new Map<string, StoredXml[]>()
  for await (const file of files) {
    const stored = members(parseJson(file.metadata)?.value)
    const group = textOf(stored['group'])
    const packages = groups.get(group) ?? []
    groups.set(group, packages)
    const [primary, filelists, other] = ['primary', 'filelists', 'other'].map((name) => textOf(stored[name]))
    packages.push({ group, primary: primary!, filelists: filelists!, other: other! })
  }
  return groups
}

interface List {
  readonly path: string
  readonly name: string
  readonly text: Buffer
  readonly now: number
}

/** Stores a list, and returns its element of `repomd.xml`. */
async function putList({ put }: IndexBuild, { path, name, text, now }: List): Promise<string> {
  const zipped = await put(`${path}/${name}.xml.gz`, await promisify(gzip)(text))
  return (
    `<data type="${name}"><checksum type="sha256">${zipped.sha256}</checksum>` +
    `<open-checksum type="sha256">${sha256Hex(text)}</open-checksum><location href="repodata/${name}.xml.gz"/>` +
    `<timestamp>${Math.floor(now / 1000)}</timestamp><size>${zipped.size}</size>` +
    `<open-size>${text.length}</open-size></data>\n`
  )
}

interface Repomd {
  readonly path: string
  readonly listed: readonly string[]
  readonly now: number
}

async function putRepomd({ owner, put }: IndexBuild, { path, listed, now }: Repomd, keys: SigningKeys): Promise<void> {
  const text =
    `${XML}<repomd xmlns="http://linux.duke.edu/metadata/repo" xmlns:rpm="http://linux.duke.edu/metadata/rpm">` +
    `<revision>${Math.floor(now / 1000)}</revision>\n${listed.join('')}</repomd>\n`
  await put(`${path}/repomd.xml`, text)
  await put(`${path}/repomd.xml.asc`, await (await keys.pgpSigner(owner)).sign(Buffer.from(text)))
}
