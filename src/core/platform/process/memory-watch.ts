import { readFile } from 'node:fs/promises'

const FIRST_CHECK_MS = 400
const CHECK_INTERVAL_MS = 200

/**
 * Calls back once when a process and those that it started use more memory of their own than `maxBytes`, not counting
 * files that they map; returns a function that ends the watch. Where the system does not report it (all but Linux)
 * nothing is watched, and deadlines alone apply.
 */
export function watchMemory(pid: number | undefined, maxBytes: number, onExceeded: () => void): () => void {
  if (pid === undefined || !Number.isFinite(maxBytes)) return () => {}
  let isOver = false
  let timer = setTimeout(() => void check(), FIRST_CHECK_MS).unref()
  async function check(): Promise<void> {
    const used = await ownMemory(pid!)
    if (isOver || used === undefined) return
    if (used > maxBytes) onExceeded()
    else timer = setTimeout(() => void check(), CHECK_INTERVAL_MS).unref()
  }
  return () => {
    isOver = true
    clearTimeout(timer)
  }
}

/** Undefined for a process that has ended, and on systems that do not report it. */
async function ownMemory(pid: number | string): Promise<number | undefined> {
  const kib = /^RssAnon:\s+(\d+) kB$/m.exec(await read(`/proc/${pid}/status`))?.[1]
  if (kib === undefined) return undefined
  const children = (await read(`/proc/${pid}/task/${pid}/children`)).trim().split(' ').filter(Boolean)
  const below = await Promise.all(children.map((child) => ownMemory(child)))
  return below.reduce<number>((sum, bytes) => sum + (bytes ?? 0), Number(kib) * 1024)
}

const read = (path: string): Promise<string> => readFile(path, 'latin1').catch(() => '')
