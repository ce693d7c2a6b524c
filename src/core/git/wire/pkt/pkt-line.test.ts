import { PassThrough, Readable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  sinkTo,
  DELIM,
  encodePkt,
  FLUSH,
  MAX_PAYLOAD,
  parsePrefix,
  type Pkt,
  RESPONSE_END,
  SideBand,
} from './pkt-line.ts'
import { PktReader } from './pkt-reader.ts'

const special = { flush: FLUSH, delim: DELIM, end: RESPONSE_END } as const
const encode = (pkt: Pkt): Buffer => (pkt.kind === 'data' ? encodePkt(pkt.data) : special[pkt.kind])

const anyPkt: fc.Arbitrary<Pkt> = fc.oneof(
  fc.uint8Array({ maxLength: 300 }).map((bytes) => ({ kind: 'data' as const, data: Buffer.from(bytes) })),
  fc.constantFrom<Pkt>({ kind: 'flush' }, { kind: 'delim' }, { kind: 'end' }),
)

function cut(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const parts: Buffer[] = []
  let at = 0
  for (const size of sizes) {
    parts.push(bytes.subarray(at, at + size))
    at += size
  }
  return [...parts, bytes.subarray(at)].filter((part) => part.length > 0)
}

async function readAll(reader: PktReader): Promise<Pkt[]> {
  const pkts: Pkt[] = []
  for (let pkt = await reader.read(); pkt; pkt = await reader.read()) pkts.push(pkt)
  return pkts
}

describe('packet lines', () => {
  it('are read as they were written, however the stream is split', async () => {
    const property = fc.asyncProperty(
      fc.array(anyPkt, { maxLength: 20 }),
      fc.array(fc.nat(50)),
      async (pkts, sizes) => {
        const stream = Readable.from(cut(Buffer.concat(pkts.map(encode)), sizes))
        expect(await readAll(new PktReader(stream))).toEqual(pkts)
      },
    )
    await fc.assert(property, { numRuns: 300 })
  })

  it('never hang or crash on any bytes', async () => {
    const property = fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
      const reading = readAll(new PktReader(Readable.from([Buffer.from(bytes)])))
      await reading.catch((error: Error) => expect(error.name).toBe('WireError'))
    })
    await fc.assert(property, { numRuns: 500 })
  })

  it('have size limits', () => {
    expect(encodePkt(Buffer.alloc(MAX_PAYLOAD)).toString('latin1', 0, 4)).toBe('fff0')
    expect(() => encodePkt(Buffer.alloc(MAX_PAYLOAD + 1))).toThrow(RangeError)
    for (const bad of ['0003', 'fff1', 'ffff', 'xyz1', '-001', ' 004'])
      expect(parsePrefix(Buffer.from(bad))).toBeUndefined()
    expect(parsePrefix(Buffer.from('00Ff'))).toBe(255)
  })

  it('leave the raw bytes after them unread', async () => {
    const reader = new PktReader(Readable.from([Buffer.from('0006ab0000PA'), Buffer.from('CKrest')]))
    await reader.read()
    await reader.read()
    expect((await reader.bytes(4))?.toString()).toBe('PACK')
    reader.unshift(Buffer.from('PACK'))
    expect((await reader.chunk())?.toString()).toBe('PACKrest')
    expect(await reader.bytes(1)).toBeUndefined()
  })

  it('time out when the client is silent', async () => {
    const reader = new PktReader(new PassThrough(), { idleMs: 20 })
    await expect(reader.read()).rejects.toMatchObject({ kind: 'timeout' })
  })
})

describe('side bands', () => {
  it('waits for a slow reader and gives up on one that reads nothing', async () => {
    const out = new PassThrough({ highWaterMark: 1024 })
    const band = new SideBand(sinkTo(out, 50))
    await expect(band.data(Buffer.alloc(1_000_000))).rejects.toMatchObject({ kind: 'timeout' })
    expect(out.readableLength + out.writableLength).toBeLessThan(140_000)
  })

  it('notices a client that leaves', async () => {
    const out = new PassThrough({ highWaterMark: 1024 })
    const sending = new SideBand(sinkTo(out, 10_000)).data(Buffer.alloc(200_000))
    out.destroy()
    await expect(sending).rejects.toMatchObject({ kind: 'aborted' })
  })

  it('splits data into packets that carry their band', async () => {
    const out = new PassThrough()
    const chunks: Buffer[] = []
    out.on('data', (chunk: Buffer) => chunks.push(chunk))
    const band = new SideBand(sinkTo(out, 1000), 10)
    await band.data(Buffer.from('0123456789abc'))
    await band.progress('hi\n')
    await band.end()
    expect(Buffer.concat(chunks).toString()).toBe('000f\x0101234567890008\x01abc0008\x02hi\n0000')
  })
})
