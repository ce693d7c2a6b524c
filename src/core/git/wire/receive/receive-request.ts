import { isOid, type ObjectFormat, oidLength, zeroOid } from '../../engine/object/format.ts'
import { pktText } from '../pkt/pkt-line.ts'
import type { PktReader } from '../pkt/pkt-reader.ts'
import { protocolError } from '../wire-error.ts'

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

const MAX_COMMANDS = 10_000
const MAX_OPTIONS = 100
const MAX_OPTION_BYTES = 64 * 1024

/** Reads everything in front of the pack (gitprotocol-pack(5)); undefined when the client sends no command. */
export async function readReceiveRequest(reader: PktReader, format: ObjectFormat): Promise<ReceiveRequest | undefined> {
  const request = await readCommands(reader, format)
  if (request === undefined || request.commands.length === 0) return undefined
  const { commands, shallow, capabilities = new Set<string>() } = request
  checkFormat(capabilities, format)
  return {
    commands,
    capabilities,
    shallow,
    pushOptions: capabilities.has('push-options') ? await readOptions(reader) : [],
  }
}

interface Commands {
  readonly commands: RefCommand[]
  readonly shallow: string[]
  /** Of the first line that has any. */
  capabilities: ReadonlySet<string> | undefined
}

/** Undefined when the client sends nothing. */
async function readCommands(reader: PktReader, format: ObjectFormat): Promise<Commands | undefined> {
  const read: Commands = { commands: [], shallow: [], capabilities: undefined }
  const count = (): number => read.commands.length + read.shallow.length
  for (let pkt = await reader.read(); pkt?.kind !== 'flush'; pkt = await reader.read()) {
    if (pkt === undefined && count() === 0) return undefined
    if (pkt?.kind !== 'data') throw protocolError('the commands end before their flush packet')
    const { line, capabilities } = splitCapabilities(pkt.data)
    read.capabilities ??= capabilities
    if (line.startsWith('shallow ')) read.shallow.push(checkOid(line.slice('shallow '.length), format))
    else if (line.startsWith('push-cert')) throw protocolError('signed pushes are not supported')
    else read.commands.push(parseCommand(line, format))
    if (count() > MAX_COMMANDS) throw protocolError(`more than ${MAX_COMMANDS} refs in one push: push them in parts`)
  }
  return read
}

function splitCapabilities(data: Buffer): { line: string; capabilities: ReadonlySet<string> | undefined } {
  const nul = data.indexOf(0)
  if (nul < 0) return { line: pktText(data), capabilities: undefined }
  const words = pktText(data.subarray(nul + 1)).split(' ')
  return { line: data.toString('utf8', 0, nul), capabilities: new Set(words.filter((word) => word !== '')) }
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
