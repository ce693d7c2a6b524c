import type { GitCommand } from './endpoints.ts'
import type { Figure } from './figure.ts'
import { GENERATOR_LIMIT } from './load/wrk.ts'
import type { CostedLoad } from './load/yardsticks.ts'
import type { TargetResult } from './measure.ts'
import type { EndpointResult } from './measure-endpoint.ts'
import { drawTable, shortNumber, yesNo } from './table.ts'

export interface Yardsticks {
  readonly generator: 'wrk' | 'Node client'
  /** A bare Fastify, before and after everything else. */
  readonly bare: readonly CostedLoad[]
  /** A socket that answers a constant; undefined where no CPU time of the generator is measured. */
  readonly ceiling: CostedLoad | undefined
  /** ms; undefined when the run had no need of the large repository. */
  readonly git: Readonly<Record<GitCommand, number>> | undefined
}

/** Requests/s of the bare server: the better one, since what else runs on the machine only ever slows it down. */
const bareRate = ({ bare }: Yardsticks): number => Math.max(...bare.map(({ perSecond }) => perSecond))

/** What one thread of the generator could send, requests/s, if it never waited for an answer. */
const ceilingRate = ({ ceiling }: Yardsticks): number | undefined =>
  ceiling?.generatorShare === undefined ? undefined : ceiling.perSecond / ceiling.generatorShare

/** Ratios to H mean something only where neither side of them is the rate of the generator. */
const hasRatio = ({ bare }: Yardsticks, load: CostedLoad): boolean =>
  !load.isGeneratorLimited && !bare.some(({ isGeneratorLimited }) => isGeneratorLimited)

export function describeYardsticks(yardsticks: Yardsticks): string {
  const { bare, ceiling, generator, git } = yardsticks
  const share = (load: CostedLoad): string =>
    load.generatorShare === undefined ? '' : `, ${generator} busy ${percent(load.generatorShare)}`
  const lines = [
    `H = ${shortNumber(bareRate(yardsticks))}/s (${bare.map((load) => `${shortNumber(load.perSecond)}${share(load)}`).join('; ')}), ${shortNumber(Math.min(...bare.map(({ cpu }) => cpu ?? Number.NaN)))} us of CPU a request`,
    ceiling === undefined
      ? `ceiling of the ${generator}: not known`
      : `ceiling of ${generator} = ${shortNumber(ceilingRate(yardsticks))}/s with its one thread always busy (against constant bytes: ${shortNumber(ceiling.perSecond)}/s${share(ceiling)})`,
  ]
  if (bare.some(({ isGeneratorLimited }) => isGeneratorLimited))
    lines.push(
      generator === 'wrk'
        ? `${generator} was busy ${percent(GENERATOR_LIMIT)} or more, so H is its rate and no ratio is printed`
        : 'the Node client is slower than the servers, so H is its rate and no ratio is printed: install wrk',
    )
  const times = Object.entries(git ?? {}).map(([command, ms]) => `${command}: ${shortNumber(ms)} ms`)
  return [...lines, ...(times.length === 0 ? [] : [times.join('; ')])].join('\n')
}

const percent = (share: number): string => `${Math.round(share * 100)} %`

const HEAD = ['req/s', 'p50 ms', 'p99 ms', 'CPU us', 'failed', 'beside', 'by CPU', 'ratio', 'target', 'reached']

export function drawEndpoints(result: TargetResult, yardsticks: Yardsticks): string {
  const rows = result.endpoints.map((row) => [
    row.endpoint.name,
    ...loadCells(row),
    ...besideCells(row, yardsticks),
    ...targetCells(row, yardsticks),
  ])
  return drawTable(['endpoint', ...HEAD], rows)
}

function loadCells({ load, absent }: EndpointResult): string[] {
  if (load === undefined) return [absent ?? '', '', '', '', '']
  return [
    shortNumber(load.perSecond),
    shortNumber(load.p50),
    shortNumber(load.p99),
    shortNumber(load.cpu),
    load.failures === 0 ? '' : `${load.failures}/${load.requests}`,
  ]
}

