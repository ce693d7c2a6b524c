import { inParts, partSize, type S3Objects, sendParts } from '../../../../core/blobs/index.ts'
import type { Place, Stored } from './place.ts'

/** Three parts of an upload are in memory at once. Those of objects of more than 156 GiB are larger, up to 1.2 TiB. */
const PARTS = { partBytes: 16 * 1024 * 1024, maxPartBytes: 128 * 1024 * 1024, maxParts: 10_000 }

/** A folder of a bucket. `prefix` ends with a slash. */
export function bucketPlace(objects: S3Objects, prefix: string, label: string): Place {
  const key = (name: string): string => `${prefix}${name}`
  const open = async (name: string): Promise<AsyncIterable<Uint8Array> | undefined> =>
    (await objects.get(key(name), undefined, new AbortController().signal))?.body
  return {
    label,
    put: (name, data) => objects.put(key(name), data),
    async putStream(name, source, most) {
      const part = partSize(PARTS, most)
      const upload = await objects.begin(key(name))
      try {
        let sent = 0
        const counted = async function* (): AsyncGenerator<Uint8Array, void, undefined> {
          for await (const chunk of source) {
            sent += chunk.length
            yield chunk
          }
        }
        const tags = await sendParts(objects, upload, inParts(counted(), part))
        if (tags.length === 0) tags.push(await objects.sendPart(upload, 1, new Uint8Array()))
        await objects.complete(upload, tags)
        const size = await objects.size(key(name))
        if (size !== sent) throw new Error(`${name} has ${size ?? 'no'} bytes after an upload of ${sent}`)
      } catch (error) {
        await objects.abort(upload).catch(() => undefined)
        throw error
      }
    },
    async get(name) {
      const body = await open(name)
      return body && Buffer.concat(await Array.fromAsync(body))
    },
    async getVersion(name) {
      const found = await objects.get(key(name), undefined, new AbortController().signal)
      return found && { data: Buffer.concat(await Array.fromAsync(found.body)), version: found.tag }
    },
    replace: (name, data, version) => objects.putIf(key(name), data, version),
    open,
    async *list(folder, after = ''): AsyncGenerator<Stored, void, undefined> {
      for await (const { key: found, size } of objects.list(key(folder), after === '' ? '' : key(after)))
        yield { name: found.slice(prefix.length), size }
    },
    async folders(folder) {
      const found: string[] = []
      // NOTE: jumps behind each folder: '0' follows the slash.
      for (let after = ''; ;) {
        const first = await objects.list(key(folder), after)[Symbol.asyncIterator]().next()
        if (first.done === true) return found
        const [name = '', ...rest] = first.value.key.slice(key(folder).length).split('/')
        if (rest.length > 0) found.push(name)
        after = rest.length > 0 ? `${key(folder)}${name}0` : first.value.key
      }
    },
    remove: (name) => objects.remove(key(name)),
    async clean(before) {
      for await (const upload of objects.listUploads(prefix)) if (upload.begunAt < before) await objects.abort(upload)
    },
  }
}
