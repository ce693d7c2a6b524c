import { migrateStoredFiles } from '../app/storage.ts'
import { type CommandInput, text, UsageError } from './command.ts'
import { withCore } from './with-core.ts'

const MB = 1_000_000
const MAX_NAMED = 20

/** Returns 0 if the target has every file, 1 if some could not be copied. */
export async function migrateStorage({ values, config, print }: CommandInput): Promise<number> {
  const to = text(values, 'to')
  if (to !== 's3' && to !== 'local') throw new UsageError(`--to is s3 or local, got ${to}`)
  const settings = config()
  const deleteSource = values['delete-source'] === true
  if (deleteSource && settings.storage.kind !== to)
    throw new UsageError(`--delete-source needs storage.kind = "${to}", and a server that was started with it`)
  const verify = values['verify'] !== false
  const { copied, bytes, present, deleted, failures } = await withCore(settings, (core) =>
    migrateStoredFiles(core, { to, verify, deleteSource }, showProgress),
  )
  if (process.stderr.isTTY) process.stderr.write('\n')
  print(`Copied ${copied} files, ${(bytes / MB).toFixed(1)} MB; ${present} already existed.`)
  if (deleteSource) print(`Deleted ${deleted} source files.`)
  if (settings.storage.kind !== to)
    print(
      `New files are still stored in ${settings.storage.kind}: set storage.kind = "${to}", restart the server, and run this again.`,
    )
  if (failures.length === 0) return 0
  print(`${failures.length} files could not be copied:`)
  for (const failure of failures.slice(0, MAX_NAMED)) print(`  ${failure}`)
  return 1
}

function showProgress({ done, total, bytes }: { done: number; total: number; bytes: number }): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${done} of ${total} files, ${(bytes / MB).toFixed(0)} MB copied`)
}
