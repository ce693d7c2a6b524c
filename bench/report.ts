import type { EndpointResult, TargetResult } from './measure.ts'
import { drawTable, shortNumber, yesNo } from './table.ts'

export interface Yardsticks {
  /** Requests/s of a bare Fastify. */
  readonly h: number
  readonly gitLog: number
  readonly gitInit: number
}

/** What only a server that the run started can tell; ms and MB. */
export interface OwnFigures {
  readonly startUp: number
  readonly memoryIdle: number
  readonly memoryAfter: number
  readonly memoryPeak: number
}

/** A figure beside what it has to reach. */
interface Figure {
  readonly name: string
  readonly measured: number | undefined
  readonly unit: 'ms' | 'MB'
  /** The equal work done by other means in the same run. */
  readonly beside?: { readonly name: string; readonly value: number }
  /** Most of the measured figure, or of its ratio where there is something beside it. */
  readonly most?: number
}

export function drawEndpoints(result: TargetResult, yardsticks: Yardsticks): string {
  const rows = result.endpoints.map((row) => [row.endpoint.name, ...loadCells(row), ...targetCells(row, yardsticks)])
  return drawTable(['endpoint', 'req/s', 'p50 ms', 'p99 ms', 'failed', 'ratio', 'target', 'reached'], rows)
}

function loadCells({ load, absent }: EndpointResult): string[] {
  if (load === undefined) return [absent ?? '', '', '', '']
  return [shortNumber(load.perSecond), shortNumber(load.p50), shortNumber(load.p99), load.failures === 0 ? '' : `${load.failures}/${load.requests}`]
}

function targetCells({ endpoint, load }: EndpointResult, { h, gitLog }: Yardsticks): string[] {
  const share = load === undefined ? undefined : load.perSecond / h
  if (endpoint.against === 'git log') {
    const ratio = load === undefined ? undefined : load.p50 / gitLog
    return [ratio === undefined ? '' : `${shortNumber(ratio)} git log`, '<= 1 git log', yesNo(ratio === undefined ? undefined : ratio <= 1 && load!.failures === 0)]
  }
  const cell = share === undefined ? '' : `${shortNumber(share)} H`
  if (endpoint.shareOfH === undefined) return [cell, '', '']
  return [cell, `>= ${endpoint.shareOfH} H`, yesNo(share === undefined ? undefined : share >= endpoint.shareOfH && load!.failures === 0)]
}

export function drawFigures(result: TargetResult, { gitInit }: Yardsticks, own: OwnFigures | undefined): string {
  const { transfers } = result
  const disk = { name: 'git clone file://', value: transfers.cloneFromDisk }
  const figures: Figure[] = [
    { name: 'create with auto_init, alone', measured: result.createAlone, unit: 'ms', beside: { name: 'git init --bare', value: gitInit }, most: 2 },
    { name: 'push of everything', measured: result.pushAll, unit: 'ms' },
    { name: 'full clone', measured: transfers.clone, unit: 'ms', beside: disk, most: 1.1 },
    { name: 'full clone, again', measured: transfers.cloneAgain, unit: 'ms', beside: disk, most: 1.1 },
    { name: 'push of one commit, client', measured: transfers.pushClient, unit: 'ms' },
    { name: 'push of one commit, server', measured: transfers.pushServer, unit: 'ms', most: 80 },
    { name: 'start to first answer', measured: own?.startUp, unit: 'ms', most: 1000 },
    { name: 'memory idle', measured: own?.memoryIdle, unit: 'MB', most: 130 },
    { name: 'memory after', measured: own?.memoryAfter, unit: 'MB', most: 260 },
    { name: 'memory at its highest', measured: own?.memoryPeak, unit: 'MB' },
  ]
  return drawTable(['figure', 'measured', 'beside', 'ratio', 'target', 'reached'], figures.map(figureCells))
}

function figureCells({ name, measured, unit, beside, most }: Figure): string[] {
  const known = measured !== undefined && !Number.isNaN(measured)
  const ratio = known && beside !== undefined ? measured / beside.value : undefined
  const judged = beside === undefined ? measured : ratio
  const limit = most === undefined ? '' : beside === undefined ? `<= ${most} ${unit}` : `<= ${most} x`
  return [
    name,
    known ? `${shortNumber(measured)} ${unit}` : 'absent',
    beside === undefined ? '' : `${beside.name} ${shortNumber(beside.value)} ${unit}`,
    ratio === undefined ? '' : `${shortNumber(ratio)} x`,
    limit,
    yesNo(most === undefined || !known ? undefined : judged! <= most),
  ]
}
