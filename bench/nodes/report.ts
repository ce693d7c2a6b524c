import { drawTable, shortNumber, yesNo } from '../table.ts'
import type { HookLog } from './hook-log.ts'
import { causeOf, REQUEST_KINDS, type Cause, type Fault, type Journal, type RequestKind } from './journal.ts'
import type { Verdict } from './verify.ts'

interface KindSummary {
  readonly kind: RequestKind
  readonly done: number
  readonly perSecond: number
  /** ms. */
  readonly p50: number
  readonly p99: number
  readonly failures: Readonly<Record<Cause, number>>
}

interface FaultSummary {
  readonly kind: string
  readonly times: number
  /** ms. */
  readonly median: number
  readonly longest: number
  /** From the beginning of the fault, and what the same writes took right before; of the longest. */
  readonly sinceBegin: number
  readonly undisturbed: number
}

export interface Summary {
  readonly nodes: number
  readonly seconds: number
  readonly acknowledged: number
  readonly kinds: readonly KindSummary[]
  readonly recoveries: readonly FaultSummary[]
  readonly verdict: Verdict
  /** Times of webhooks from the acknowledgement to the first delivery, ms. */
  readonly events: { readonly p50: number; readonly p99: number; readonly longest: number; readonly repeated: number }
  /** Some of the failures that no fault explains. */
  readonly unexplained: readonly string[]
}

const CAUSES: readonly Cause[] = ['killed node', 'PostgreSQL away', 'S3 away', 'unexplained']
const RECOVERY_MS = 2_000
const SHOWN = 12

interface Results {
  readonly journal: Journal
  readonly verdict: Verdict
  readonly hooks: HookLog
  readonly seconds: number
  readonly nodes: number
}

export function summarize({ journal, verdict, hooks, seconds, nodes }: Results): Summary {
  const kinds = REQUEST_KINDS.map((kind) => {
    const times = journal.times[kind].toSorted((a, b) => a - b)
    const causes = journal.failures.filter((failure) => failure.kind === kind).map((f) => causeOf(f, journal.faults))
    const failures = Object.fromEntries(CAUSES.map((cause) => [cause, causes.filter((c) => c === cause).length]))
    return {
      kind,
      done: times.length,
      perSecond: times.length / seconds,
      p50: at(times, 0.5),
      p99: at(times, 0.99),
      failures: failures as Record<Cause, number>,
    }
  })
  const recoveries = (['node', 'postgres', 's3'] as const).map((kind) => {
    const faults = journal.faults.filter((fault) => fault.kind === kind)
    const sorted = faults.toSorted((a, b) => recoveryOf(a) - recoveryOf(b))
    const times = sorted.map(recoveryOf)
    const slowest = sorted.at(-1)
    // A node that was killed is missing from the beginning; its end is when it is started again.
    const absence = slowest === undefined || kind === 'node' ? 0 : slowest.until - slowest.from
    return {
      kind,
      times: times.length,
      median: at(times, 0.5),
      longest: at(times, 1),
      sinceBegin: absence + at(times, 1),
      undisturbed: slowest?.undisturbed ?? Number.NaN,
    }
  })
  const unexplained = journal.failures
    .filter((failure) => causeOf(failure, journal.faults) === 'unexplained')
    .map(({ kind, node, reason, text }) => `${kind} at node${node + 1}: ${reason} ${text.slice(0, 300)}`)
  return {
    nodes,
    seconds,
    acknowledged: journal.acknowledged.length,
    kinds,
    recoveries,
    verdict,
    events: delaysOf(journal, hooks),
    unexplained,
  }
}

function delaysOf({ acknowledged }: Journal, { arrivals, repeated }: HookLog): Summary['events'] {
  const delays = acknowledged
    .flatMap((write) => {
      const key =
        write.kind === 'issue'
          ? `${write.repo} issue ${write.text}`
          : 'oid' in write
            ? `${write.repo} push ${write.oid}`
            : ''
      const arrived = arrivals.get(key)
      return arrived === undefined ? [] : [Math.max(0, arrived - write.at)]
    })
    .toSorted((a, b) => a - b)
  return { p50: at(delays, 0.5), p99: at(delays, 0.99), longest: at(delays, 1), repeated: repeated() }
}

const recoveryOf = ({ recovery = Infinity }: Fault): number => recovery

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

export function drawNodes(summary: Summary): string {
  const { nodes, seconds, kinds, recoveries, verdict, events, unexplained } = summary
  const loads = kinds.map(({ kind, done, perSecond, p50, p99, failures }) => [
    kind,
    String(done),
    ...[perSecond, p50, p99].map(shortNumber),
    ...CAUSES.map((cause) => String(failures[cause])),
  ])
  const checks: [string, number, number][] = [
    ['acknowledged writes lost', verdict.lost.length, 0],
    ['ref and row differences', verdict.differences.length, 0],
    ['failures that no fault explains', unexplained.length, 0],
    ['events not delivered', verdict.undelivered.length, 0],
    ['pushes delivered out of order', verdict.unordered, 0],
    ['problems found by the doctor', verdict.doctor.problems.length, 0],
    ...recoveries
      .filter(({ times }) => times > 0)
      .map(({ kind, times, longest }): [string, number, number] => [
        `longest recovery after ${times} x ${kind} away, ms`,
        longest,
        RECOVERY_MS,
      ]),
  ]
  const problems = [...verdict.lost, ...verdict.differences, ...verdict.undelivered, ...unexplained]
  const { problems: found, notes } = verdict.doctor
  return [
    `${nodes} nodes for ${shortNumber(seconds)} s, ${summary.acknowledged} acknowledged writes; times in ms`,
    drawTable(['requests', 'done', '/s', 'p50', 'p99', ...CAUSES], loads),
    drawTable(
      ['check', 'measured', 'at most', 'reached'],
      checks.map(([name, value, max]) => [
        name,
        Number.isInteger(value) ? String(value) : shortNumber(value),
        String(max),
        yesNo(value <= max),
      ]),
    ),
    recoveries
      .filter(({ times, kind }) => times > 0 && kind !== 's3')
      .map(
        ({ kind, longest, sinceBegin, undisturbed }) =>
          `longest recovery, ${kind}: ${shortNumber(longest)} ms, ${shortNumber(sinceBegin)} ms since it was stopped; the same writes right before: ${shortNumber(undisturbed)} ms`,
      )
      .join('\n'),
    `recovery after the kill of a node: median ${shortNumber(recoveries[0]!.median)} ms; from an acknowledgement to its webhook: p50 ${shortNumber(events.p50)} ms, p99 ${shortNumber(events.p99)} ms, longest ${shortNumber(events.longest)} ms; ${events.repeated} delivered again`,
    ...[...found, ...notes.map((note) => `${note} (note)`)].map((line) => `- ${line}`),
    ...problems.slice(0, SHOWN).map((problem) => `- ${problem}`),
  ].join('\n\n')
}
