import { parentPort, workerData } from 'node:worker_threads'
import Sqlite from 'better-sqlite3'

/** What the thread is asked for: it says when a checkpoint was tried, and ends. */
export type CheckpointRequest = 'checkpoint' | 'close'

const database = new Sqlite(workerData as string, { fileMustExist: true })
database.pragma('synchronous = NORMAL')
database.pragma('wal_autocheckpoint = 0')
database.pragma('cache_size = -64')
database.pragma('busy_timeout = 0')

/** NOTE: PASSIVE waits for no other connection, and none waits for it. What it cannot do now, a later one does. */
function checkpoint(): void {
  try {
    database.pragma('wal_checkpoint(PASSIVE)')
  } catch {
    // NOTE: the disk is full or fails, or another process runs one. The log keeps what it has.
  }
}

parentPort!.on('message', (request: CheckpointRequest) => {
  if (request === 'checkpoint') {
    checkpoint()
    return parentPort!.postMessage('done')
  }
  database.close()
  parentPort!.close()
})
