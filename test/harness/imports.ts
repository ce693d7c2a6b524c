import type { App } from '../../src/app/modules.ts'

interface NewImportRow {
  readonly actorId: number
  readonly name: string
  /** Encrypted; empty for none. */
  readonly request?: string
}

/** The row of an import that has ended; its id. */
export async function addEndedImport(
  { database }: Pick<App, 'database'>,
  { actorId, name, request = '' }: NewImportRow,
): Promise<number> {
  const at = 86_400_000
  const row = {
    storage: `ended/${name}`,
    reserved_name: `ended/${name}`,
    state: 'failed' as const,
    actor_id: actorId,
    owner_id: actorId,
    name,
    request,
    created_at: at,
    updated_at: at,
    ended_at: at,
  }
  return database.transaction(
    async (tx) => (await tx.insertInto('repo_import').values(row).returning('id').executeTakeFirstOrThrow()).id,
  )
}
