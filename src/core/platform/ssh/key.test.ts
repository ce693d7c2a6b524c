import { generateKeyPairSync } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseSshPublicKey, SshKeyError } from './key.ts'

describe('keys that ssh-keygen makes', () => {
  let dir = ''
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'ingot-keys-'))
  })
  afterAll(() => rmSync(dir, { recursive: true, force: true }))

  it.each([
    ['ed25519', [], 'ssh-ed25519', 256],
    ['ecdsa', ['-b', '256'], 'ecdsa-sha2-nistp256', 256],
    ['ecdsa', ['-b', '384'], 'ecdsa-sha2-nistp384', 384],
    ['ecdsa', ['-b', '521'], 'ecdsa-sha2-nistp521', 521],
    ['rsa', ['-b', '2048'], 'ssh-rsa', 2048],
  ])('%s %j in every form', (type, options, algorithm, bits) => {
    const file = join(dir, `${type}${bits}`)
    execFileSync('ssh-keygen', ['-q', '-t', type, ...options, '-N', '', '-C', 'ann at laptop', '-f', file])
    const fingerprint = execFileSync('ssh-keygen', ['-lf', `${file}.pub`], { encoding: 'utf8' }).split(' ')[1]
    const line = readFileSync(`${file}.pub`, 'utf8')
    const key = parseSshPublicKey(line)
    expect(key).toMatchObject({ algorithm, bits, fingerprint, comment: 'ann at laptop' })
    expect(`${key.algorithm} ${key.blob} ${key.comment}\n`).toBe(line)
    const formats =
      type === 'ed25519' ? ['RFC4716'] : type === 'rsa' ? ['RFC4716', 'PKCS8', 'PEM'] : ['RFC4716', 'PKCS8']
    for (const format of formats) {
      const text = execFileSync('ssh-keygen', ['-e', '-m', format, '-f', `${file}.pub`], { encoding: 'utf8' })
      expect(parseSshPublicKey(text).fingerprint).toBe(fingerprint)
    }
    expect(parseSshPublicKey(key.blob).fingerprint).toBe(fingerprint)
    expect(() => parseSshPublicKey(readFileSync(file, 'utf8'))).toThrow('the provided key is a private key')
  })
})

const string = (value: Buffer | string): Buffer => {
  const bytes = Buffer.from(value as string)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}
const wire = (...members: (Buffer | string)[]): string => Buffer.concat(members.map(string)).toString('base64')

describe('security keys', () => {
  it('reads sk-ssh-ed25519 and sk-ecdsa', () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const { x, y } = publicKey.export({ format: 'jwk' })
    const point = Buffer.concat([Buffer.of(4), Buffer.from(x!, 'base64url'), Buffer.from(y!, 'base64url')])
    expect(parseSshPublicKey(wire('sk-ssh-ed25519@openssh.com', Buffer.alloc(32, 7), 'ssh:')).bits).toBe(256)
    expect(parseSshPublicKey(wire('sk-ecdsa-sha2-nistp256@openssh.com', 'nistp256', point, 'ssh:')).bits).toBe(256)
    expect(() => parseSshPublicKey(wire('sk-ssh-ed25519@openssh.com', Buffer.alloc(32, 7)))).toThrow('cut off')
  })
})

describe('what is refused', () => {
  const good = wire('ssh-ed25519', Buffer.alloc(32, 9))

  it.each([
    ['another type in front', `ssh-rsa ${good}`, 'key type and content does not match: ssh-rsa - ssh-ed25519'],
    ['options of authorized_keys', `command="rm" ssh-ed25519 ${good}`, 'not base64'],
    ['junk', 'not a key at all', 'not base64'],
    ['nothing', '', 'not a public key'],
    ['data after the key', wire('ssh-ed25519', Buffer.alloc(32, 9), 'x'), 'data after the key'],
    ['a short key', wire('ssh-ed25519', Buffer.alloc(31)), '32 bytes'],
    [
      'a point off the curve',
      wire('ecdsa-sha2-nistp256', 'nistp256', Buffer.concat([Buffer.of(4), Buffer.alloc(64, 1)])),
      'cannot be read',
    ],
    ['a padded number', wire('ssh-rsa', Buffer.of(0, 1, 0, 1), Buffer.alloc(256, 0x7f)), 'shortest form'],
    ['an even exponent', wire('ssh-rsa', Buffer.of(2), Buffer.alloc(256, 0x7f)), 'exponent'],
    ['a PEM certificate', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----', 'cannot be read'],
    ['an unfinished RFC 4716 key', `---- BEGIN SSH2 PUBLIC KEY ----\n${good}`, 'end of the key'],
  ])('%s', (_, text, reason) => {
    expect(() => parseSshPublicKey(text)).toThrow(reason)
  })

  it('names DSA and certificates as unsupported', () => {
    expect(() => parseSshPublicKey(wire('ssh-dss', Buffer.of(1)))).toThrow(SshKeyError)
    expect(() => parseSshPublicKey(wire('ssh-ed25519-cert-v01@openssh.com', Buffer.of(1)))).toThrow('not supported')
  })
})

describe('properties', () => {
  it('throws nothing but SshKeyError, whatever comes', () => {
    const pieces = fc.array(
      fc.oneof(
        fc.string(),
        fc.constantFrom(
          'ssh-rsa ',
          'AAAA',
          '-----BEGIN PUBLIC KEY-----\n',
          '---- BEGIN SSH2 PUBLIC KEY ----\n',
          ' ',
          '\n',
        ),
      ),
      { maxLength: 8 },
    )
    const inputs = fc.oneof(
      fc.string(),
      pieces.map((parts) => parts.join('')),
      fc.uint8Array().map((bytes) => wire('ssh-rsa', Buffer.from(bytes), Buffer.from(bytes))),
    )
    fc.assert(
      fc.property(inputs, (text) => {
        try {
          parseSshPublicKey(text)
        } catch (error) {
          expect(error).toBeInstanceOf(SshKeyError)
        }
      }),
    )
  })

  it('returns the same key from its own form, with the comment on one line', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.string(), (bytes, comment) => {
        const key = parseSshPublicKey(`ssh-ed25519 ${wire('ssh-ed25519', Buffer.from(bytes))} ${comment}`)
        expect(key.comment).not.toMatch(/\p{Cc}/u)
        expect(parseSshPublicKey(`${key.algorithm} ${key.blob} ${key.comment}`)).toEqual(key)
      }),
    )
  })
})
