import { migrateStandalone, pendingStandalone } from '../app/migrations.ts'
import type { CommandInput } from './command.ts'

export async function migrateDatabase({ values, config, print }: CommandInput): Promise<number> {
  if (values['check']) {
    const pending = await pendingStandalone(config())
    print(pending.length === 0 ? 'The schema is up to date.' : `Pending migrations: ${pending.join(', ')}`)
    return pending.length === 0 ? 0 : 1
  }
  const applied = await migrateStandalone(config())
  print(applied.length === 0 ? 'The schema was already up to date.' : `Applied: ${applied.join(', ')}`)
  return 0
}
