import { createHash, createPublicKey, createSign } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { pack } from 'tar-stream'
import { listOf, members, parseJson, textOf } from '../../../../core/platform/json-members.ts'
import type { User } from '../../../accounts/index.ts'
import type { ListedFile } from '../../packages/listed-files.store.ts'
import type { IndexKind } from '../../registry/indexes/package-indexes.service.ts'
import type { SigningKeys } from '../../registry/signing/signing-keys.service.ts'

export const type = 'alpine'
/** Packages of this architecture are listed under every one of their repository. */
export const ANY = 'noarch'

/** `APKINDEX.tar.gz` of all repositories of an owner (wiki.alpinelinux.org/wiki/Apk_spec). */
export const alpineIndex = (signingKeys: SigningKeys): IndexKind => ({
  type,
  key: 'rsa',
  async build({ owner, files, put }) {
    const { publicKey, privateKey } = await signingKeys.get(owner, 'rsa')
    for (const [folder, entries] of await foldersOf(files)) {
      const index = await promisify(gzip)(await tarOf({ DESCRIPTION: folder, APKINDEX: entries.join('\n') }))
      const signature = createSign('RSA-SHA1').update(index).sign(privateKey)
      const signed = await tarOf({ [`.SIGN.RSA.${keyName(owner, publicKey)}`]: signature })
      // The streams are read as one archive, which must not end after the signature.
      const head = await promisify(gzip)(signed.subarray(0, signed.length - END_OF_TAR))
      await put(`${folder}/APKINDEX.tar.gz`, Buffer.concat([head, index]))
    }
  },
})

const END_OF_TAR = 1024

function tarOf(files: Readonly<Record<string, string | Buffer>>): Promise<Buffer> {
  const tar = pack()
  for (const [name, content] of Object.entries(files)) tar.entry({ name, mtime: new Date(0) }, content)
  tar.finalize()
  return buffer(tar)
}

/** apk looks for a key of this name. */
export const keyName = ({ name }: User, publicKey: string): string => {
  const der = createPublicKey(publicKey).export({ type: 'spki', format: 'der' })
  return `${name}@${createHash('sha256').update(der).digest('hex')}.rsa.pub`
}

/** The entries of the index of each `branch/repository/architecture`. */
async function foldersOf(files: AsyncIterable<ListedFile>): Promise<Map<string, string[]>> {
  const folders = new Map<string, string[]>()
  for await (const file of files) {
    const folder = file.name.slice(0, file.name.lastIndexOf('/'))
    const lines = listOf(members(parseJson(file.metadata)?.value)['lines']).map((line) => textOf(line))
    const entries = folders.get(folder) ?? []
    folders.set(folder, entries)
    entries.push([...lines, `S:${file.size}`, ''].join('\n'))
  }
  for (const [folder, entries] of folders) {
    const any = folders.get(`${folder.slice(0, folder.lastIndexOf('/'))}/${ANY}`)
    if (any !== undefined && any !== entries) for (const entry of any) entries.push(entry)
  }
  return folders
}
