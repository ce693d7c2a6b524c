import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { performance } from 'node:perf_hooks'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TempDir } from '../system/processes.ts'

const POLL_MS = 20

/** What has arrived; times in epoch milliseconds with fractions. */
interface Arrivals {
  readonly count: number
  /** When the request of the first one began. */
  readonly first: number
  readonly last: number
  /** The numbers in the titles of issues, -1 for another payload, by the path of the address in their order. */
  readonly numbers: Readonly<Record<string, readonly number[]>>
}

export interface Receiver {
  readonly url: string
  /** Address of a server that accepts connections and never answers. */
  readonly silentUrl: string
  clear(): Promise<void>
  /** Waits until so many have arrived, or for this many ms. */
  waitFor(count: number, patience: number): Promise<Arrivals>
  stop(): Promise<void>
}

export async function startReceiver(tempDir: TempDir): Promise<Receiver> {
  const child = tempDir.start(process.execPath, [fileURLToPath(new URL('receiver.ts', import.meta.url))], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string]
  const [url, silentUrl] = line.split(' ') as [string, string]
  const ask = async (method: string): Promise<Arrivals> => (await fetch(url, { method })).json() as Promise<Arrivals>
  return {
    url,
    silentUrl,
    clear: async () => void (await ask('DELETE')),
    async waitFor(count, patience) {
      const end = performance.now() + patience
      for (;;) {
        const arrivals = await ask('GET')
        if (arrivals.count >= count || performance.now() > end) return arrivals
        await sleep(POLL_MS)
      }
    },
    stop: () => tempDir.stop(child),
  }
}
