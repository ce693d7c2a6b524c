import { buffer } from 'node:stream/consumers'
import { rateLimitKeyOf, type SignedIn } from '../../../core/access/viewer.ts'
import { badRequest, tooLarge, unavailable } from '../../../core/platform/errors.ts'
import type { PackageContents, ReceivedFile } from '../packages/package-contents.service.ts'
import { TaskError, type TaskKind, type TaskPool } from '../../../core/platform/isolation/index.ts'

/**
 * Runs a task that reads metadata sent by a publisher. Throws BadRequest with the message of an error of the task, and
 * when the task takes too long or needs too much memory.
 */
export async function readMetadata<Input, Output>(
  taskPool: TaskPool,
  publisher: SignedIn,
  kind: TaskKind<Input, Output>,
  input: Input,
): Promise<Output> {
  try {
    return await taskPool.run(kind, input, rateLimitKeyOf(publisher, ''))
  } catch (error) {
    if (!(error instanceof TaskError)) throw error
    if (error.reason === 'failed') throw badRequest(error.message).causedBy(error)
    if (error.reason === 'time' || error.reason === 'memory')
      throw badRequest('the metadata of the package are too complex').causedBy(error)
    throw unavailable('the package could not be read, try again').causedBy(error)
  }
}

/** The whole of a stream that is expected to be short. Throws TooLarge, naming `what`. */
export async function readShort(source: AsyncIterable<Uint8Array>, maxBytes: number, what: string): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of source) {
    size += chunk.length
    if (size > maxBytes) throw tooLarge(`${what} has more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** The first bytes of a stored file, all of a short one. */
export const readHead = async (
  contents: PackageContents,
  { sha256, size }: ReceivedFile,
  maxBytes: number,
): Promise<Buffer> =>
  size === 0
    ? Buffer.alloc(0)
    : buffer(await contents.open({ sha256 }, { start: 0, end: Math.min(size, maxBytes) - 1 }))
