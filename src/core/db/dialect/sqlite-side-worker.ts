import { parentPort, workerData } from 'node:worker_threads'
import Sqlite from 'better-sqlite3'
import type { SideFiles, SideQuery, SideResult } from './sqlite-side.ts'

const BUSY_DEADLINE_MS = 30_000
const MAX_STATEMENTS = 200

/** NOTE: a statement may wait for another process here: it stops nothing but this thread. */
function open({ side, main }: SideFiles): Sqlite.Database {
  const opened = new Sqlite(main ?? side, { readonly: main !== undefined, timeout: BUSY_DEADLINE_MS })
  // NOTE: a loss of power may lose the last transactions, but no part of one; they can be computed again.
  if (main === undefined) opened.pragma('synchronous = NORMAL')
  else opened.prepare('attach ? as side').run(side)
  opened.pragma('cache_size = -16000')
  opened.pragma('temp_store = MEMORY')
  return opened
}

function main(): void {
  const database = open(workerData as SideFiles)
  const statements = new Map<string, Sqlite.Statement>()

  function prepare(text: string): Sqlite.Statement {
    const known = statements.get(text)
    if (known !== undefined) return known
    if (statements.size === MAX_STATEMENTS) statements.clear()
    const statement = database.prepare(text)
    statements.set(text, statement)
    return statement
  }

  function answer({ id, sql, parameters }: SideQuery): SideResult {
    try {
      const statement = prepare(sql)
      if (statement.reader) return { id, rows: statement.all(...parameters) }
      statement.run(...parameters)
      return { id, rows: [] }
    } catch (error) {
      return { id, rows: [], error: (error as Error).message }
    }
  }

  parentPort!.on('message', (message: SideQuery | 'close') => {
    if (message !== 'close') return parentPort!.postMessage(answer(message))
    database.close()
    parentPort!.close()
  })
}

main()
