import { parentPort, workerData } from 'node:worker_threads'
import Sqlite from 'better-sqlite3'

/** Requests to the thread, which reports when a checkpoint was attempted or ends. */
export type CheckpointRequest = 'checkpoint' | 'close'

const database = new Sqlite(workerData as string, { fileMustExist: true })
database.pragma('synchronous = NORMAL')
database.pragma('wal_autocheckpoint = 0')
database.pragma('cache_size = -64')
database.pragma('busy_timeout = 0')

/** NOTE: PASSIVE never waits for another connection nor blocks one. A later checkpoint does what this one cannot. */
function checkpoint(): void {
  try {
    database.pragma('wal_checkpoint(PASSIVE)')
  } catch {
    // NOTE: the disk is full or fails, or another process runs a checkpoint. The log keeps its frames.
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
