import { Cron } from 'croner'
import { describe, it } from 'vitest'
import { tomlLines } from '../../src/core/config/load.ts'
import { linkHeader } from '../../src/core/http/answer/links.ts'
import { clientNetwork } from '../../src/core/platform/http/client-network.ts'
import {
  contentDisposition,
  contentType,
  etagMatches,
  parseRange,
  sniffMediaType,
} from '../../src/core/platform/http/media-type.ts'
import { parseDigest, parseHttpSignature, signedText } from '../../src/core/platform/http/signature.ts'
import { parsePaging } from '../../src/core/platform/paging.ts'
import { readBatchAnswer } from '../../src/domains/code/lfs/objects/batch-answer.ts'
import { parseLfsPointer } from '../../src/domains/code/lfs/objects/pointer.ts'
import { parse as parseToml } from 'smol-toml'
import { expectLinear } from '../harness/growth.ts'

describe('a signature of a request', () => {
  it.each<[string, (size: number) => string]>([
    ['parameters', (size) => Array.from({ length: size / 20 }, (_, at) => `${nameOf(at)}="a",`).join('')],
    ['spaces', (size) => `keyId="a",${' '.repeat(size)}x`],
    ['spaces after a value', (size) => `keyId="a"${' '.repeat(size)}x`],
    ['a value without an end', (size) => `keyId="${'a'.repeat(size)}`],
    ['quotes', (size) => '"'.repeat(size)],
    ['covered headers', (size) => `keyId="a",signature="AAAA",headers="${'a '.repeat(size / 2)}"`],
    ['base64', (size) => `keyId="a",signature="${'A'.repeat(size)}=!"`],
    ['letters', (size) => 'a'.repeat(size)],
  ])('is read in linear time: %s', (_, make) =>
    expectLinear(
      (header: string) => {
        const signature = parseHttpSignature(header)
        if (signature) signedText(signature, { method: 'GET', target: header, headers: {} })
      },
      make,
      250_000,
    ),
  )

  it.each<[string, (size: number) => string]>([
    ['digests', (size) => 'sha-256=AAAA,'.repeat(size / 13)],
    ['spaces', (size) => `sha-256=a${' '.repeat(size)}b`],
    ['letters', (size) => 'a'.repeat(size)],
    ['commas', (size) => ','.repeat(size)],
  ])('has digests that are read in linear time: %s', (_, make) => expectLinear(parseDigest, make, 250_000))
})

/** A different name of letters for each number. */
const nameOf = (at: number): string =>
  [...String(at).padStart(8, '0')].map((digit) => String.fromCodePoint(97 + Number(digit))).join('')

describe('a header', () => {
  it.each<[string, (size: number) => string]>([
    ['tags', (size) => '"a",'.repeat(size / 4)],
    ['spaces', (size) => `"a"${' '.repeat(size)},`],
    ['weak tags', (size) => 'W/'.repeat(size / 2)],
    ['commas', (size) => ','.repeat(size)],
  ])('of known tags is compared in linear time: %s', (_, make) =>
    expectLinear((header: string) => etagMatches(header, '"b"'), make, 250_000),
  )

  it.each<[string, (size: number) => string]>([
    ['digits', (size) => `bytes=${'1'.repeat(size)}-${'1'.repeat(size)}`],
    ['spaces', (size) => `bytes=1${' '.repeat(size)}-`],
    ['ranges', (size) => `bytes=${'1-2,'.repeat(size / 4)}`],
  ])('of a range is read in linear time: %s', (_, make) =>
    expectLinear((header: string) => parseRange(header, 1000), make, 100_000),
  )

  it.each<[string, (size: number) => string]>([
    ['quotes', (size) => '"'.repeat(size)],
    ['half surrogates', (size) => '\ud800'.repeat(size)],
    ['dots', (size) => '.'.repeat(size)],
    ['letters of other scripts', (size) => 'é'.repeat(size)],
  ])('of a file name is written in linear time: %s', (_, make) =>
    expectLinear(
      (name: string) => [contentDisposition('attachment', name), contentType(name, Buffer.from('a'))],
      make,
      50_000,
    ),
  )

  it.each<[string, (size: number) => string]>([
    ['colons', (size) => ':'.repeat(size)],
    ['percent signs', (size) => `fe80::1${'%a'.repeat(size / 2)}`],
    ['mapped addresses', (size) => `::ffff:${'1.'.repeat(size / 2)}`],
  ])('of a client address is read in linear time: %s', (_, make) => expectLinear(clientNetwork, make, 250_000))

  it.each<[string, (size: number) => string]>([
    ['keys', (size) => Array.from({ length: size / 10 }, (_, at) => `k${at}=a`).join('&')],
    ['pages', (size) => 'page=1&'.repeat(size / 7)],
    ['percent signs', (size) => `q=${'%7E'.repeat(size / 3)}`],
    ['stars', (size) => `q=${'*'.repeat(size)}`],
  ])('of links is written in linear time: %s', (_, make) =>
    expectLinear(
      (url: URL) => linkHeader(url, { page: 2, limit: 10, offset: 10 }, 100),
      (size) => new URL(`http://host/x?${make(size)}`),
      30_000,
    ),
  )

  it('of a page number is read in linear time', () =>
    expectLinear(
      (text: string) => parsePaging(text, text, { defaultLimit: 30, maxLimit: 50 }),
      (size) => '1'.repeat(size),
      250_000,
    ))
})

