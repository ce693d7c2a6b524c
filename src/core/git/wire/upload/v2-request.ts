import { DELIM, encodePkt, FLUSH, pktText } from '../pkt/pkt-line.ts'
import type { PktReader } from '../pkt/pkt-reader.ts'
import { protocolError } from '../wire-error.ts'

/** Bytes of one request that are buffered; what is larger goes on to git as it comes. */
const MAX_BUFFERED = 1024 * 1024

const COMBINE = 'filter combine:'
/** Signs that join filters or encode them, of a `combine:` filter: enough for a few of each. */
const MAX_COMBINED = 8

/** One command of protocol v2, as far as it was read. */
export interface V2Request {
  readonly command: string
  readonly capabilities: readonly string[]
  readonly args: readonly string[]
  /** The bytes read so far, ready for a git process. */
  readonly bytes: Buffer
  /** False when it is too large to buffer: the rest is still to be read. */
  readonly complete: boolean
}

/** Reads the next command; undefined when the client is done (a lone flush, or the end of the stream). */
export async function readV2Request(reader: PktReader): Promise<V2Request | undefined> {
  const capabilities: string[] = []
  const args: string[] = []
  const bytes: Buffer[] = []
  let buffered = 0
  let target = capabilities
  for (;;) {
    const pkt = await reader.read()
    if (pkt === undefined) {
      if (buffered === 0) return undefined
      throw protocolError('the request ends before its flush packet')
    }
    if (pkt.kind === 'data') {
      requireSimpleFilter(pkt.data)
      target.push(pktText(pkt.data))
      bytes.push(encodePkt(pkt.data))
      buffered += pkt.data.length + 4
      if (buffered > MAX_BUFFERED) return finish(capabilities, args, bytes, false)
    } else if (pkt.kind === 'delim') {
      if (target === args) throw protocolError('unexpected delimiter packet')
      target = args
      bytes.push(DELIM)
    } else if (pkt.kind === 'flush') {
      if (buffered === 0) return undefined
      bytes.push(FLUSH)
      return finish(capabilities, args, bytes, true)
    } else throw protocolError('unexpected response-end packet')
  }
}

/**
 * git keeps what each part of a combined filter has seen: 9,000 parts took 2 GB for a repository of 20,000 files.
 * Throws a protocol error.
 */
export function requireSimpleFilter(data: Buffer): void {
  if (data.toString('latin1', 0, COMBINE.length) !== COMBINE) return
  const signs = data.toString('latin1').match(/[+%]/g)?.length ?? 0
  if (signs > MAX_COMBINED) throw protocolError('too many filters are combined')
}

function finish(capabilities: readonly string[], args: string[], bytes: Buffer[], complete: boolean): V2Request {
  const commands = capabilities.filter((line) => line.startsWith('command='))
  const [command] = commands
  if (command === undefined) throw protocolError('no command requested')
  if (commands.length > 1) throw protocolError('command given twice')
  return {
    command: command.slice('command='.length),
    capabilities: capabilities.filter((line) => line !== command),
    args,
    bytes: Buffer.concat(bytes),
    complete,
  }
}
