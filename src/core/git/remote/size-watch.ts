import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { RemoteError } from './remote-error.ts'

const LOOK_MS = 1_000

/**
 * Runs a fetch into an objects directory and ends it when its packs have grown beyond `maxBytes`: git itself has no
 * bound for what it fetches. Throws RemoteError then. The bound may be passed by what arrives in a second.
 */
export async function withinSize<T>(
  objects: string,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (!Number.isFinite(maxBytes)) return task(signal)
  const tooLarge = new AbortController()
  const refusal = (): RemoteError =>
    new RemoteError(
      'failed',
      `the repository is larger than the ${Math.round(maxBytes / 1024 / 1024)} MiB that this server takes`,
    )
  const check = async (): Promise<void> => {
    if ((await packBytes(objects)) > maxBytes) tooLarge.abort()
  }
  const timer = setInterval(() => void check().catch(() => {}), LOOK_MS)
  try {
    const result = await task(AbortSignal.any([signal, tooLarge.signal]))
    await check()
    if (tooLarge.signal.aborted) throw refusal()
    return result
  } catch (error) {
    throw tooLarge.signal.aborted && !signal.aborted ? refusal() : error
  } finally {
    clearInterval(timer)
  }
}

/** Of finished and growing packs. */
async function packBytes(objects: string): Promise<number> {
  const folder = join(objects, 'pack')
  const names = await readdir(folder).catch(() => [])
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(folder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}
