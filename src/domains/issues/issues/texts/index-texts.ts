import type { AppendSignal } from '../../../../core/events/index.ts'
import { WorkerLoop } from '../../../../core/platform/process/worker-loop.ts'
import type { Core, Worker } from '../../../../core/module.ts'
import { haveWaiting, type Indexed, indexWaiting, mergeIndexParts } from './issue-text.store.ts'

/** Texts within a quarter of a second share one part of the index, which is much cheaper than one part each. */
const DELAY_MS = 250
/** The interval at which texts of a killed process are found. */
const INTERVAL_MS = 30_000
/** The limits of one transaction: about 8 ms of CPU time for each of the two. */
const BATCH = { limit: 64, length: 100_000 }
const MERGE_PAGES = 16

interface IndexerDeps extends Pick<Core, 'database' | 'log'> {
  readonly events: AppendSignal
}

/**
 * SQLite: adds waiting texts to the full-text index and merges its parts, in short transactions between those of
 * requests. Until then searches scan these texts. Any process of the server may run it, also several at once.
 */
export function createTextIndexer({ database, events, log }: IndexerDeps): Worker {
  const indexSome = async (): Promise<Indexed> => {
    if (!(await haveWaiting(database.read))) return { count: 0, isMore: false }
    const { indexed, isMerging } = await database.transaction(async (tx) => {
      const indexed = await indexWaiting(tx, BATCH)
      // A full batch takes as long as a transaction may take.
      return { indexed, isMerging: indexed.isMore || (await mergeIndexParts(tx, MERGE_PAGES)) }
    })
    if (isMerging) while (await database.transaction((tx) => mergeIndexParts(tx, MERGE_PAGES)));
    return indexed
  }
  // NOTE: new texts wait for the next batch; otherwise each batch would contain only a few under load.
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
