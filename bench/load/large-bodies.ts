import { Readable } from 'node:stream'
import { cpuOf } from '../system/process-tree.ts'

export const MIB = 1024 * 1024

/** Bytes that differ from one MiB to the next. */
export function* chunksOf(mebibytes: number): Generator<Buffer> {
  for (let i = 0; i < mebibytes; i++) {
    const chunk = Buffer.alloc(MIB, i % 251)
    chunk.writeUInt32LE(i)
    yield chunk
  }
}

/** Sends them in one request, which is answered with 201. */
export const sendChunks = (
  url: string,
  method: string,
  mebibytes: number,
  headers: Record<string, string> = {},
): Promise<Headers> =>
  expectStatus(201, url, {
    method,
    headers: { ...headers, 'content-type': 'application/octet-stream', 'content-length': String(mebibytes * MIB) },
    body: Readable.toWeb(Readable.from(chunksOf(mebibytes), { objectMode: false })) as ReadableStream,
    duplex: 'half',
  })

/** Reads the whole answer without storing it; fails for another status. */
export async function expectStatus(
  status: number,
  url: string,
  init: RequestInit & { readonly duplex?: 'half' },
): Promise<Headers> {
  const answer = await fetch(url, init)
  if (answer.status !== status) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`)
  for await (const _ of answer.body ?? []);
  return answer.headers
}

/** CPU time in ms that these processes and their children use during the load. */
export async function costOf(pids: readonly number[], work: () => Promise<unknown>): Promise<number> {
  const spent = (): number => pids.reduce((sum, pid) => sum + cpuOf(pid), 0)
  const before = spent()
  await work()
  return spent() - before
}
