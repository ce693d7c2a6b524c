import { performance } from 'node:perf_hooks'

/** What was taken away, from when to when it served again; ms of the run. */
export interface Fault {
  readonly kind: 'node' | 'postgres' | 's3'
  /** The killed node. */
  readonly node?: number
  readonly from: number
  /** Infinity while it is unavailable. */
  until: number
  /** From its end, or from the kill of a node, until writes to everything succeed; ms. */
  recovery: number | undefined
  /** What the same writes took right before, ms. */
  undisturbed: number
}

/** A request that had no success. */
export interface Failure {
  readonly kind: RequestKind
  readonly node: number
  readonly from: number
  readonly until: number
  /** A status, or the code of a broken connection. */
  readonly reason: string
  readonly text: string
}

export const REQUEST_KINDS = ['read', 'issue', 'comment', 'edit', 'push', 'file'] as const
export type RequestKind = (typeof REQUEST_KINDS)[number]

/** What the server acknowledged must be there at the end: an issue by its title, a comment by its text. */
export interface TextWrite {
  readonly kind: 'issue' | 'comment'
  readonly repo: string
  readonly id: number
  readonly text: string
}

/** A commit that was pushed or made by the API. */
export interface CommitWrite {
  readonly kind: 'edit' | 'push'
  readonly repo: string
  readonly branch: string
  readonly oid: string
}

/** An attached file. */
export interface FileWrite {
  readonly kind: 'file'
  readonly url: string
  readonly sha256: string
}

type Write = TextWrite | CommitWrite | FileWrite
export type Acknowledged = Write & { readonly at: number }

/** Everything that a run records. */
export class Journal {
  readonly faults: Fault[] = []
  readonly failures: Failure[] = []
  readonly acknowledged: Acknowledged[] = []
  /** Times of successful requests in ms. */
  readonly times: Record<RequestKind, number[]> = { read: [], issue: [], comment: [], edit: [], push: [], file: [] }

  acknowledge(write: Write): void {
    this.acknowledged.push({ ...write, at: performance.now() })
  }

  get texts(): (TextWrite & { at: number })[] {
    return this.acknowledged.flatMap((write) => ('text' in write ? [write] : []))
  }

  get commits(): (CommitWrite & { at: number })[] {
    return this.acknowledged.flatMap((write) => ('oid' in write ? [write] : []))
  }

  get files(): FileWrite[] {
    return this.acknowledged.filter((write) => write.kind === 'file')
  }

  begin(kind: Fault['kind'], { node, undisturbed }: Partial<Pick<Fault, 'node' | 'undisturbed'>> = {}): Fault {
    const fault: Fault = {
      kind,
      ...(node !== undefined && { node }),
      from: performance.now(),
      until: Infinity,
      recovery: undefined,
      undisturbed: undisturbed ?? Number.NaN,
    }
    this.faults.push(fault)
    return fault
  }
}

/** Answers may be late by this much after PostgreSQL or the S3 server is back, ms: the target of recovery. */
const RECOVERY_MS = 2_000

/** Why a request failed: one of the faults, or `unexplained`. */
export type Cause = 'killed node' | 'PostgreSQL away' | 'S3 away' | 'unexplained'

/**
 * Only connections to a node that were open when it was killed may break; only while PostgreSQL is away, or the S3
 * server for files, may requests be answered 503.
 */
export function causeOf(failure: Failure, faults: readonly Fault[]): Cause {
  const during = (fault: Fault): boolean => failure.from <= fault.until + RECOVERY_MS && failure.until >= fault.from
  for (const fault of faults) {
    if (
      fault.kind === 'node' &&
      fault.node === failure.node &&
      failure.from <= fault.from &&
      failure.until >= fault.from &&
      !/^\d+$/.test(failure.reason)
    )
      return 'killed node'
    // Once the pack of a push is under way its refusal has no status.
    const isRefused = failure.reason === '503' || failure.text.includes('[remote rejected]')
    if (fault.kind === 'postgres' && isRefused && during(fault)) return 'PostgreSQL away'
    if (fault.kind === 's3' && failure.kind === 'file' && failure.reason === '503' && during(fault)) return 'S3 away'
  }
  return 'unexplained'
}
