import { createHash, randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { S3TestServer } from '../../harness/s3-server.ts'
import type { TestServer } from '../../harness/server.ts'
import { PASSWORD, type Person } from '../../harness/world.ts'

/** Fewer and shorter attempts to reach the bucket, for tests where it fails. */
export const BUCKET_TUNING = { storage: { attempts: 2, timeoutMs: 10_000 } }

/** Settings by dotted name for a server that uses the bucket. */
export const bucketSettings = (
  { url, bucket, keys }: Pick<S3TestServer, 'bucket' | 'keys' | 'url'>,
  more: Readonly<Record<string, string>> = {},
): Record<string, string> => ({
  'storage.kind': 's3',
  'storage.endpoint': url,
  'storage.bucket': bucket,
  'storage.path_style': 'true',
  'storage.access_key': keys.id,
  'storage.secret_key': keys.secret,
  ...more,
})

/** The same for the command line. */
export const asFlags = (settings: Readonly<Record<string, string>>): string[] =>
  Object.entries(settings).flatMap(([name, value]) => ['--set', `${name}=${value}`])

export const oidOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

export const localFiles = (dataDir: string): string[] =>
  readdirSync(join(dataDir, 'blobs'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)
    .toSorted()

const basicOf = ({ name }: Person): { authorization: string } => ({
  authorization: `Basic ${Buffer.from(`${name}:${PASSWORD}`).toString('base64')}`,
})
const LFS = 'application/vnd.git-lfs+json'

/** Requests about large files of the repository `path`, which is `owner/name`. */
export function lfsOf({ url }: TestServer, path: string) {
  const base = `${url}/${path}.git/info/lfs`
  return {
    async put(person: Person, bytes = randomBytes(60_000)): Promise<{ status: number; oid: string; bytes: Buffer }> {
      const oid = oidOf(bytes)
      const { status } = await fetch(`${base}/objects/${oid}/${bytes.length}`, {
        method: 'PUT',
        headers: basicOf(person),
        body: bytes as Uint8Array<ArrayBuffer>,
      })
      return { status, oid, bytes }
    },
    get: (person: Person | undefined, oid: string, init: Init = {}): Promise<Response> =>
      fetch(`${base}/objects/${oid}`, { ...init, headers: { ...(person && basicOf(person)), ...init.headers } }),
    async batch(person: Person | undefined, oid: string, size: number) {
      const answer = await fetch(`${base}/objects/batch`, {
        method: 'POST',
        headers: { accept: LFS, 'content-type': LFS, ...(person && basicOf(person)) },
        body: JSON.stringify({ operation: 'download', objects: [{ oid, size }] }),
      })
      return { status: answer.status, json: (await answer.json().catch(() => undefined)) as never as LfsAnswer }
    },
  }
}

interface Init {
  readonly headers?: Readonly<Record<string, string>>
  readonly redirect?: 'manual'
}

interface LfsAnswer {
  readonly objects: readonly {
    readonly authenticated?: boolean
    readonly actions: {
      readonly download: { readonly href: string; readonly expires_in?: number; readonly header?: object }
    }
  }[]
}

export const readBody = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer())
