import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  armor,
  createMessage,
  enums,
  generateKey,
  readKey,
  readPrivateKey,
  sign,
  unarmor,
  type PrivateKey,
} from 'openpgp'
import { joinArmoredKeys, PgpError, readPgpKeys, readSignatureKeyIds, verifyPgpSignature } from './index.ts'

const now = Date.now()
let privateKey: PrivateKey
let publicKey: string
let bytes: Uint8Array

const signed = async (text: string): Promise<string> =>
  sign({
    message: await createMessage({ binary: Buffer.from(text) }),
    signingKeys: privateKey,
    detached: true,
  }) as unknown as Promise<string>

beforeAll(async () => {
  const made = await generateKey({
    userIDs: [{ name: 'Ann', email: 'Ann@Example.test' }],
    date: new Date(now - 60_000),
    format: 'armored',
  })
  privateKey = await readPrivateKey({ armoredKey: made.privateKey })
  publicKey = made.publicKey
  bytes = (await unarmor(publicKey)).data as Uint8Array
})

describe('reading keys', () => {
  it('returns identities, subkeys and the bare packet', async () => {
    const [key] = await readPgpKeys(`before\n${publicKey}\nafter`, now)
    expect(key).toMatchObject({ emails: ['ann@example.test'], canSign: true, canEncrypt: false, expiresAt: 0 })
    expect(key!.keyId).toBe((await readKey({ armoredKey: publicKey })).getKeyID().toHex().toUpperCase())
    expect(key!.subkeys).toMatchObject([{ canSign: false, canEncrypt: true }])
    expect(Buffer.from(bytes).includes(Buffer.from(key!.packet, 'base64'))).toBe(true)
  })

  it('joins keys in a block with a checksum, which gpg needs', async () => {
    expect(await joinArmoredKeys([publicKey])).toMatch(/\r?\n=[\w+/]{4}\r?\n-----END PGP PUBLIC KEY BLOCK-----/)
  })

  it('refuses private keys and other blocks', async () => {
    await expect(readPgpKeys(privateKey.armor(), now)).rejects.toThrow('the provided key is a private key')
    await expect(readPgpKeys(await signed('x'), now)).rejects.toThrow('a PGP SIGNATURE is not a PGP PUBLIC KEY BLOCK')
  })

  it('ignores identities that the key did not certify', async () => {
    const otherKey = await generateKey({ userIDs: [{ email: 'bob@example.test' }], format: 'object' })
    const key = await readKey({ armoredKey: publicKey })
    const forged = key.users[0]!.clone()
    Object.assign(forged, { userID: otherKey.publicKey.users[0]!.userID, mainKey: key })
    key.users.push(forged)
    expect((await readPgpKeys(key.armor(), now))[0]!.emails).toEqual(['ann@example.test'])
  })

  it('answers any damage with a key or a PgpError', async () => {
    const damaged = fc.tuple(fc.nat(bytes.length - 1), fc.nat(255), fc.nat(bytes.length)).map(([at, value, end]) => {
      const copy = Uint8Array.from(bytes)
      copy[at] = value
      return armor(enums.armor.publicKey, copy.subarray(0, Math.max(end, 1))) as unknown as string
    })
    const random = fc
      .uint8Array({ maxLength: 400 })
      .map((data) => armor(enums.armor.publicKey, data) as unknown as string)
    await fc.assert(
      fc.asyncProperty(fc.oneof(damaged, random, fc.string()), async (text) => {
        const outcome = await readPgpKeys(text, now).catch((error: unknown) => error)
        expect(Array.isArray(outcome) || outcome instanceof PgpError).toBe(true)
      }),
      { numRuns: 200 },
    )
  })
})

describe('signatures', () => {
  it('verify only for the signed text', async () => {
    const armoredSignature = await signed('text')
    expect(await readSignatureKeyIds(armoredSignature)).toEqual([
      (await readKey({ armoredKey: publicKey })).getKeyID().toHex().toUpperCase(),
    ])
    const check = (data: string, armoredKey = publicKey) =>
      verifyPgpSignature({ armoredKey, armoredSignature, data: Buffer.from(data) }, now + 1000)
    expect(await check('text')).toBe(true)
    expect(await check('text ')).toBe(false)
    const other = await generateKey({ userIDs: [{ name: 'Bob' }] })
    expect(await check('text', other.publicKey)).toBe(false)
  })

  it('answers any damage with a verdict or a PgpError', async () => {
    const good = (await unarmor(await signed('text'))).data as Uint8Array
    const damaged = fc.tuple(fc.nat(good.length - 1), fc.nat(255)).map(([at, value]) => {
      const copy = Uint8Array.from(good)
      copy[at] = value
      return armor(enums.armor.signature, copy) as unknown as string
    })
    await fc.assert(
      fc.asyncProperty(damaged, async (text) => {
        const outcome = await verifyPgpSignature(
          { armoredKey: publicKey, armoredSignature: text, data: Buffer.from('other text') },
          now,
        ).catch((error: unknown) => error)
        expect(outcome === false || outcome instanceof PgpError).toBe(true)
      }),
      { numRuns: 200 },
    )
    await expect(readSignatureKeyIds('nothing')).rejects.toThrow(PgpError)
  })
})
