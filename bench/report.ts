import type { GitCommand } from './endpoints.ts'
import type { Figure } from './figure.ts'
import type { EndpointResult, TargetResult } from './measure.ts'
import { drawTable, shortNumber, yesNo } from './table.ts'

export interface Yardsticks {
  /** Requests/s of a bare Fastify. */
  readonly h: number
  /** ms; undefined when the run had no need of the large repository. */
  readonly git: Readonly<Record<GitCommand, number>> | undefined
}

export function drawEndpoints(result: TargetResult, yardsticks: Yardsticks): string {
  const rows = result.endpoints.map((row) => [
    row.endpoint.name,
    ...loadCells(row),
    besideCell(row),
    ...targetCells(row, yardsticks),
  ])
  return drawTable(['endpoint', 'req/s', 'p50 ms', 'p99 ms', 'failed', 'beside', 'ratio', 'target', 'reached'], rows)
}

function loadCells({ load, absent }: EndpointResult): string[] {
  if (load === undefined) return [absent ?? '', '', '', '']
  return [
    shortNumber(load.perSecond),
    shortNumber(load.p50),
    shortNumber(load.p99),
    load.failures === 0 ? '' : `${load.failures}/${load.requests}`,
  ]
}

/**
 * The ratio to what the bare server answered at the same time: on a busy machine the one to go by, though no target is
 * held against it.
 */
function besideCell({ endpoint, load, bare }: EndpointResult): string {
  return load === undefined || bare === undefined || endpoint.against ? '' : `${shortNumber(load.perSecond / bare)} H`
}

function targetCells({ endpoint, load }: EndpointResult, { h, git }: Yardsticks): string[] {
  const { against, shareOfH } = endpoint
  if (against !== undefined) {
    const ratio = load === undefined || git === undefined ? undefined : load.p50 / git[against.command]
    return [
      ratio === undefined ? '' : `${shortNumber(ratio)} ${against.command}`,
      `<= ${against.most} ${against.command}`,
      yesNo(ratio === undefined ? undefined : ratio <= against.most && load!.failures === 0),
    ]
  }
  const share = load === undefined ? undefined : load.perSecond / h
  const cell = share === undefined ? '' : `${shortNumber(share)} H`
  if (shareOfH === undefined) return [cell, '', '']
  return [cell, `>= ${shareOfH} H`, yesNo(share === undefined ? undefined : share >= shareOfH && load!.failures === 0)]
}

export function drawFigures({ figures }: TargetResult): string {
  return drawTable(['figure', 'measured', 'beside', 'ratio', 'target', 'reached'], figures.map(figureCells))
}

function figureCells({ name, measured, unit, beside, most }: Figure): string[] {
  const known = measured !== undefined && !Number.isNaN(measured)
  const ratio = known && beside !== undefined ? measured / beside.value : undefined
  const judged = beside === undefined ? measured : ratio
  const limit = most === undefined ? '' : beside === undefined ? `<= ${most} ${unit}` : `<= ${most} x`
  return [
    name,
    known ? `${Number.isInteger(measured) ? measured : shortNumber(measured)} ${unit}` : 'absent',
    beside === undefined ? '' : `${beside.name} ${shortNumber(beside.value)} ${unit}`,
    ratio === undefined ? '' : `${shortNumber(ratio)} x`,
    limit,
    yesNo(most === undefined || !known ? undefined : judged! <= most),
  ]
}
