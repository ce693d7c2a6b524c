import { insertUser } from '../../../../test/harness/rows.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { UserId } from '../../../core/platform/crypto/ids.ts'
import { claimPublicKey, deleteUserKey, findKeyUse, insertUserKey } from './public-key.store.ts'
import { listUsers } from '../users/user-list.store.ts'
import { lockActiveAdmins, updateUser } from '../users/user.store.ts'
import { describeOnBoth, freshDatabase, type TestDatabase } from '../../../../test/harness/databases.ts'

describeOnBoth('users and keys in the database', (kind) => {
  let db: TestDatabase
  const paging = { page: 1, limit: 10, offset: 0 }

  beforeAll(async () => {
    db = await freshDatabase(kind)
  })
  afterAll(() => db.close())

  const addUser = (name: string, more: object = {}): Promise<UserId> =>
    db.database.transaction((tx) =>
      insertUser(tx, {
        kind: 'individual',
        name,
        lower_name: name.toLowerCase(),
        email: `${name}@example.test`,
        created_at: 1,
        updated_at: 1,
        ...more,
      }),
    )

  it('searches login, full name and visible addresses, also after changes', async () => {
    const id = await addUser('Zoe', { full_name: 'Zoë 100% Z_e', is_email_hidden: 1, visibility: 'limited' })
    const search = async (keyword: string, view: object = {}): Promise<number> =>
      (await listUsers(db.database.read, { keyword }, view, paging)).total
    expect(await search('ZOË 100%')).toBe(1)
    expect(await search('100x')).toBe(0)
    expect(await search('zoe@example')).toBe(0)
    expect(await search('ZOE@example', { matchesHiddenEmails: true })).toBe(1)
    expect(await search('zoe@example', { visibilities: ['public'], self: id })).toBe(1)
    expect(await search('zo', { visibilities: ['public'] })).toBe(0)
    expect(await search('zo', { visibilities: [] })).toBe(0)
    await db.database.transaction((tx) => updateUser(tx, id, { is_email_hidden: 0, full_name: '' }))
    expect([await search('zoe@example'), await search('100%')]).toEqual([1, 0])
  })

  it('returns the administrators who can sign in', async () => {
    const admin = await addUser('adm', { is_admin: 1 })
    await addUser('off', { is_admin: 1, is_active: 0 })
    expect(await db.database.transaction((tx) => lockActiveAdmins(tx))).toEqual([admin])
  })

  it('refuses duplicate fingerprints among user and deploy keys', async () => {
    const user = await addUser('key')
    const key = { algorithm: 'ssh-ed25519', blob: 'AAAA', fingerprint: 'SHA256:x' }
    const claim = (use: 'user' | 'deploy'): Promise<number | undefined> =>
      db.database.transaction((tx) => claimPublicKey(tx, key, use))
    const keyId = await claim('deploy')
    expect(await claim('deploy')).toBe(keyId)
    expect(await claim('user')).toBe(keyId)
    const id = await db.database.transaction((tx) =>
      insertUserKey(tx, { key_id: keyId!, user_id: user, title: 't', comment: '', created_at: 1 }),
    )
    expect([await claim('user'), await claim('deploy')]).toEqual([undefined, undefined])
    expect((await findKeyUse(db.database.read, 'SHA256:x')).user?.userId).toBe(user)
    await db.database.transaction((tx) => deleteUserKey(tx, id))
    expect((await findKeyUse(db.database.read, 'SHA256:x')).user).toBeUndefined()
    expect(await claim('deploy')).toBeDefined()
  })
})
