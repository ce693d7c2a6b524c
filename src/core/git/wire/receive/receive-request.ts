import { isOid, type ObjectFormat, oidLength, zeroOid } from '../../engine/object/format.ts'
import { pktText } from '../pkt/pkt-line.ts'
import type { PktReader } from '../pkt/pkt-reader.ts'
import { protocolError } from '../wire-error.ts'
import { forEachPausing } from '../../../platform/concurrency/pauses.ts'
import { isValidRefName } from '../../engine/refs/refs.ts'
import { isBelow } from '../repo.ts'
import type { GitRepo } from '../../repo.ts'

export interface RefCommand {
  /** Full name, not yet checked. */
  readonly ref: string
  /** The zero id if the ref must not exist. */
  readonly oldOid: string
  /** The zero id to delete. */
  readonly newOid: string
  readonly kind: 'create' | 'update' | 'delete'
}

export interface ReceiveRequest {
  readonly commands: readonly RefCommand[]
  readonly capabilities: ReadonlySet<string>
  /** Commits at which the client's history ends. */
  readonly shallow: readonly string[]
  readonly pushOptions: readonly string[]
}

const MAX_COMMANDS = 10_000
const MAX_OPTIONS = 100
const MAX_OPTION_BYTES = 64 * 1024

/**
 * Reads everything before the pack (gitprotocol-pack(5)); undefined if the client sends no command. `onCapabilities`
 * gets the capabilities of the client before anything can be refused.
 */
export async function readReceiveRequest(
  reader: PktReader,
  format: ObjectFormat,
  onCapabilities: (capabilities: ReadonlySet<string>) => void = () => {},
): Promise<ReceiveRequest | undefined> {
  const request = await readCommands(reader, format, onCapabilities)
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
  /** The capabilities in the first line that has any. */
  capabilities: ReadonlySet<string> | undefined
}

/** Undefined if the client sends nothing. */
async function readCommands(
  reader: PktReader,
  format: ObjectFormat,
  onCapabilities: (capabilities: ReadonlySet<string>) => void,
): Promise<Commands | undefined> {
  const read: Commands = { commands: [], shallow: [], capabilities: undefined }
  const count = (): number => read.commands.length + read.shallow.length
  for (let pkt = await reader.read(); pkt?.kind !== 'flush'; pkt = await reader.read()) {
    if (pkt === undefined && count() === 0) return undefined
    if (pkt?.kind !== 'data') throw protocolError('the commands end before their flush packet')
    const { line, capabilities } = splitCapabilities(pkt.data)
    if (capabilities && !read.capabilities) onCapabilities((read.capabilities = capabilities))
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

/**
 * Why the protocol or the server itself refuses commands, regardless of the policy; no entry for accepted commands.
 * Yields to the event loop: there may be 10,000 commands.
 */
export async function commandFaults(
  commands: readonly RefCommand[],
  reserved: readonly string[],
): Promise<Map<RefCommand, string>> {
  const times = new Map<string, number>()
  for (const { ref } of commands) times.set(ref, (times.get(ref) ?? 0) + 1)
  const faults = new Map<RefCommand, string>()
  await forEachPausing(commands, (command) => {
    const fault = nameFault(command.ref, reserved) ?? (times.get(command.ref)! > 1 ? REPEATED : undefined)
    if (fault !== undefined) faults.set(command, fault)
  })
  return faults
}

const REPEATED = 'multiple updates for one ref'

function nameFault(ref: string, reserved: readonly string[]): string | undefined {
  if (!ref.startsWith('refs/') || !isValidRefName(ref)) return 'funny refname'
  if (isBelow(ref, reserved)) return `hook declined to update ${ref}`
  return undefined
}

export interface RefMove {
  readonly ref: string
  readonly oldOid: string
  readonly newOid: string
}

/** A push whose objects are in quarantine, complete and checked, before any ref moves. */
export interface IncomingPush {
  readonly repo: GitRepo
  /** At least one; names are valid and not reserved, each ref at most once. */
  readonly commands: readonly RefCommand[]
  readonly pushOptions: readonly string[]
  /** True for all or nothing. */
  readonly atomic: boolean
  /** Environment, in addition to GIT_DIR, in which git processes see the new objects. Empty if the push had none. */
  readonly env: Readonly<Record<string, string>>
  /** Number of objects in the pack. */
  readonly objects: number
  /** True if an update loses commits. Runs one process, once per command. */
  isForced(command: RefCommand): Promise<boolean>
}

export type RefVerdict =
  | {
      readonly ok: true
      /** Refs that move instead of the one pushed to (`refs/for/*`). */
      readonly instead?: readonly RefMove[]
    }
  | { readonly ok: false; readonly reason: string }

export interface PushDecision {
  /** One for each command, in order. */
  readonly verdicts: readonly RefVerdict[]
  /** Lines shown to the client as `remote:`. */
  readonly messages?: readonly string[]
}

/** The result of one command: the refs that moved, or the reason why none did. */
export interface PushResult {
  readonly command: RefCommand
  readonly moves: readonly RefMove[]
  readonly error: string | undefined
}

/**
 * The server's own rules for pushes, called where git runs its hooks; the wire layer checks only the protocol's rules.
 */
export interface PushPolicy {
  /** Decides about every ref before any moves. If it throws, the whole push is refused without a reason. */
  preReceive(push: IncomingPush): Promise<PushDecision>
  /**
   * Runs after at least one ref has moved and before the report; returns lines for the client's `remote:` output. An
   * error is logged and does not undo the push.
   */
  postReceive?(results: readonly PushResult[], push: IncomingPush): Promise<readonly string[]>
}
