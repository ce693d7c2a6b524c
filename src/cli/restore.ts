import { resolve } from 'node:path'
import { openBackupBucket } from '../app/storage.ts'
import { createLogger } from '../core/platform/logger.ts'
import { parseTimestamp } from '../core/platform/timestamp.ts'
import {
  type Destination,
  filesUntil,
  listSeries,
  timeText,
  openDestination,
  restore,
} from '../domains/operations/index.ts'
import { type CommandInput, text, UsageError } from './command.ts'

/** Creates a data directory from a continuous backup, or lists its points in time. */
export async function runRestore({ values, config, print }: CommandInput): Promise<number> {
  const [to, from, wanted] = [text(values, 'to'), text(values, 'from'), text(values, 'at')]
  if ((to === undefined) === (values['list'] !== true)) throw new UsageError('one of --to and --list must be given')
  const at = wanted === undefined ? Infinity : parseTimestamp(wanted)
  if (at === undefined)
    throw new UsageError(`--at is ${wanted}; allowed: a time in RFC 3339, such as 2027-01-31T12:00:00Z`)
  const settings = config()
  const bucket = from === undefined ? openBackupBucket(settings, createLogger('warn')) : undefined
  try {
    const destination = openDestination(
      from === undefined ? settings.backup : { kind: 'local', directory: from },
      bucket,
    )
    if (destination === undefined) throw new UsageError('set --from or the section backup of the configuration')
    if (to === undefined) return await list(destination, print)
    const restored = await restore({ destination, at, to: resolve(to), progress: showProgress })
    const { database } = restored
    if (database !== undefined) print(`The database is restored as of ${timeText(database.time)}.`)
    if (database?.gapUntil !== undefined) print(`Nothing was copied from then until ${timeText(database.gapUntil)}.`)
    if (restored.filesUntil !== undefined && (database === undefined || restored.filesUntil < database.time))
      print(`Repositories and files were copied until ${timeText(restored.filesUntil)}.`)
    print(`To use it: ingot serve --data-dir ${resolve(to)}`)
    return 0
  } finally {
    bucket?.objects.close()
  }
}

async function list(destination: Destination, print: (text: string) => void): Promise<number> {
  const all = await listSeries(destination)
  for (const { from, to, snapshots, merged, segments } of all)
    print(
      `${timeText(from)}  ${timeText(to)}  ${snapshots.length} snapshots, ${merged.length} merged files, ${segments.length} segments`,
    )
  if (all.length === 0) print(`${destination.label} has no complete copy of a database.`)
  const files = await filesUntil(destination)
  if (files !== undefined) print(`Repositories and files: until ${timeText(files)}`)
  return all.length === 0 && files === undefined ? 1 : 0
}

const showProgress = (line: string): void => void process.stderr.write(`${line}\n`)
