import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Clock } from '../../../../core/platform/clock.ts'
import { members, parseJson, textOf } from '../../../../core/platform/json-members.ts'
import type { ReceivedFile } from '../../packages/package-contents.service.ts'
import type { ListedFile } from '../../packages/listed-files.store.ts'
import type { IndexBuild, IndexKind } from '../../registry/indexes/package-indexes.service.ts'
import type { SigningKeys } from '../../registry/signing/signing-keys.service.ts'

export const type = 'debian'

/** `Packages` and `Release` of all distributions of an owner (wiki.debian.org/DebianRepository/Format). */
export const debianIndex = (signingKeys: SigningKeys, clock: Clock): IndexKind => ({
  type,
  key: 'openpgp',
  async build(build) {
    for (const [distribution, groups] of await groupsOf(build.files)) {
      const listed: Listed[] = []
      for (const [group, paragraphs] of groups) {
        const text = Buffer.from(paragraphs.join('\n'))
        const path = `dists/${distribution}/${group}/Packages`
        listed.push({ name: `${group}/Packages`, sums: await build.put(path, text) })
        const zipped = await promisify(gzip)(text)
        listed.push({ name: `${group}/Packages.gz`, sums: await build.put(`${path}.gz`, zipped) })
      }
      await putRelease(
        build,
        { distribution, listed, text: releaseText(distribution, listed, clock.now()) },
        signingKeys,
      )
    }
  },
})

interface Listed {
  /** Below the folder of the distribution. */
  readonly name: string
  readonly sums: ReceivedFile
}

/** The paragraphs of `Packages` by distribution, and by component and architecture. */
async function groupsOf(files: AsyncIterable<ListedFile>): Promise<Map<string, Map<string, string[]>>> {
  const distributions = new Map<string, Map<string, string[]>>()
  for await (const file of files) {
    const { control, architecture } = members(parseJson(file.metadata)?.value)
    const [distribution = '', component = ''] = file.name.split('/')
    const groups = distributions.get(distribution) ?? new Map<string, string[]>()
    distributions.set(distribution, groups)
    const group = `${component}/binary-${textOf(architecture)}`
    const paragraphs = groups.get(group) ?? []
    groups.set(group, paragraphs)
    paragraphs.push(
      `${textOf(control)}Filename: pool/${file.name}\nSize: ${file.size}\nMD5sum: ${file.md5}\nSHA1: ${file.sha1}\n` +
        `SHA256: ${file.sha256}\nSHA512: ${file.sha512}\n`,
    )
  }
  return distributions
}

const SUMS = [
  ['MD5Sum', 'md5'],
  ['SHA1', 'sha1'],
  ['SHA256', 'sha256'],
  ['SHA512', 'sha512'],
] as const

function releaseText(distribution: string, listed: readonly Listed[], now: number): string {
  const parts = listed.map(({ name }) => /^([^/]+)\/binary-([^/]+)\//.exec(name)!)
  const unique = (index: number): string => [...new Set(parts.map((part) => part[index]!))].toSorted().join(' ')
  const lines = [
    'Origin: Ingot',
    'Label: Ingot',
    `Suite: ${distribution}`,
    `Codename: ${distribution}`,
    `Components: ${unique(1)}`,
    `Architectures: ${unique(2)}`,
    `Date: ${new Date(now).toUTCString().replace('GMT', 'UTC')}`,
    'Acquire-By-Hash: yes',
  ]
  for (const [field, sum] of SUMS)
    lines.push(`${field}:`, ...listed.map(({ name, sums }) => ` ${sums[sum]} ${sums.size} ${name}`))
  return `${lines.join('\n')}\n`
}

interface Release {
  readonly distribution: string
  readonly listed: readonly Listed[]
  readonly text: string
}

async function putRelease(
  { owner, put }: IndexBuild,
  { distribution, text }: Release,
  keys: SigningKeys,
): Promise<void> {
  const signer = await keys.pgpSigner(owner)
  await put(`dists/${distribution}/Release`, text)
  await put(`dists/${distribution}/Release.gpg`, await signer.sign(Buffer.from(text)))
  await put(`dists/${distribution}/InRelease`, await signer.signClear(text))
}

/** Whether a file has this sum, by the name of its field in `Release`. */
export const hasSum = (file: ReceivedFile, field: string, hex: string): boolean => {
  const sum = SUMS.find(([name]) => name === field)?.[1]
  return sum !== undefined && file[sum] === hex.toLowerCase()
}
