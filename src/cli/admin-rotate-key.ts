import { rotateKey, type RotationOptions } from '../app/rotate-key.ts'
import type { CommandInput } from './command.ts'
import { withCore } from './with-core.ts'

const MAX_NAMED = 20

export async function rotateSecretKey(
  { config, print }: Pick<CommandInput, 'config' | 'print'>,
  options: RotationOptions = {},
): Promise<number> {
  const report = await withCore(config(), (core) => rotateKey(core, { progress: showProgress, ...options }))
  if (process.stderr.isTTY) process.stderr.write('\n')
  if (report.isContinued) print('Continued an interrupted rotation.')
  print(`Encrypted ${report.resealed} values with the current key.`)
  print(
    report.isConfigured
      ? 'No value depends on a former key any longer: security.former_secret_keys can be deleted from the configuration.'
      : 'The former key is deleted. Make a new backup now; earlier backups contain the former key and can still be restored.',
  )
  if (report.unreadable.length === 0) return 0
  print(`${report.unreadable.length} rows contain a value that no known key decrypts. They were not changed:`)
  for (const row of report.unreadable.slice(0, MAX_NAMED)) print(`  ${row}`)
  return 1
}

function showProgress(resealed: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${resealed}`)
}
