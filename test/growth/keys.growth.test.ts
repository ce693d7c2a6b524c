import { describe, it } from 'vitest'
import { armoredBlocks } from '../../src/core/platform/pgp/armor.ts'
import { readPgpKeys } from '../../src/core/platform/pgp/keys.ts'
import { readSignatureKeyIds } from '../../src/core/platform/pgp/signatures.ts'
import { parseSshCertificate } from '../../src/core/platform/ssh/certificate.ts'
import { parseSshPublicKey } from '../../src/core/platform/ssh/key.ts'
import { framed, parseSshSignature } from '../../src/core/platform/ssh/signature.ts'
import { expectLinear } from '../harness/growth.ts'

const begin = (kind: string): string => `-----BEGIN PGP ${kind}-----\n`
const end = (kind: string): string => `-----END PGP ${kind}-----\n`
const PGP = 'PUBLIC KEY BLOCK'

describe('PGP armor', () => {
  it.each<[string, (size: number) => string]>([
    ['begins without an end', (size) => begin(PGP).repeat(size / 37)],
    ['begins of different kinds', (size) => Array.from({ length: size / 30 }, (_, at) => begin(kindOf(at))).join('')],
    ['ends without a begin', (size) => end(PGP).repeat(size / 35)],
    ['empty blocks', (size) => (begin(PGP) + end(PGP)).repeat(size / 72)],
    ['hyphens', (size) => '-'.repeat(size)],
    ['carriage returns', (size) => begin(PGP) + '\r'.repeat(size)],
    ['words of a kind', (size) => `-----BEGIN PGP ${'A '.repeat(size / 2)}`],
    ['begins of a block within a block', (size) => begin(PGP).repeat(size / 37) + end(PGP)],
  ])('is divided in linear time: %s', (_, make) =>
    expectLinear((text: string) => armoredBlocks(text, PGP, 10_000_000), make, 60_000),
  )

  it.each<[string, (size: number) => string]>([
    ['begins without an end', (size) => begin(PGP).repeat(size / 37)],
    ['base64', (size) => `${begin(PGP)}\n${'AAAA'.repeat(size / 4)}\n${end(PGP)}`],
    ['lines', (size) => `${begin(PGP)}\n${'A\n'.repeat(size / 2)}\n${end(PGP)}`],
    ['headers', (size) => `${begin(PGP)}${'Comment: a\n'.repeat(size / 11)}\n${end(PGP)}`],
    [
      'empty packets',
      (size) => `${begin(PGP)}\n${Buffer.alloc(size / 2, '\xcd\0', 'latin1').toString('base64')}\n${end(PGP)}`,
    ],
    [
      'user ids',
      (size) => `${begin(PGP)}\n${Buffer.alloc(size / 2, '\xcd\x01a', 'latin1').toString('base64')}\n${end(PGP)}`,
    ],
  ])('of keys is read in linear time: %s', (_, make) =>
    expectLinear((text: string) => readPgpKeys(text, 0), make, 60_000),
  )

  it.each<[string, (size: number) => string]>([
    ['begins without an end', (size) => begin('SIGNATURE').repeat(size / 30)],
    ['base64', (size) => `${begin('SIGNATURE')}\n${'AAAA'.repeat(size / 4)}\n${end('SIGNATURE')}`],
    [
      'empty packets',
      (size) =>
        `${begin('SIGNATURE')}\n${Buffer.alloc(size / 2, '\xcd\0', 'latin1').toString('base64')}\n${end('SIGNATURE')}`,
    ],
  ])('of signatures is read in linear time: %s', (_, make) => expectLinear(readSignatureKeyIds, make, 15_000))
})

/** A different kind for each number. */
function kindOf(at: number): string {
  const letter = (index: number): string => String.fromCodePoint(65 + (Math.floor(index) % 26))
  return `${letter(at)}${letter(at / 26)}${letter(at / 676)}`
}

const SSH = '-----BEGIN SSH SIGNATURE-----\n'

describe('an SSH key', () => {
  it.each<[string, (size: number) => string]>([
    ['spaces', (size) => `a${' '.repeat(size)}b`],
    ['words', (size) => 'a '.repeat(size / 2)],
    ['line ends', (size) => `a${'\r\n'.repeat(size / 2)}b`],
    ['begins of private keys', (size) => '-----BEGIN '.repeat(size / 11)],
    ['words of a kind', (size) => `-----BEGIN ${'A '.repeat(size / 2)}`],
    ['base64', (size) => `ssh-rsa ${'A'.repeat(size)}`],
    ['base64 without a type', (size) => `AAAA${'A'.repeat(size)}=!`],
    ['equal signs', (size) => `ssh-rsa AAAA${'='.repeat(size)}A`],
    ['RFC 4716 headers', (size) => `---- BEGIN SSH2 PUBLIC KEY ----\n${'a: b\n'.repeat(size / 5)}`],
    ['RFC 4716 continuations', (size) => `---- BEGIN SSH2 PUBLIC KEY ----\n${'\\\n'.repeat(size / 2)}`],
    ['PEM', (size) => `-----BEGIN PUBLIC KEY-----\n${'AAAA\n'.repeat(size / 5)}-----END PUBLIC KEY-----`],
    ['a comment', (size) => `ssh-ed25519 ${ED25519} ${'\0 '.repeat(size / 2)}`],
  ])('is read in linear time: %s', (_, make) => expectLinear(parseSshPublicKey, make, 7000))

  it.each<[string, (size: number) => string]>([
    ['line ends', (size) => `${SSH}${'\n'.repeat(size)}`],
    ['carriage returns', (size) => `${SSH}${'\r'.repeat(size)}-----END`],
    ['ends', (size) => `${SSH}AAAA\n${'-----END SSH SIGNATURE-----'.repeat(size / 27)}x`],
    ['base64', (size) => `${SSH}${'A'.repeat(size)}\n-----END SSH SIGNATURE-----`],
    ['white space at the end', (size) => `${SSH}AAAA\n-----END SSH SIGNATURE-----${' '.repeat(size)}x`],
  ])('of a signature is read in linear time: %s', (_, make) => expectLinear(parseSshSignature, make, 7000))

  it.each<[string, (size: number) => Buffer]>([
    ['principals', (size) => certificate(Buffer.alloc(size))],
    ['names of one byte', (size) => certificate(Buffer.concat(Array.from({ length: size / 5 }, () => framed('a'))))],
    ['a long name', (size) => certificate(framed('a'.repeat(size)))],
  ])('of a certificate is read in linear time: %s', (_, make) => expectLinear(parseSshCertificate, make, 6000))
})

const ED25519 = Buffer.concat([framed('ssh-ed25519'), framed(Buffer.alloc(32, 1))]).toString('base64')

/** A certificate as far as its list of principals, with an invalid signature. */
const certificate = (principals: Buffer): Buffer =>
  Buffer.concat([
    framed('ssh-ed25519-cert-v01@openssh.com'),
    framed('nonce'),
    framed(Buffer.alloc(32, 1)),
    Buffer.alloc(8),
    Buffer.from([0, 0, 0, 1]),
    framed('name'),
    framed(principals),
    Buffer.alloc(16),
    ...['', '', '', 'authority', 'signature'].map(framed),
  ])
