import { afterAll, beforeAll, expect, it } from 'vitest'
import { commandLine } from '../../src/core/access/viewer.ts'
import { freshCore, type TestCore } from '../harness/core.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { rows } from '../harness/expect.ts'

const DAY_MS = 86_400_000
const LIVE = new AbortController().signal

describeOnBoth('the table of the audit log', (kind) => {
  let db: TestCore
  let now = 1_000 * DAY_MS

  beforeAll(async () => {
    db = await freshCore(kind, { settings: { 'audit.days': '30' }, clock: { now: () => now } })
  })
  afterAll(() => db.close())

  const makeUser = (name: string) =>
    db.core.users.create(commandLine, { name, email: `${name}@example.test`, password: 'a long password' })

  it('refuses changes of entries', async () => {
    await makeUser('ann')
    const [entry] = await rows(db, 'audit_entry')
    expect(entry).toMatchObject({ action: 'user.created', target_name: 'ann', credential: 'command-line' })
    const forge = db.database.transaction((tx) => tx.updateTable('audit_entry').set({ actor_name: 'eve' }).execute())
    await expect(forge).rejects.toThrow('audit entries are never changed')
    expect(await rows(db, 'audit_entry')).toEqual([entry])
  })

  it('has an entry only when the change is committed', async () => {
    const user = await makeUser('bob')
    const before = await rows(db, 'audit_entry')
    const undone = db.database.transaction(async (tx) => {
      const origin = { actor: { account: user }, repoId: 0, at: now }
      await db.events.append(tx, 'user.credentials_changed', origin, { user_id: user.id })
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    expect(await rows(db, 'audit_entry')).toEqual(before)
  })

  it('retains entries for the configured days, and deletes more than a batch of older ones', async () => {
    await db.database.transaction(async (tx) => {
      for (let number = 0; number < 1_100; number++)
        await db.events.append(
          tx,
          'user.sign_in_failed',
          { actor: commandLine, repoId: 0, at: now },
          { user_id: 0, attempts: 1 },
        )
    })
    now += 30 * DAY_MS
    await makeUser('cid')
    await db.core.auditLog.prune(LIVE)
    expect((await rows(db, 'audit_entry')).length).toBeGreaterThan(1_100)
    now += 1
    await db.core.auditLog.prune(LIVE)
    expect((await rows(db, 'audit_entry')).map(({ target_name }) => target_name)).toEqual(['cid'])
  })

  it('is read in order, in batches', async () => {
    await db.database.transaction(async (tx) => {
      for (let number = 0; number < 1_001; number++)
        await db.events.append(
          tx,
          'user.sign_in_failed',
          { actor: commandLine, repoId: 0, at: now },
          { user_id: 0, attempts: number },
        )
    })
    const attempts: number[] = []
    for await (const entry of db.core.auditLog.each({ action: 'sign-in.failed' }))
      attempts.push((JSON.parse(entry.details) as { attempts: number }).attempts)
    expect(attempts).toEqual(Array.from({ length: 1_001 }, (_, number) => number))
  })
})

describeOnBoth('audit.days = 0', (kind) => {
  it('retains entries for ever', async () => {
    let now = 1_000
    const db = await freshCore(kind, { settings: { 'audit.days': '0' }, clock: { now: () => now } })
    try {
      await db.core.users.create(commandLine, { name: 'ann', email: 'a@example.test', password: 'a long password' })
      now += 40_000 * DAY_MS
      await db.core.auditLog.prune(LIVE)
      expect(await rows(db, 'audit_entry')).toHaveLength(1)
    } finally {
      await db.close()
    }
  })
})
