import { generateKeyPairSync, sign } from 'node:crypto'
import fc from 'fast-check'
import ssh2 from 'ssh2'
import { describe, expect, it } from 'vitest'
import { securityKey } from '../../../../test/transports/git-ssh/security-key.ts'
import { framed } from '../../../core/platform/ssh/signature.ts'
import { type OfferedKey, provesPossession } from './connection.ts'

const { utils } = ssh2
const session = Buffer.from('this very session')

describe('an RSA key', () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const { e = '', n = '' } = publicKey.export({ format: 'jwk' })
  const number = (text: string): Buffer =>
    framed(Buffer.concat([Buffer.from(text.startsWith('A') ? '' : '\0', 'latin1'), Buffer.from(text, 'base64url')]))
  const data = Buffer.concat([framed('ssh-rsa'), framed(Buffer.from(e, 'base64url')), number(n)])
  const offer = (hash: string, hashAlgo: OfferedKey['hashAlgo']): OfferedKey => ({
    key: { algo: 'ssh-rsa', data },
    hashAlgo,
    blob: session,
    signature: sign(hash, session, privateKey),
  })

  it('is accepted only with SHA-2', () => {
    expect(provesPossession(offer('sha256', 'sha256'), utils)).toBe(true)
    expect(provesPossession(offer('sha512', 'sha512'), utils)).toBe(true)
    expect(provesPossession(offer('sha1', undefined), utils)).toBe(false)
    expect(provesPossession({ ...offer('sha1', undefined), signature: undefined }, utils), 'a mere offer').toBe(false)
    expect(provesPossession(offer('sha1', 'sha256'), utils)).toBe(false)
    expect(provesPossession(offer('sha256', 'sha512'), utils)).toBe(false)
  })
})

describe.each(['sk-ssh-ed25519@openssh.com', 'sk-ecdsa-sha2-nistp256@openssh.com'] as const)('%s', (algo) => {
  const token = securityKey(algo)
  const key = { algo, data: token.blob }
  /** In the form of the library: without the algorithm and the length. */
  const signature = token.sign(session, 0).subarray(4 + algo.length + 4)

  it('is accepted, only for this session', () => {
    expect(provesPossession({ key, blob: session, signature }, utils)).toBe(true)
    expect(provesPossession({ key, blob: Buffer.from('another session'), signature }, utils)).toBe(false)
    expect(provesPossession({ key, signature }, utils)).toBe(false)
  })

  it('is not accepted as a key of another kind', () => {
    for (const other of [
      'ssh-ed25519',
      'sk-ssh-ed25519-cert-v01@openssh.com',
      algo.startsWith('sk-ssh') ? 'sk-ecdsa-sha2-nistp256@openssh.com' : 'sk-ssh-ed25519@openssh.com',
    ]) {
      expect(provesPossession({ key: { ...key, algo: other }, blob: session, signature }, utils), other).toBe(false)
    }
  })

  it('is never accepted with a damaged signature', () => {
    const damage = fc.record({
      at: fc.nat(signature.length - 1),
      flip: fc.integer({ min: 1, max: 255 }),
      length: fc.nat(signature.length),
    })
    fc.assert(
      fc.property(damage, ({ at, flip, length }) => {
        const flipped = Buffer.from(signature)
        flipped[at]! ^= flip
        const cut = signature.subarray(0, length)
        return [flipped, cut].every(
          (damaged) =>
            damaged.equals(signature) || !provesPossession({ key, blob: session, signature: damaged }, utils),
        )
      }),
      { numRuns: 300 },
    )
  })
})
