import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SshKeyError } from './key.ts'
import { generateSshKeyPair } from './key-pair.ts'
import { framed, loadSshSigner, parseSshSignature } from './signature.ts'

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
  it('verify only for the signed text and namespace', () => {
    const signature = parseSshSignature(armored(signatureOf('text', 'file')))
    expect([
      signature.namespace,
      signature.covers(Buffer.from('text')),
      signature.covers(Buffer.from('text!')),
    ]).toEqual(['file', true, false])
  })

  it('rejects texts that are not signatures', () => {
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

describe('the signer of a private key', () => {
  const passphrase = 'open sesame'
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const locked = { format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase } as const

  it.each([
    ['OpenSSH', generateSshKeyPair('a').privateKey, ''],
    ['PKCS#8', privateKey.export({ format: 'pem', type: 'pkcs8' }), ''],
    ['encrypted PKCS#8', curve.export(locked), passphrase],
    ['PKCS#1', rsa.export({ format: 'pem', type: 'pkcs1' }), ''],
    ['SEC 1', `\n${curve.export({ format: 'pem', type: 'sec1' })}`, ''],
  ])('reads %s', async (_, text, secret) => {
    const signer = await loadSshSigner(String(text), secret)
    const signature = parseSshSignature(signer.sign(Buffer.from('text'), 'git'))
    expect([signature.fingerprint, signature.covers(Buffer.from('text'))]).toEqual([signer.publicKey.fingerprint, true])
  })

  it('reads an encrypted OpenSSH key only with its passphrase', async () => {
    // NOTE: made by `ssh-keygen -t ed25519 -a 1 -N 'open sesame'`.
    const text = `-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAACmFlczI1Ni1jdHIAAAAGYmNyeXB0AAAAGAAAABB8IpmjIA
MybwxR2ZRx3Z8/AAAAAQAAAAEAAAAzAAAAC3NzaC1lZDI1NTE5AAAAIHQGNf3bXzsOL/Y6
in6/8j5Kqe6IaGVeHWhwLGBdyxmSAAAAkO1QmaUm2NI3M4UEpNsVQW+dxS+bzwb+3IKxCV
YrYrldlXC+jesRr8zaOxU/ykTbF6lrbi9YpL2CZ8+WCv3lzneGjve6bHiYdEAGqyrhhQLX
KuDj8wwkBtToRVRMzdKrDJ0RaAwoq67DLvqD2J0jBO7UpLR8Dwnw329LjNzZV55jwIXfAd
tkV7RdbjOZSqB/Tw==
-----END OPENSSH PRIVATE KEY-----
`
    expect((await loadSshSigner(text, passphrase)).publicKey.fingerprint).toBe(
      'SHA256:Rxe+8PM2WBYumMYJf14skAoqOo7GeRZXq3Q9owG1vzM',
    )
    await expect(loadSshSigner(text, 'wrong')).rejects.toThrow(SshKeyError)
    await expect(loadSshSigner(text, '')).rejects.toThrow(SshKeyError)
  })

  it('refuses other texts', async () => {
    const open = generateSshKeyPair('a')
    for (const text of ['', 'nothing', open.publicKey, '-----BEGIN PRIVATE KEY-----\n', String(curve.export(locked))])
      await expect(loadSshSigner(text, ''), text).rejects.toThrow(SshKeyError)
  })
})
