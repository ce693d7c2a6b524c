import type { Insertable, Selectable, Updateable } from 'kysely'
import { type Db, dialectOf, type Tx } from '../../../core/db/database.ts'
import { countRows, selectPage } from '../../../core/db/page.ts'
import { cachedUntilCommit } from '../../../core/db/read-cache.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import { asId, type SignInSourceId } from '../../../core/platform/crypto/ids.ts'
import { toUser, type User } from '../users/user.store.ts'
import type { SourceKind } from './source-kind.ts'
import { readReport, type SyncReport } from './sync-report.ts'
import type { SignInSourceTable } from './sign-in-source.table.ts'

/** A sign-in source with its settings still encrypted. Times are epoch milliseconds. */
export interface SealedSource {
  readonly id: SignInSourceId
  readonly kind: string
  readonly name: string
  readonly isActive: boolean
  readonly sealed: string
  /** Undefined before the first synchronization. */
  readonly synchronized: { readonly at: number; readonly report: SyncReport } | undefined
  readonly createdAt: number
  readonly updatedAt: number
}

const toSource = (row: Selectable<SignInSourceTable>): SealedSource => ({
  id: asId(row.id),
  kind: row.kind,
  name: row.name,
  isActive: row.is_active === 1,
  sealed: row.settings,
  synchronized: reportOf(row),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

function reportOf(row: Selectable<SignInSourceTable>): SealedSource['synchronized'] {
  const report = readReport(row.sync_report)
  return report && { at: row.synchronized_at, report }
}

/** All sources, ordered by id. */
export const listSources = (db: Db, paging: Paging): Promise<Page<SealedSource>> =>
  selectPage(db.selectFrom('sign_in_source').selectAll().orderBy('id'), paging, toSource)

/** Active sources, ordered by id. */
export const listActiveSources = (db: Db): Promise<readonly SealedSource[]> =>
  cachedUntilCommit(db, 'sign_in_source.active', async () =>
    (await db.selectFrom('sign_in_source').selectAll().where('is_active', '=', 1).orderBy('id').execute()).map(
      toSource,
    ),
  )

export const findSource = (db: Db, id: SignInSourceId): Promise<SealedSource | undefined> =>
  cachedUntilCommit(db, `sign_in_source.id ${id}`, async () => {
    const row = await db.selectFrom('sign_in_source').selectAll().where('id', '=', id).executeTakeFirst()
    return row && toSource(row)
  })

/** The match ignores case. */
export async function findSourceByName(db: Db, name: string): Promise<SealedSource | undefined> {
  const row = await db
    .selectFrom('sign_in_source')
    .selectAll()
    .where('lower_name', '=', name.toLowerCase())
    .executeTakeFirst()
  return row && toSource(row)
}

/** Locks the source until the transaction ends; false if it does not exist. */
export async function lockSource(tx: Tx, id: SignInSourceId): Promise<boolean> {
  const query = tx.selectFrom('sign_in_source').select('id').where('id', '=', id)
  return (await dialectOf(tx).lockToDelete(query).execute()).length > 0
}

export const countAccountsOf = (db: Db, id: SignInSourceId): Promise<number> =>
  countRows(db.selectFrom('user').select('id').where('source_id', '=', id))

/** Returns the id; `settings` are written later, because they are encrypted for this row. */
export async function insertSource(
  tx: Tx,
  values: Omit<Insertable<SignInSourceTable>, 'id' | 'lower_name' | 'settings'>,
): Promise<SignInSourceId> {
  const { id } = await tx
    .insertInto('sign_in_source')
    .values({ ...values, lower_name: values.name.toLowerCase() })
    .returning('id')
    .executeTakeFirstOrThrow()
  return asId(id)
}

export async function updateSource(
  tx: Tx,
  id: SignInSourceId,
  values: Omit<Updateable<SignInSourceTable>, 'id' | 'lower_name'>,
): Promise<void> {
  const names = values.name === undefined ? {} : { lower_name: values.name.toLowerCase() }
  await tx
    .updateTable('sign_in_source')
    .set({ ...values, ...names })
    .where('id', '=', id)
    .execute()
}

/** The identities of the source are deleted with it. */
export async function deleteSource(tx: Tx, id: SignInSourceId): Promise<void> {
  await tx.deleteFrom('sign_in_source').where('id', '=', id).execute()
}

/**
 * The account that an administrator bound to a login name of the source. Directories ignore the case of names, so one in
 * lower case is found too; the subjects of providers differ by it (OpenID Connect Core, section 2).
 */
export async function findBoundUser(
  db: Db,
  { id, kind }: { readonly id: SignInSourceId; readonly kind: SourceKind },
  loginName: string,
): Promise<User | undefined> {
  const row = await db
    .selectFrom('user')
    .selectAll()
    .where('source_id', '=', id)
    .where('login_name', 'in', kind === 'ldap' ? [loginName, loginName.toLowerCase()] : [loginName])
    .where('kind', '=', 'individual')
    .orderBy('id')
    .executeTakeFirst()
  return row && toUser(row)
}
