import { afterAll, beforeAll, expect, it } from 'vitest'
import { insertUser } from '../../src/db/stores/user.store.ts'
import { createTwoFactor } from '../../src/domain/access/two-factor.ts'
import { createSigningKey } from '../../src/domain/oauth/signing-key.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { createSecretBox } from '../../src/platform/secret-box.ts'
import { totpCode, totpStep } from '../../src/platform/totp.ts'
import { describeOnBoth, freshDatabase, type TestDatabase } from '../harness/databases.ts'

describeOnBoth('the secret of the server', (kind) => {
  let db: TestDatabase
  beforeAll(async () => {
    db = await freshDatabase(kind)
  })
  afterAll(() => db.close())

  const keyWith = (secret: string) => createSigningKey({ database: db.database, clock: systemClock, secrets: createSecretBox(secret) })()

  it('opens the signing key: one for all processes, another when the secret is lost', async () => {
    const first = await Promise.all([keyWith('one'), keyWith('one'), keyWith('one')])
    expect(new Set(first.map((key) => key.id)).size).toBe(1)
    const other = await keyWith('two')
    expect(other.id).not.toBe(first[0].id)
    expect((await keyWith('two')).id).toBe(other.id)
  })

  it('opens the secrets of one-time codes; without it recovery codes still work', async () => {
    const id = await db.database.transaction((tx) => insertUser(tx, { kind: 'individual', name: 'ann', lower_name: 'ann', created_at: 1, updated_at: 1 }))
    const serviceWith = (secret: string) => createTwoFactor({ database: db.database, clock: systemClock, secrets: createSecretBox(secret), issuer: () => 'test', attempts: 10 })
    const service = serviceWith('one')
    const { secret } = await service.begin({ id, name: 'ann' })
    const bits = [...secret].map((char) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(char).toString(2).padStart(5, '0')).join('')
    const bytes = Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)))
    const recovery = await service.confirm(id, totpCode(bytes, totpStep(systemClock.now())))
    const lost = serviceWith('two')
    await expect(lost.check(id, totpCode(bytes, totpStep(systemClock.now()) + 1))).rejects.toMatchObject({ kind: 'unavailable' })
    expect(await lost.check(id, recovery[0]!)).toBe(true)
  })
})
