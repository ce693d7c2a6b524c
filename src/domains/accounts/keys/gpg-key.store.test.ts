import { insertUser } from '../../../../test/harness/rows.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { UserId } from '../../../core/platform/crypto/ids.ts'
import {
  deleteUnusedAvatars,
  findAvatar,
  insertAvatar,
  isAvatarBlobUsed,
} from '../../repositories/avatars/avatar.store.ts'
import {
  claimGpgKey,
  deleteGpgKey,
  findGpgKey,
  findGpgKeysByKeyIds,
  type NewGpgKey,
  setGpgKeyVerified,
} from './gpg-key.store.ts'
import { claimEmail } from '../users/emails/email.store.ts'
import { updateUser } from '../users/user.store.ts'
import { describeOnBoth, freshDatabase, type TestDatabase } from '../../../../test/harness/databases.ts'

describeOnBoth('GPG keys and images in the database', (kind) => {
  let db: TestDatabase
  let ann: UserId

  beforeAll(async () => {
    db = await freshDatabase(kind)
    ann = await db.database.transaction((tx) =>
      insertUser(tx, {
        kind: 'individual',
        name: 'ann',
        lower_name: 'ann',
        email: 'ann@example.test',
        created_at: 1,
        updated_at: 1,
      }),
    )
    await db.database.transaction((tx) => claimEmail(tx, ann, 'Ann@example.test'))
  })
  afterAll(() => db.close())

  const part = { packet: 'x', canSign: true, canEncrypt: false, expiresAt: undefined }
  const newKey = (keyId: string, ...subkeys: string[]): NewGpgKey => ({
    ...part,
    keyId,
    armored: 'armor',
    emails: ['ann@example.test'],
    isVerified: false,
    subkeys: subkeys.map((id) => ({ ...part, keyId: id })),
  })

  it('refuses duplicate key ids and finds a key by the id of its subkey', async () => {
    const id = await db.database.transaction((tx) => claimGpgKey(tx, ann, newKey('A1', 'A2'), 5))
    const taken = db.database.transaction(async (tx) => {
      if ((await claimGpgKey(tx, ann, newKey('B1', 'A2'), 5)) === undefined) throw new Error('taken')
    })
    await expect(taken).rejects.toThrow('taken')
    const found = await findGpgKeysByKeyIds(db.database.read, ['a2', 'B1'])
    expect([...found.keys()]).toEqual(['A2'])
    expect(found.get('A2')).toMatchObject({
      id,
      keyId: 'A1',
      emails: ['Ann@example.test'],
      isVerified: false,
      subkeys: [{ keyId: 'A2', primaryKeyId: 'A1' }],
    })
    await db.database.transaction((tx) => setGpgKeyVerified(tx, 'A1'))
    expect((await findGpgKey(db.database.read, id!))!.isVerified).toBe(true)
    await db.database.transaction((tx) => deleteGpgKey(tx, 'A1'))
    expect((await findGpgKeysByKeyIds(db.database.read, ['A1', 'A2'])).size).toBe(0)
  })

  it('deletes unused images', async () => {
    await db.database.transaction(async (tx) => {
      await insertAvatar(tx, { hash: 'h1', blob: 'b', mediaType: 'image/png' }, 1)
      await insertAvatar(tx, { hash: 'h1', blob: 'b', mediaType: 'image/png' }, 2)
      await insertAvatar(tx, { hash: 'h2', blob: 'b', mediaType: 'image/png' }, 1)
      await updateUser(tx, ann, { avatar: 'h1' })
    })
    expect(await db.database.transaction((tx) => deleteUnusedAvatars(tx))).toEqual(['b'])
    expect([await findAvatar(db.database.read, 'h2'), await isAvatarBlobUsed(db.database.read, 'b')]).toEqual([
      undefined,
      true,
    ])
    await db.database.transaction((tx) => updateUser(tx, ann, { avatar: '' }))
    await db.database.transaction((tx) => deleteUnusedAvatars(tx))
    expect(await isAvatarBlobUsed(db.database.read, 'b')).toBe(false)
  })
})
