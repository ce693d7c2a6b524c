import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SshKeyError } from './key.ts'
import { framed, parseSshSignature } from './signature.ts'

const { publicKey, privateKey } = generateKeyPairSync('ed25519')
const point = Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url')
const armored = (wire: Buffer): string =>
  `-----BEGIN SSH SIGNATURE-----\n${wire.toString('base64').replaceAll(/.{70}/g, '$&\n')}\n-----END SSH SIGNATURE-----\n`

function signatureOf(text: string, namespace = 'git'): Buffer {
  const members = Buffer.concat([framed(namespace), framed(''), framed('sha512')])
  const made = sign(
    null,
    Buffer.concat([Buffer.from('SSHSIG'), members, framed(createHash('sha512').update(text).digest())]),
    privateKey,
  )
  const key = Buffer.concat([framed('ssh-ed25519'), framed(point)])
  return Buffer.concat([
    Buffer.from('SSHSIG'),
    Buffer.of(0, 0, 0, 1),
    framed(key),
    members,
    framed(Buffer.concat([framed('ssh-ed25519'), framed(made)])),
  ])
}

describe('SSH signatures', () => {
  it('cover their text alone, in their namespace', () => {
    const signature = parseSshSignature(armored(signatureOf('text', 'file')))
    expect([
      signature.namespace,
      signature.covers(Buffer.from('text')),
      signature.covers(Buffer.from('text!')),
    ]).toEqual(['file', true, false])
  })

  it('refuses what is none', () => {
    for (const text of [
      '',
      'nothing',
      armored(Buffer.from('SSHSIG')),
      armored(signatureOf('x').subarray(0, 60)),
      `${armored(signatureOf('x'))}more`,
    ]) {
      expect(() => parseSshSignature(text)).toThrow(SshKeyError)
    }
  })

  it('never covers a text after damage', () => {
    const good = signatureOf('text')
    fc.assert(
      fc.property(fc.nat(good.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const damaged = Buffer.from(good)
        damaged[at]! ^= flip
        try {
          const signature = parseSshSignature(armored(damaged))
          return !signature.covers(Buffer.from('text'))
        } catch (error) {
          return error instanceof SshKeyError
        }
      }),
      { numRuns: 500 },
    )
  })
})
