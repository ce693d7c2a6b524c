import { isOid, type ObjectFormat, oidLength, zeroOid } from '../engine/object/format.ts'
import { pktText } from './pkt-line.ts'
import type { PktReader } from './pkt-reader.ts'
import { protocolError } from './wire-error.ts'

export interface RefCommand {
  /** Full name, not yet checked. */
  readonly ref: string
  /** The zero id for a ref that must not exist. */
  readonly oldOid: string
  /** The zero id to delete. */
  readonly newOid: string
  readonly kind: 'create' | 'update' | 'delete'
}

export interface ReceiveRequest {
  readonly commands: readonly RefCommand[]
  readonly capabilities: ReadonlySet<string>
  /** Commits at which the history of the client ends. */
  readonly shallow: readonly string[]
  readonly pushOptions: readonly string[]
}

const MAX_COMMANDS = 50_000
const MAX_OPTIONS = 100
const MAX_OPTION_BYTES = 64 * 1024

/** Reads everything in front of the pack (gitprotocol-pack(5)); undefined when the client sends no command. */
export async function readReceiveRequest(reader: PktReader, format: ObjectFormat): Promise<ReceiveRequest | undefined> {
  const commands: RefCommand[] = []
  const shallow: string[] = []
  let capabilities: ReadonlySet<string> | undefined
  for (let pkt = await reader.read(); pkt?.kind !== 'flush'; pkt = await reader.read()) {
    if (pkt === undefined && commands.length === 0 && shallow.length === 0) return undefined
    if (pkt?.kind !== 'data') throw protocolError('the commands end before their flush packet')
    const [line, tail] = splitCapabilities(pkt.data)
    if (capabilities === undefined && tail !== undefined)
      capabilities = new Set(tail.split(' ').filter((word) => word !== ''))
    if (line.startsWith('shallow ')) shallow.push(checkOid(line.slice('shallow '.length), format))
    else if (line.startsWith('push-cert')) throw protocolError('signed pushes are not supported')
    else commands.push(parseCommand(line, format))
    if (commands.length + shallow.length > MAX_COMMANDS)
      throw protocolError(`more than ${MAX_COMMANDS} refs in one push`)
  }
  if (commands.length === 0) return undefined
  capabilities ??= new Set()
  checkFormat(capabilities, format)
  return {
    commands,
    capabilities,
    shallow,
    pushOptions: capabilities.has('push-options') ? await readOptions(reader) : [],
  }
}

function splitCapabilities(data: Buffer): [line: string, capabilities: string | undefined] {
  const nul = data.indexOf(0)
  return nul < 0 ? [pktText(data), undefined] : [data.toString('utf8', 0, nul), pktText(data.subarray(nul + 1))]
}

function parseCommand(line: string, format: ObjectFormat): RefCommand {
  const digits = oidLength(format)
  const [oldOid, newOid, ref] = [
    line.slice(0, digits),
    line.slice(digits + 1, 2 * digits + 1),
    line.slice(2 * digits + 2),
  ]
  if (line[digits] !== ' ' || line[2 * digits + 1] !== ' ' || ref === '') throw protocolError('bad command line')
  checkOid(oldOid, format)
  checkOid(newOid, format)
  const zero = zeroOid(format)
  return { ref, oldOid, newOid, kind: newOid === zero ? 'delete' : oldOid === zero ? 'create' : 'update' }
}

function checkOid(text: string, format: ObjectFormat): string {
  if (!isOid(text, format)) throw protocolError(`not a ${format} object id: ${text.slice(0, 80)}`)
  return text
}

function checkFormat(capabilities: ReadonlySet<string>, format: ObjectFormat): void {
  const wanted =
    [...capabilities].find((word) => word.startsWith('object-format='))?.slice('object-format='.length) ?? 'sha1'
  if (wanted !== format) throw protocolError(`the repository uses ${format} object ids, the client ${wanted}`)
}

async function readOptions(reader: PktReader): Promise<string[]> {
  const options: string[] = []
  let size = 0
  for (let pkt = await reader.read(); pkt?.kind !== 'flush'; pkt = await reader.read()) {
    if (pkt?.kind !== 'data') throw protocolError('the push options end before their flush packet')
    size += pkt.data.length
    options.push(pktText(pkt.data))
    if (options.length > MAX_OPTIONS || size > MAX_OPTION_BYTES) throw protocolError('too many push options')
  }
  return options
}