/** Ratios to the bare server just before, by rate and by CPU time; no target is compared with them. */
function besideCells({ endpoint, load, bare }: EndpointResult, yardsticks: Yardsticks): string[] {
  if (load === undefined || bare === undefined || endpoint.alone || !hasRatio(yardsticks, load)) return ['', '']
  const byCpu = bare.cpu === undefined || load.cpu === undefined ? undefined : bare.cpu / load.cpu
  return [
    bare.isGeneratorLimited ? 'generator' : `${shortNumber(load.perSecond / bare.perSecond)} H`,
    byCpu === undefined ? '' : `${shortNumber(byCpu)} H`,
  ]
}

interface Judged {
  readonly ratio: string
  readonly target: string
  readonly reached: boolean | undefined
}

function targetCells(row: EndpointResult, yardsticks: Yardsticks): string[] {
  const judged = judge(row, yardsticks)
  const known = judged.map(({ reached }) => reached).filter((reached) => reached !== undefined)
  const failures = row.load?.failures ?? 0
  return [
    judged.map(({ ratio }) => ratio).join(', '),
    judged.flatMap(({ target }) => (target === '' ? [] : [target])).join(', '),
    yesNo(known.length === 0 ? undefined : known.every(Boolean) && failures === 0),
  ]
}

/** Each target of the row with what was measured; without a target, the share of H alone. */
function judge({ endpoint, load }: EndpointResult, yardsticks: Yardsticks): Judged[] {
  const { against, alone, p50Limit, p99Times, shareOfH } = endpoint
  const judged: Judged[] = []
  if (against !== undefined) {
    const git = yardsticks.git?.[against.command]
    const ratio = load === undefined || git === undefined ? undefined : load.p50 / git
    judged.push(judgedBy(ratio, against.max, ` ${against.command}`))
  }
  if (p50Limit !== undefined) judged.push(judgedBy(load?.p50, p50Limit, ' ms'))
  if (p99Times !== undefined) judged.push(judgedBy(load && load.p99 / load.p50, p99Times, ' p50'))
  if (!alone && !endpoint.varies) judged.push(judgedByH(load, shareOfH, yardsticks))
  return judged
}

const judgedBy = (value: number | undefined, limit: number, unit: string): Judged => ({
  ratio: value === undefined ? '' : `${shortNumber(value)}${unit}`,
  target: `<= ${limit}${unit}`,
  reached: value === undefined ? undefined : value <= limit,
})

function judgedByH(load: CostedLoad | undefined, shareOfH: number | undefined, yardsticks: Yardsticks): Judged {
  const target = shareOfH === undefined ? '' : `>= ${shareOfH} H`
  if (load === undefined) return { ratio: '', target, reached: undefined }
  if (!hasRatio(yardsticks, load)) return { ratio: 'generator', target, reached: undefined }
  const share = load.perSecond / bareRate(yardsticks)
  return {
    ratio: `${shortNumber(share)} H`,
    target,
    reached: shareOfH === undefined ? undefined : share >= shareOfH,
  }
}

export function drawFigures({ figures }: TargetResult): string {
  return drawTable(['figure', 'measured', 'beside', 'ratio', 'target', 'reached'], figures.map(figureCells))
}

function figureCells({ name, measured, unit, beside, max, min }: Figure): string[] {
  const known = measured !== undefined && !Number.isNaN(measured)
  const ratio = known && beside !== undefined ? measured / beside.value : undefined
  const judged = beside === undefined ? measured : ratio
  const { limit, isReached } = limitOf({ max, min }, beside === undefined ? unit : 'x')
  return [
    name,
    known ? `${Number.isInteger(measured) ? measured : shortNumber(measured)} ${unit}` : 'absent',
    beside === undefined ? '' : `${beside.name} ${shortNumber(beside.value)} ${unit}`,
    ratio === undefined ? '' : `${shortNumber(ratio)} x`,
    limit,
    yesNo(known ? isReached(judged!) : undefined),
  ]
}

interface Limit {
  readonly limit: string
  /** Undefined without a limit. */
  isReached(value: number): boolean | undefined
}

function limitOf({ max, min }: Partial<Record<'max' | 'min', number | undefined>>, unit: string): Limit {
  if (max !== undefined) return { limit: `<= ${shortNumber(max)} ${unit}`, isReached: (value) => value <= max }
  if (min !== undefined) return { limit: `>= ${min} ${unit}`, isReached: (value) => value >= min }
  return { limit: '', isReached: () => undefined }
}
