import { encodePkt, FLUSH } from '../pkt/pkt-line.ts'

/** The result for one ref, as reported to the client. */
export interface RefReport {
  /** The name the client pushed to. */
  readonly ref: string
  /** Why it did not move; absent if it did. */
  readonly error?: string
  /** The refs that moved instead (report-status-v2). */
  readonly moved?: readonly {
    readonly ref: string
    readonly oldOid: string
    readonly newOid: string
    readonly forced?: boolean
  }[]
}

/** The body of report-status and report-status-v2 (gitprotocol-pack(5)). */
export function encodeReport(unpackError: string | undefined, refs: readonly RefReport[], version: 1 | 2): Buffer {
  const packets = [encodePkt(`unpack ${oneLine(unpackError ?? 'ok')}\n`)]
  for (const { ref, error, moved = [] } of refs) {
    if (error !== undefined) packets.push(encodePkt(`ng ${ref} ${oneLine(error)}\n`))
    else if (version === 1 || moved.length === 0) packets.push(encodePkt(`ok ${ref}\n`))
    else for (const move of moved) packets.push(encodePkt(`ok ${ref}\n`), ...optionLines(move))
  }
  return Buffer.concat([...packets, FLUSH])
}

function optionLines(move: NonNullable<RefReport['moved']>[number]): Buffer[] {
  const lines = [`option refname ${move.ref}`, `option old-oid ${move.oldOid}`, `option new-oid ${move.newOid}`]
  if (move.forced === true) lines.push('option forced-update')
  return lines.map((line) => encodePkt(`${line}\n`))
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim().slice(0, 1000)
