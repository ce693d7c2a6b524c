import { encodePkt, FLUSH } from '../pkt/pkt-line.ts'
import { isBelow, type WireRef, type WireRefs } from '../repo.ts'
import { protocolError } from '../wire-error.ts'

export interface LsRefsRequest {
  readonly symrefs: boolean
  readonly peel: boolean
  readonly unborn: boolean
  /** Empty: all refs. */
  readonly prefixes: readonly string[]
}

/** Beyond this many prefixes everything is shown, which the protocol allows: a client filters again anyway. */
const MAX_PREFIXES = 512

/** Reads the arguments of `ls-refs` (gitprotocol-v2(5)). */
export function parseLsRefs(args: readonly string[]): LsRefsRequest {
  const prefixes: string[] = []
  const flags = new Set<string>()
  for (const arg of args) {
    if (arg.startsWith('ref-prefix ')) prefixes.push(arg.slice('ref-prefix '.length))
    else if (arg === 'symrefs' || arg === 'peel' || arg === 'unborn') flags.add(arg)
    else throw protocolError(`unexpected line: '${arg}'`)
  }
  const shown = prefixes.length > MAX_PREFIXES ? [] : prefixes
  return { symrefs: flags.has('symrefs'), peel: flags.has('peel'), unborn: flags.has('unborn'), prefixes: shown }
}

/** The answer to `ls-refs`, whole. */
export function answerLsRefs(request: LsRefsRequest, refs: WireRefs, hidden: readonly string[]): Buffer {
  const packets: Buffer[] = []
  const wanted = (name: string): boolean => request.prefixes.length === 0 || isBelow(name, request.prefixes)
  if (wanted('HEAD')) packets.push(...headLine(request, refs))
  for (const ref of refs.refs) {
    if (!wanted(ref.name) || isBelow(ref.name, hidden)) continue
    packets.push(encodePkt(`${ref.oid} ${ref.name}${peeled(request, ref)}\n`))
  }
  return Buffer.concat([...packets, FLUSH])
}

function headLine(request: LsRefsRequest, refs: WireRefs): Buffer[] {
  const target = request.symrefs ? ` symref-target:${refs.head}` : ''
  const head = refs.refs.find((ref) => ref.name === refs.head)
  if (head) return [encodePkt(`${head.oid} HEAD${target}\n`)]
  return request.unborn ? [encodePkt(`unborn HEAD symref-target:${refs.head}\n`)] : []
}

const peeled = (request: LsRefsRequest, ref: WireRef): string =>
  request.peel && ref.peeled !== undefined ? ` peeled:${ref.peeled}` : ''
