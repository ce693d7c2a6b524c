import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { pack } from 'tar-stream'
import { listOf, members, type Members, parseJson, textOf } from '../../../../core/platform/json-members.ts'
import type { User } from '../../../accounts/index.ts'
import type { ListedFile } from '../../packages/listed-files.store.ts'
import type { PackageContents } from '../../packages/package-contents.service.ts'
import type { PackageFile } from '../../packages/package.store.ts'
import type { IndexKind } from '../../registry/indexes/package-indexes.service.ts'
import type { SigningKeys } from '../../registry/signing/signing-keys.service.ts'
import { vercmp } from './vercmp.ts'

export const type = 'arch'
/** Packages of this architecture are in the database of every one of their repository. */
export const ANY = 'any'

interface Signing {
  readonly contents: PackageContents
  readonly signingKeys: SigningKeys
}

/** Databases of all repositories of an owner (pacman, repo-add(8)); each names the newest version of a package. */
export const archIndex = ({ contents, signingKeys }: Signing): IndexKind => ({
  type,
  key: 'openpgp',
  async build({ owner, files, put }) {
    const signer = await signingKeys.pgpSigner(owner)
    for (const [folder, newest] of await foldersOf(files)) {
      const [database, withFiles] = [pack(), pack()]
      const written = [buffer(database), buffer(withFiles)]
      for (const file of newest.values()) {
        const name = `${file.package}-${file.version}`
        const stored = storedOf(file)
        const signature = await signatureOf({ contents, signingKeys }, owner, file)
        const desc = descOf(file, stored, signature)
        for (const tar of [database, withFiles]) {
          tar.entry({ name: `${name}/`, type: 'directory', mtime: new Date(0) })
          tar.entry({ name: `${name}/desc`, mtime: new Date(0) }, desc)
        }
        const paths = listOf(stored['files']).map((path) => textOf(path))
        withFiles.entry({ name: `${name}/files`, mtime: new Date(0) }, `%FILES%\n${paths.join('\n')}\n`)
      }
      database.finalize()
      withFiles.finalize()
      for (const [kind, archive] of [
        ['db', written[0]!],
        ['files', written[1]!],
      ] as const) {
        const bytes = await promisify(gzip)(await archive)
        await put(`${folder}/${kind}`, bytes)
        await put(`${folder}/${kind}.sig`, await signer.signBinary(once(bytes)))
      }
    }
  },
})

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}

/** The content of `package_file.metadata`. */
const storedOf = ({ metadata }: Pick<PackageFile, 'metadata'>): Members => members(parseJson(metadata)?.value)

/** The newest version of each package, by `repository/architecture`. */
async function foldersOf(files: AsyncIterable<ListedFile>): Promise<Map<string, Map<string, ListedFile>>> {
  const folders = new Map<string, Map<string, ListedFile>>()
  const add = (newest: Map<string, ListedFile>, file: ListedFile): void => {
    const known = newest.get(file.package)
    if (known === undefined || vercmp(known.version, file.version) < 0) newest.set(file.package, file)
  }
  for await (const file of files) {
    const folder = file.name.slice(0, file.name.lastIndexOf('/'))
    const newest = folders.get(folder) ?? new Map<string, ListedFile>()
    folders.set(folder, newest)
    add(newest, file)
  }
  for (const [folder, newest] of folders) {
    const any = folders.get(`${folder.slice(0, folder.lastIndexOf('/'))}/${ANY}`)
    if (any !== undefined && any !== newest) for (const file of any.values()) add(newest, file)
  }
  return folders
}

function descOf(file: ListedFile, stored: Members, signature: Buffer): string {
  const own = {
    FILENAME: [file.name.slice(file.name.lastIndexOf('/') + 1)],
    CSIZE: [String(file.size)],
    MD5SUM: [file.md5],
    SHA256SUM: [file.sha256],
    PGPSIG: [signature.toString('base64')],
  }
  return Object.entries({ ...own, ...members(stored['sections']) })
    .map(
      ([name, values]) =>
        `%${name}%\n${listOf(values)
          .map((value) => `${textOf(value)}\n`)
          .join('')}\n`,
    )
    .join('')
}

/** The signature of a package by the key of its owner; created again, and stored, after the key was replaced. */
export async function signatureOf({ contents, signingKeys }: Signing, owner: User, file: PackageFile): Promise<Buffer> {
  const stored = storedOf(file)
  const { id } = await signingKeys.get(owner, 'openpgp')
  if (stored['signedBy'] === id) return Buffer.from(textOf(stored['signature']), 'base64')
  const signer = await signingKeys.pgpSigner(owner)
  const signature = await signer.signBinary(await contents.open(file))
  const metadata = JSON.stringify({ ...stored, signature: signature.toString('base64'), signedBy: id })
  await contents.setFileMetadata(file, metadata)
  return signature
}