describe('the first bytes of a file', () => {
  it.each<[string, (size: number) => string]>([
    ['white space', (size) => `${' '.repeat(size)}<`],
    ['angle brackets', (size) => '<'.repeat(size)],
    ['NUL bytes', (size) => '\0'.repeat(size)],
  ])('show its media type in linear time: %s', (_, make) =>
    expectLinear(
      (text: Buffer) => sniffMediaType(text),
      (size) => Buffer.from(make(size)),
      250_000,
    ),
  )
})

describe('what LFS exchanges', () => {
  const version = 'version https://git-lfs.github.com/spec/v1\n'
  it.each<[string, (size: number) => string]>([
    ['extensions', (size) => version + 'ext-0-a\n'.repeat(size / 8)],
    ['a long extension', (size) => `${version}ext-0-${'a'.repeat(size)}`],
    ['a long size', (size) => `${version}oid sha256:${'a'.repeat(64)}\nsize ${'1'.repeat(size)}\n`],
  ])('is read in linear time, as a pointer: %s', (_, make) =>
    expectLinear(parseLfsPointer, (size) => Buffer.from(make(size)), 250_000),
  )

  const objects = (size: number) => Array.from({ length: size }, (_, at) => ({ oid: String(at), size: 1 }))
  it.each<[string, (size: number) => object[]]>([
    ['objects', objects],
    ['one object again and again', (size) => Array.from({ length: size }, () => ({ oid: '1' }))],
    ['headers', (size) => [{ oid: '1', actions: { download: { href: 'http://a', header: headers(size) } } }]],
  ])('is read in linear time, as the answer to a batch: %s', (_, make) =>
    expectLinear(
      ({ text, requested }: { text: string; requested: ReturnType<typeof objects> }) =>
        readBatchAnswer(text, 'download', requested),
      (size) => ({ text: JSON.stringify({ objects: make(size) }), requested: objects(size) }),
      5000,
    ),
  )
})

const headers = (size: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: size }, (_, at) => [`h${at}`, 'a']))

describe('settings', () => {
  it.each<[string, (size: number) => string]>([
    ['sections', (size) => Array.from({ length: size / 10 }, (_, at) => `[a${at}]\n`).join('')],
    ['settings', (size) => Array.from({ length: size / 10 }, (_, at) => `a${at} = 1\n`).join('')],
    ['spaces', (size) => `${' '.repeat(size)}x`],
    ['spaces in a header', (size) => `[${' '.repeat(size)}a`],
    ['letters', (size) => 'a'.repeat(size)],
    ['quotes', (size) => `a = ${'"'.repeat(size)}`],
    ['a text of many lines', (size) => `a = """${'\n'.repeat(size)}`],
    ['a list', (size) => `a = [${'1,'.repeat(size / 2)}]`],
    ['nested names', (size) => `${'a.'.repeat(size / 20)}b = 1`],
  ])('of a file are read in linear time: %s', (_, make) =>
    expectLinear(
      (text: string) => {
        tomlLines(text)
        parseToml(text)
      },
      make,
      50_000,
    ),
  )

  it.each<[string, (size: number) => string]>([
    ['numbers', (size) => `${'1,'.repeat(size / 2)}1 * * * *`],
    ['ranges', (size) => `${'0-59,'.repeat(size / 5)}1 * * * *`],
    ['spaces', (size) => `*${' '.repeat(size)}* * * *`],
    ['digits', (size) => `${'1'.repeat(size)} * * * *`],
  ])('of a schedule are read in linear time: %s', (_, make) =>
    expectLinear((text: string) => new Cron(text, { timezone: 'UTC', paused: true }).nextRun(), make, 20_000),
  )
})
