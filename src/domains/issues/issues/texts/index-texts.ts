import type { AppendSignal } from '../../../../core/events/index.ts'
import { WorkerLoop } from '../../../../core/platform/process/worker-loop.ts'
import type { Core, Worker } from '../../../../core/module.ts'
import { haveWaiting, type Indexed, indexWaiting, mergeIndexParts } from './issue-text.store.ts'

/** Texts of a quarter of a second share a part of the index, which costs a fraction of a part for each of them. */
const DELAY_MS = 250
/** Finds what a process that was killed left. */
const INTERVAL_MS = 30_000
/** Of one transaction: about 8 ms of processor time for each of the two. */
const BATCH = { limit: 64, length: 100_000 }
const MERGE_PAGES = 16

interface IndexerDeps extends Pick<Core, 'database' | 'log'> {
  readonly events: AppendSignal
}

/**
 * SQLite: adds texts that wait to the full-text index and merges its parts, in short transactions between those of
 * requests. Until then searches read these texts one by one. Any process of the server may do it, and several may.
 */
export function createTextIndexer({ database, events, log }: IndexerDeps): Worker {
  const indexSome = async (): Promise<Indexed> => {
    if (!(await haveWaiting(database.read))) return { count: 0, isMore: false }
    const indexed = await database.transaction((tx) => indexWaiting(tx, BATCH))
    while (await database.transaction((tx) => mergeIndexParts(tx, MERGE_PAGES)));
    return indexed
  }
  // NOTE: texts that came meanwhile wait for the next batch: under load each batch would else have a few of them.
  const loop = new WorkerLoop({ work: async () => (await indexSome()).isMore, interval: INTERVAL_MS, log })
  let timer: NodeJS.Timeout | undefined
  let unlisten: (() => void) | undefined
  const wakeLater = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined
      loop.wake()
    }, DELAY_MS).unref()
  }
  return {
    start() {
      unlisten = events.onAppended(wakeLater)
      loop.start()
    },
    async stop() {
      unlisten?.()
      clearTimeout(timer)
      await loop.stop()
    },
    async drain() {
      let indexed = await indexSome()
      const worked = indexed.count > 0
      while (indexed.isMore) indexed = await indexSome()
      return worked
    },
  }
}
