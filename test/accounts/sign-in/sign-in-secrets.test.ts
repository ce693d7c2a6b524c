import { onlyProcess } from '../../../src/core/platform/concurrency/processes.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { actorOf } from '../../../src/core/access/viewer.ts'
import { systemClock } from '../../../src/core/platform/clock.ts'
import { asId } from '../../../src/core/platform/crypto/ids.ts'
import { createSecretBox, deriveSecretKey, type SecretBox } from '../../../src/core/platform/crypto/secret-box.ts'
import { totpCode, totpStep } from '../../../src/core/platform/crypto/totp.ts'
import {
  type SigningAlgorithm,
  createSigningKey,
} from '../../../src/domains/accounts/oauth/signing-keys/signing-key.ts'
import { createTokenSigner, type TokenClaims } from '../../../src/domains/accounts/oauth/tokens.ts'
import { createTwoFactor } from '../../../src/domains/accounts/sign-in/two-factor/two-factor.service.ts'
import { insertUser } from '../../harness/rows.ts'
import { describeOnBoth, freshDatabase, type TestDatabase } from '../../harness/databases.ts'

const boxOf = (secret: string): SecretBox => createSecretBox(() => [deriveSecretKey(secret)])

describeOnBoth('the secret of the server', (kind) => {
  let db: TestDatabase
  beforeAll(async () => {
    db = await freshDatabase(kind)
  })
  afterAll(() => db.close())

  const keyWith = (secret: string, algorithm: SigningAlgorithm = 'RS256') =>
    createSigningKey({ database: db.database, clock: systemClock, secrets: boxOf(secret), algorithm })()

  it('decrypts the signing key: one for all processes, another when the secret is lost', async () => {
    const first = await Promise.all([keyWith('one'), keyWith('one'), keyWith('one')])
    expect(new Set(first.map((key) => key.id)).size).toBe(1)
    const other = await keyWith('two')
    expect(other.id).not.toBe(first[0].id)
    expect((await keyWith('two')).id).toBe(other.id)
  })

  it('signs tokens with one key of the configured algorithm; another key invalidates earlier tokens', async () => {
    const claims: TokenClaims = { kind: 'access', grantId: asId(1), chainId: asId(1), counter: 0 }
    let earlier: string | undefined
    for (const algorithm of ['RS256', 'EdDSA', 'HS256', 'ES384', 'HS512', 'RS256'] as const) {
      const signer = createTokenSigner({
        key: () => keyWith('two', algorithm),
        clock: systemClock,
        algorithm,
        maxLength: 4096,
      })
      const token = await signer.sign(claims, 60)
      expect(await signer.verify(token), algorithm).toEqual(claims)
      if (earlier !== undefined) expect(await signer.verify(earlier), algorithm).toBeUndefined()
      earlier = token
      const again = await Promise.all([keyWith('two', algorithm), keyWith('two', algorithm)])
      expect(new Set(again.map((key) => key.id)).size).toBe(1)
      const rows = await db.database.read.selectFrom('signing_key').selectAll().execute()
      expect(rows).toHaveLength(1)
      const { k, d } = JSON.parse(rows[0]!.public_key) as Record<string, string>
      expect([k, d], 'nothing secret is in clear').toEqual([undefined, undefined])
    }
  })

  it('limits the length of accepted tokens', async () => {
    const signer = (maxLength: number) =>
      createTokenSigner({ key: () => keyWith('two'), clock: systemClock, algorithm: 'RS256', maxLength })
    const token = await signer(1).sign({ kind: 'refresh', grantId: asId(1), chainId: asId(2), counter: 3 }, 60)
    expect(await signer(token.length).verify(token)).toMatchObject({ kind: 'refresh', counter: 3 })
    expect(await signer(token.length - 1).verify(token)).toBeUndefined()
  })

  it('decrypts the secrets of one-time codes; without it recovery codes still work', async () => {
    const id = await db.database.transaction((tx) =>
      insertUser(tx, { kind: 'individual', name: 'ann', lower_name: 'ann', created_at: 1, updated_at: 1 }),
    )
    const serviceWith = (secret: string) =>
      createTwoFactor({
        database: db.database,
        clock: systemClock,
        events: { append: async () => {}, appendAll: async () => {}, onAppended: () => () => {} },
        secrets: boxOf(secret),
        issuer: () => 'test',
        attempts: 10,
        processes: onlyProcess(),
      })
    const service = serviceWith('one')
    const { secret } = await service.begin({ id, name: 'ann' })
    const bits = [...secret]
      .map((char) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(char).toString(2).padStart(5, '0'))
      .join('')
    const bytes = Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)))
    const recovery = await service.confirm(actorOf(id), id, totpCode(bytes, totpStep(systemClock.now())))
    const lost = serviceWith('two')
    await expect(lost.check(id, totpCode(bytes, totpStep(systemClock.now()) + 1))).rejects.toMatchObject({
      kind: 'unavailable',
    })
    expect(await lost.check(id, recovery[0]!)).toBe('recovery-code')
  })
})
