import type { User } from '../../../src/domains/accounts/index.ts'
import { insertUser } from '../../harness/rows.ts'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Tx } from '../../../src/core/db/database.ts'
import { keepReturned, rowById } from '../../../src/core/db/transaction-rows.ts'
import { findUserById, lockUsers, updateUser } from '../../../src/domains/accounts/users/user.store.ts'
import { describeOnBoth, freshDatabase, type TestDatabase } from '../../harness/databases.ts'
import { statementsOf } from '../../harness/statements.ts'

describeOnBoth('rows that a transaction has read', (kind) => {
  let db: TestDatabase
  let id: User['id']
  const at = { created_at: 1, updated_at: 1 }
  beforeAll(async () => {
    db = await freshDatabase(kind)
    id = await db.database.transaction((tx) =>
      insertUser(tx, { kind: 'individual', name: 'ann', lower_name: 'ann', ...at }),
    )
  })
  afterAll(() => db.close())

  const nameIn = async (tx: Tx): Promise<string> => (await findUserById(tx, id))!.fullName
  /** How often `work` reads the user. */
  const readsOf = async (work: (tx: Tx) => Promise<unknown>): Promise<number> => {
    const sent = await statementsOf(db.database, () => db.database.transaction(work))
    return sent.filter((text) => /^select \* from "user" where "id" = \S+$/.test(text)).length
  }

  it('are not read again after reads and inserts', async () => {
    const reads = await readsOf(async (tx) => {
      await nameIn(tx)
      await tx.selectFrom('repo').select('id').execute()
      await tx
        .insertInto('user')
        .values({ kind: 'bot', name: 'bot', lower_name: 'bot', ...at })
        .execute()
      await nameIn(tx)
    })
    expect(reads).toBe(1)
  })

  it('are read again after the transaction changed anything', async () => {
    const reads = await readsOf(async (tx) => {
      await updateUser(tx, id, { full_name: 'One' })
      expect(await nameIn(tx)).toBe('One')
      await updateUser(tx, id, { full_name: 'Two' })
      expect(await nameIn(tx)).toBe('Two')
      await tx.deleteFrom('user').where('lower_name', '=', 'bot').execute()
      expect(await nameIn(tx)).toBe('Two')
    })
    expect(reads).toBe(3)
  })

  /** How often a row of labels and their repositories is read in `work`, which is given what asks for it. */
  const joinedReadsOf = async (work: (tx: Tx, ask: () => Promise<unknown>) => Promise<unknown>): Promise<number> => {
    let reads = 0
    await db.database.transaction((tx) =>
      work(tx, () => rowById(tx, ['label', 'repo'], 7, async () => ({ id: 7, read: ++reads }))),
    )
    return reads
  }
  const touch = (tx: Tx, table: 'milestone' | 'repo'): Promise<unknown> =>
    tx.updateTable(table).set({ updated_at: 2 }).where('id', '=', 0).execute()

  it('are read again after changes of other tables only where other transactions write meanwhile', async () => {
    const reads = await joinedReadsOf(async (tx, ask) => {
      await ask()
      await touch(tx, 'milestone')
      await ask()
    })
    expect(reads).toBe(kind === 'sqlite' ? 1 : 2)
  })

  it('are read again after changes of any table that they are read from, and after deletions', async () => {
    const reads = await joinedReadsOf(async (tx, ask) => {
      await ask()
      await touch(tx, 'repo')
      await ask()
      await tx.deleteFrom('milestone').where('id', '=', 0).execute()
      await ask()
      await sql`update milestone set updated_at = 2 where id = 0`.execute(tx)
      await ask()
    })
    expect(reads).toBe(4)
  })

  it('are not read again after changes of other tables when the transaction has locked them', async () => {
    const reads = await joinedReadsOf(async (tx, ask) => {
      await keepReturned(tx, ['label', 'repo'], Promise.resolve([{ id: 7 }]), (row) => row.id)
      await touch(tx, 'milestone')
      await lockUsers(tx, [id])
      expect(await ask()).toEqual({ id: 7 })
      await touch(tx, 'repo')
      expect(await ask()).toEqual({ id: 7, read: 1 })
    })
    expect(reads).toBe(1)
  })

  it('are read again by the next transaction, and when a change came between a read and its answer', async () => {
    await db.database.transaction(async (tx) => {
      const [before] = await Promise.all([nameIn(tx), updateUser(tx, id, { full_name: 'Three' })])
      expect([before, await nameIn(tx)]).toEqual(['Two', 'Three'])
    })
    expect(await readsOf(nameIn)).toBe(1)
  })

  it('are read by nobody after its end', async () => {
    const ended = await db.database.transaction(async (tx) => ({ tx }))
    await expect(nameIn(ended.tx)).rejects.toThrow('the transaction has ended')
  })

  // SQLite has one writer, which waits for no other.
  if (kind === 'postgres')
    it('are read again after a wait for the lock of another transaction', async () => {
      const { promise: mayCommit, resolve: commit } = Promise.withResolvers<void>()
      const { promise: hasLocked, resolve: locked } = Promise.withResolvers<void>()
      const other = db.database.transaction(async (tx) => {
        await updateUser(tx, id, { full_name: 'Four' })
        locked()
        await mayCommit
      })
      await hasLocked
      await db.database.transaction(async (tx) => {
        expect(await nameIn(tx)).toBe('Three')
        const waiting = lockUsers(tx, [id])
        commit()
        await waiting
        expect(await nameIn(tx)).toBe('Four')
      })
      await other
    })
})
