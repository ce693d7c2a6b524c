import { describe, it } from 'vitest'
import { advertiseReceive, advertiseUpload } from './protocol.ts'
import { encodePkt } from './pkt/pkt-line.ts'
import { PktReader } from './pkt/pkt-reader.ts'
import { commandFaults, readReceiveRequest } from './receive/receive-request.ts'
import type { WireRefs } from './repo.ts'
import { answerLsRefs, parseLsRefs, readV2Request } from './upload/v2-request.ts'
import { expectLinear } from '../../../../test/harness/growth.ts'

const OID = 'a'.repeat(40)

/** A stream that gives its bytes in chunks of `size`. */
async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const pktReader = (bytes: Buffer, chunk = 65_536): PktReader => new PktReader(inChunks(bytes, chunk))

async function readAll(reader: PktReader): Promise<void> {
  while ((await reader.read()) !== undefined);
}

describe('packet lines', () => {
  it.each<[string, (size: number) => Buffer, number]>([
    ['many small packets', (size) => Buffer.from('0005a'.repeat(size / 5)), 65_536],
    ['many flush packets', (size) => Buffer.from('0000'.repeat(size / 4)), 65_536],
    ['large packets in small chunks', (size) => Buffer.from(`fff0${'a'.repeat(65_516)}`.repeat(size / 5000)), 100],
    ['a packet that ends early', (size) => Buffer.from(`${'0005a'.repeat(size / 5)}fff0a`), 1000],
  ])('are read in linear time: %s', (_, make, chunk) =>
    expectLinear((bytes: Buffer) => readAll(pktReader(bytes, chunk)), make, 200_000),
  )
})

describe('the request of a push', () => {
  const requestOf = (lines: readonly string[]): Buffer =>
    Buffer.concat([...lines.map((line) => encodePkt(line)), Buffer.from('0000')])
  const read = (bytes: Buffer) => readReceiveRequest(pktReader(bytes), 'sha1')

  it.each<[string, (size: number) => string[]]>([
    ['commands', (size) => Array.from({ length: size }, (_, at) => `${OID} ${OID} refs/heads/${at}\n`)],
    ['shallow commits', (size) => Array.from({ length: size }, () => `shallow ${OID}\n`)],
    ['capabilities', (size) => [`${OID} ${OID} refs/heads/a\0${' a'.repeat(size * 10)}\n`]],
    ['NUL bytes', (size) => [`${OID} ${OID} refs/heads/a${'\0'.repeat(size * 20)}\n`]],
    ['a name of slashes', (size) => [`${OID} ${OID} ${'/'.repeat(size * 20)}\n`]],
  ])('is read in linear time: %s', (_, make) => expectLinear(read, (size) => requestOf(make(size)), 800))

  it.each<[string, (at: number) => string]>([
    ['different refs', (at) => `refs/heads/${at}`],
    ['one ref again and again', () => 'refs/heads/a'],
    ['names with many parts', (at) => `refs/heads/${'a/'.repeat(200)}${at}`],
  ])('is checked in linear time: %s', (_, ref) =>
    expectLinear(
      (commands: Parameters<typeof commandFaults>[0]) => commandFaults(commands, ['refs/pull/', 'refs/ingot/']),
      (size) =>
        Array.from({ length: size }, (__, at) => ({ ref: ref(at), oldOid: OID, newOid: OID, kind: 'update' as const })),
      5000,
    ),
  )
})

describe('the requests of protocol version 2', () => {
  it.each<[string, string]>([
    ['capabilities', '0006a\n'],
    ['arguments', '00010006a\n'],
    ['delimiters', '0001'],
  ])('are read in linear time: %s', (_, part) =>
    expectLinear(
      (bytes: Buffer) => readV2Request(pktReader(bytes)),
      (size) => Buffer.concat([encodePkt('command=ls-refs\n'), Buffer.from(part.repeat(size)), Buffer.from('0000')]),
      5000,
    ),
  )

  it('for refs are read in linear time', () =>
    expectLinear(parseLsRefs, (size) => Array.from({ length: size }, (_, at) => `ref-prefix refs/heads/${at}`), 20_000))
})

describe('the refs of a repository', () => {
  const refsOf = (size: number): WireRefs => ({
    head: `refs/heads/${size - 1}`,
    refs: Array.from({ length: size }, (_, at) => ({ name: `refs/heads/${at}`, oid: OID, peeled: OID })),
  })
  const options = (refs: WireRefs) => ({
    repo: { objectFormat: 'sha1' as const },
    refs,
    version: 1 as const,
    agent: 'a',
    hidden: ['refs/ingot/', 'refs/pull/'],
  })
  const prefixes = Array.from({ length: 100 }, (_, at) => `refs/tags/${at}`)

  it.each<[string, (refs: WireRefs) => unknown]>([
    ['to clients that fetch', (refs) => advertiseUpload(options(refs))],
    ['to clients that push', (refs) => advertiseReceive(options(refs))],
    ['by prefix', (refs) => answerLsRefs({ symrefs: true, peel: true, unborn: true, prefixes }, refs, [])],
  ])('are advertised in linear time: %s', (_, advertise) => expectLinear(advertise, refsOf, 10_000))
})
