import { readdirSync, readFileSync } from 'node:fs'

/** A process as Linux shows it under /proc. */
export interface ProcessFacts {
  readonly pid: number
  readonly command: string
  /** CPU time of its own and of its ended children, ms; 10 ms is the resolution of Linux. */
  readonly cpu: number
  /** Resident memory, MB, and the part of it that is no page of a file. */
  readonly resident: number
  readonly anonymous: number
}

const MS_PER_TICK = 10
const UTIME = 11
const CSTIME = 14

/** The process and its descendants; those that end during the read are omitted. */
export function treeOf(root: number): ProcessFacts[] {
  const found: ProcessFacts[] = []
  const pids = [root]
  for (let pid = pids.pop(); pid !== undefined; pid = pids.pop()) {
    try {
      found.push(factsOf(pid))
      pids.push(...childrenOf(pid))
    } catch (error) {
      if (!isGone(error)) throw error
    }
  }
  return found
}

/** CPU time of a tree, ended children included, ms. */
export const cpuOf = (root: number): number => treeOf(root).reduce((sum, { cpu }) => sum + cpu, 0)

/** CPU time of the ended children of this process, ms. */
export function cpuOfEndedChildren(): number {
  return (
    ticksOf(process.pid)
      .slice(2)
      .reduce((sum, count) => sum + count, 0) * MS_PER_TICK
  )
}

/** Resident memory of a process in MB, now and at its highest. */
export function memoryOf(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return { now: megabytes(status, 'VmRSS'), peak: megabytes(status, 'VmHWM') }
}

function factsOf(pid: number): ProcessFacts {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return {
    pid,
    command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim(),
    cpu: ticksOf(pid).reduce((sum, count) => sum + count, 0) * MS_PER_TICK,
    resident: megabytes(status, 'VmRSS'),
    anonymous: megabytes(status, 'RssAnon'),
  }
}

/** Ticks of the process in user and system mode, then of its ended children. */
function ticksOf(pid: number): number[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(UTIME, CSTIME + 1)
    .map(Number)
}

function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) => {
    try {
      return readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
    } catch (error) {
      if (isGone(error)) return []
      throw error
    }
  })
}

/** A process that has ended but was not waited for has no memory lines. */
const megabytes = (status: string, key: string): number =>
  Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / 1024

const isGone = (error: unknown): boolean => ['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')
